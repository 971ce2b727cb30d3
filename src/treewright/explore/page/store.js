// One state, changed in one place; who cares for a part of it is told when that part changes.

export function storeOf(state) {
  const listeners = [];
  let told = null; // parts that changed while listeners are being told

  function set(changes) {
    const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
    if (changed.length === 0) return;
    Object.assign(state, changes);
    if (told !== null) {
      changed.forEach((name) => told.add(name));
      return;
    }
    let parts = new Set(changed);
    while (parts.size > 0) {
      told = new Set();
      for (const [names, listener] of listeners) if (names.some((name) => parts.has(name))) listener(state);
      parts = told;
    }
    told = null;
  }

  return { state, set, on: (names, listener) => listeners.push([names, listener]) };
}
