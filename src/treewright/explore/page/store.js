// One state, changed in one place; listeners name the fields they depend on and are called when one of these changes.

export function storeOf(state) {
  const listeners = [];
  let pending = null; // names that change while listeners are being called

  function set(changes) {
    const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
    if (changed.length === 0) return;
    Object.assign(state, changes);
    if (pending !== null) {
      changed.forEach((name) => pending.add(name));
      return;
    }
    let current = new Set(changed);
    while (current.size > 0) {
      pending = new Set();
      for (const [names, listener] of listeners) if (names.some((name) => current.has(name))) listener(state);
      current = pending;
    }
    pending = null;
  }

  return { state, set, on: (names, listener) => listeners.push([names, listener]) };
}
