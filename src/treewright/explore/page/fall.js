// A row that falls through the tree: it stops at every question, then takes its branch. Where people ask for less motion it stops only.
const STOP = 0.6; // of the time from one question to the next it stands at the first
const EACH = 1150; // milliseconds from one question to the next
const ALL = 15_000; // to the leaf, at most
const RADIUS = 7;

export function fall(app, draw) {
  const { model, store } = app;
  let began = -1; // when it began, less than 0 where nothing falls
  let depth = 0; // of the leaf that lies deepest
  let each = EACH;
  let timer = 0;

  function begin() {
    const { follow } = store.state;
    if (!follow) return;
    end();
    depth = Math.max(...[...follow.passed.keys()].map((id) => model.depth[id]));
    each = Math.min(EACH, ALL / (depth + 1));
    began = performance.now();
    step();
  }

  // What is reached is told by the state, so that all pictures show it.
  function step() {
    const at = level();
    if (at >= depth) {
      store.set({ reach: Infinity });
      timer = setTimeout(end, each);
      draw();
      return;
    }
    store.set({ reach: at });
    timer = setTimeout(step, began + (at + 1) * each - performance.now());
    draw();
  }

  function end() {
    clearTimeout(timer);
    began = -1;
    store.set({ reach: Infinity });
    draw();
  }

  const level = () => (began < 0 ? Infinity : Math.floor((performance.now() - began + 1) / each));
  const now = () => began >= 0;
  const moving = () => now() && !app.still();

  // The balls: one for every part of the row, as large as the part.
  function balls(pen, theme, placeOf, k) {
    const { follow } = store.state;
    if (!follow) return;
    const passed = (performance.now() - began) / each;
    const at = Math.min(depth, Math.floor(passed));
    const part = app.still() || at >= depth ? 0 : Math.max(0, Math.min(1, (passed - at - STOP) / (1 - STOP)));
    const eased = part * part * (3 - 2 * part);
    for (const [id, share] of follow.passed) {
      const [place, up] = [placeOf(id), placeOf(model.parent[id])];
      if (!place) continue;
      const radius = (RADIUS * Math.sqrt(share)) / Math.min(1, k);
      const rests = model.depth[id] === at && (part === 0 || ends(follow, id));
      if (rests || (ends(follow, id) && model.depth[id] < at)) ball(pen, theme, place.x, place.y, radius);
      else if (up && model.depth[id] === at + 1 && part > 0) {
        const [x, y] = along(up.x, up.y + up.card.height, place.x, place.y, eased);
        ball(pen, theme, x, y, radius);
      }
    }
  }

  const ends = (follow, id) => follow.ends.some(([end]) => end === id);

  function ball(pen, theme, x, y, radius) {
    pen.dot(x, y, radius + 2, theme.card);
    pen.dot(x, y, radius, theme.mark);
  }

  // A point of the line between two cards, which leaves and arrives upright.
  function along(x0, y0, x1, y1, t) {
    const [middle, s] = [(y0 + y1) / 2, 1 - t];
    const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    return [x0 * (a + b) + x1 * (c + d), y0 * a + middle * (b + c) + y1 * d];
  }

  store.on(["row", "size"], () => now() && end());
  return { begin, draw: balls, moving, now };
}
