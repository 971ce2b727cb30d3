// The whole tree at a glance: every node a box as wide as its share of the rows, children below their parent.
// The boxes are drawn once per size of the tree and view; what moves is drawn above them.
import { watch } from "./camera.js";
import { nodeFill } from "./color.js";
import { canvasOf, onFrame } from "./dom.js";
import { canvasPen } from "./pen.js";

const HIGH = 22; // of a level, at most
const LABEL = 46; // narrower boxes have no text
const SIZE = 11;

export function icicle(box, app) {
  const { model, store } = app;
  const { begin, end } = spans(model);
  const levels = byLevel(model, begin);
  const draw = onFrame(paint);
  const size = canvasOf(box, () => redraw());
  const still = document.createElement("canvas"); // the boxes
  const rows = document.createElement("canvas"); // the same, one row of pixels per level
  let fresh = false;
  let fills = { theme: null, of: null }; // colours of nodes, found once per theme
  let view = [0, 1]; // the section of the width that is in view

  store.on(["size", "theme"], redraw);
  store.on(["selected", "follow", "reach", "found", "inView"], draw);
  watch(size.canvas, {
    pan: (dx) => look(view[0] - (dx / size.width) * (view[1] - view[0]), view[1] - (dx / size.width) * (view[1] - view[0])),
    zoom(factor, x) {
      const at = view[0] + (x / size.width) * (view[1] - view[0]);
      look(at - (at - view[0]) / factor, at + (view[1] - at) / factor);
    },
    click(x, y) {
      const id = nodeAt(x, y);
      if (id >= 0) app.select(id);
    },
    twice(x, y) {
      const id = nodeAt(x, y);
      if (id >= 0) look(begin[id], end[id]);
    },
    hover(x, y) {
      const id = x < 0 ? -1 : nodeAt(x, y);
      const top = id < 0 ? 0 : 1 + model.depth[id] * high();
      app.hint(id, box, [x - 60, top, x + 60, size.height], true); // what is below the node stays in sight
    },
  });

  function look(from, to) {
    const wide = Math.min(1, Math.max(1e-7, to - from));
    const start = Math.min(1 - wide, Math.max(0, from));
    view = [start, start + wide];
    redraw();
  }

  function redraw() {
    fresh = false;
    draw();
  }

  const high = () => Math.min(HIGH, (size.height - 2) / (depthNow() + 1));
  const at = (share) => ((share - view[0]) / (view[1] - view[0])) * size.width;

  let deep = { size: -1, depth: 0 };
  function depthNow() {
    if (deep.size !== store.state.size) {
      let depth = 0;
      for (let id = 0; id < model.n; id += 1) if (shown(id)) depth = Math.max(depth, model.depth[id]);
      deep = { size: store.state.size, depth };
    }
    return deep.depth;
  }

  function shown(id) {
    return id === 0 || model.count(model.parent[id], store.state.size) > 0;
  }

  // The colour of a node as a pixel.
  function pixelOf(id) {
    if (fills.theme !== app.theme) fills = { theme: app.theme, of: new Uint32Array(model.n) };
    if (fills.of[id] === 0) {
      const [red, green, blue] = [1, 3, 5].map((from) => parseInt(nodeFill(model, id, app.theme.card, 0.05, model.classes === null ? 0.62 : 0.7).slice(from, from + 2), 16));
      fills.of[id] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    }
    return fills.of[id];
  }

  // Every level is a row of pixels, drawn as high as it is to be: large trees have more boxes than a frame has time for.
  function paintBoxes() {
    const { theme } = app;
    const { ratio } = size;
    still.width = size.canvas.width;
    still.height = size.canvas.height;
    const context = still.getContext("2d");
    const tall = high();
    const wide = still.width;
    const image = new ImageData(wide, levels.length);
    const pixels = new Uint32Array(image.data.buffer);
    const named = [];
    levels.forEach((ids, depth) => {
      let last = -1; // the last pixel that is taken: narrower boxes share one
      for (let i = firstIn(ids, view[0]); i < ids.length && begin[ids[i]] < view[1]; i += 1) {
        const id = ids[i];
        if (!shown(id)) continue;
        const [from, to] = [Math.max(0, at(begin[id]) * ratio), Math.min(wide, at(end[id]) * ratio)];
        const pixel = Math.floor(from);
        if (to <= from) continue;
        if (to - from < 1 && pixel === last) {
          // Whatever else begins and ends in this pixel is not seen.
          i = Math.max(i, firstIn(ids, view[0] + ((pixel + 1) / wide) * (view[1] - view[0])) - 1);
          continue;
        }
        last = pixel;
        const stop = Math.max(pixel + 1, Math.round(to) - (to - from > 3 * ratio ? 1 : 0));
        pixels.fill(pixelOf(id), depth * wide + pixel, depth * wide + Math.min(wide, stop));
        if ((to - from) / ratio >= LABEL && tall >= SIZE + 2) named.push(id);
      }
    });
    rows.width = wide;
    rows.height = levels.length;
    rows.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(rows, 0, 0, wide, levels.length, 0, ratio, wide, levels.length * tall * ratio);
    if (tall > 6) for (let depth = 1; depth <= levels.length; depth += 1) context.clearRect(0, (1 + depth * tall - 0.75) * ratio, wide, 0.75 * ratio);
    context.scale(ratio, ratio);
    context.textBaseline = "middle";
    const pen = canvasPen(context, theme.font);
    for (const id of named) {
      const x = Math.max(-2, at(begin[id]));
      pen.text(x + 4, 1 + (model.depth[id] + 0.5) * tall, label(context, id, Math.min(size.width + 2, at(end[id])) - x - 8), { size: SIZE, fill: theme.ink });
    }
    fresh = true;
  }

  function label(context, id, room) {
    const text = model.count(id, store.state.size) > 0 ? model.question(id) : model.answer(id);
    context.font = `${SIZE}px ${app.theme.font}`;
    const wide = context.measureText(text).width;
    if (wide <= room) return text;
    const keep = Math.floor((text.length * room) / wide) - 1;
    return keep < 3 ? "" : `${text.slice(0, keep)}…`;
  }

  function firstIn(ids, from) {
    let [low, top] = [0, ids.length];
    while (low < top) {
      const middle = (low + top) >>> 1;
      if (end[ids[middle]] <= from) low = middle + 1;
      else top = middle;
    }
    return low;
  }

  function paint() {
    if (size.width === 0) return;
    const { state } = store;
    if (!fresh) paintBoxes();
    const { pen: context } = size;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, size.canvas.width, size.canvas.height);
    context.globalAlpha = state.follow ? 0.6 : 1;
    context.drawImage(still, 0, 0);
    context.globalAlpha = 1;
    context.scale(size.ratio, size.ratio);
    const { theme } = app;
    if (high() >= 5) for (const id of state.inView) outline(context, id, theme.grey, 1); // thinner levels would be all outlines
    if (state.found) for (const id of state.found) outline(context, id, theme.mark, 1.5);
    if (state.follow) {
      // In a list only what decides: all rules before it were tested as well.
      const ends = new Set(state.follow.ends.map(([id]) => id));
      for (const [id, share] of state.follow.passed) if (model.depth[id] <= state.reach && (!model.isRuleList || ends.has(id))) outline(context, id, theme.ink, share < 1 ? 1.5 : 2.25, true);
    }
    if (state.selected >= 0) outline(context, state.selected, theme.ink, 2.5);
  }

  function outline(context, id, color, width, bright = false) {
    if (!shown(id)) return;
    const [x, wide] = [at(begin[id]), Math.max(2, at(end[id]) - at(begin[id]))];
    if (x + wide < 0 || x > size.width) return;
    const tall = high();
    if (bright) { // as it was drawn, before all was dimmed
      const [left, right, top] = [Math.max(0, x), Math.min(size.width, x + wide), 1 + model.depth[id] * tall];
      const area = [left, top, right - left, tall];
      context.clearRect(...area);
      context.drawImage(still, ...area.map((value) => value * size.ratio), ...area);
    }
    context.strokeStyle = color;
    context.lineWidth = width;
    context.strokeRect(x, 1 + model.depth[id] * tall, wide, tall);
  }

  function nodeAt(x, y) {
    const depth = Math.floor((y - 1) / high());
    const where = view[0] + (x / size.width) * (view[1] - view[0]);
    if (depth < 0 || depth >= levels.length) return -1;
    const ids = levels[depth];
    for (let i = firstIn(ids, where); i < ids.length && begin[ids[i]] <= where; i += 1) if (shown(ids[i]) && end[ids[i]] > where) return ids[i];
    return -1;
  }

  return { redraw, wanted: () => Math.min(170, Math.max(46, (Math.min(model.deepest, depthNow() + 1) + 1) * HIGH + 2)) };
}

// Where nodes begin and end, as shares of the width.
function spans(model) {
  const begin = new Float64Array(model.n);
  const end = new Float64Array(model.n);
  end[0] = 1;
  for (let id = 0; id < model.n; id += 1) {
    const [from, n] = [model.first[id], model.branches[id]];
    let total = 0;
    for (let child = from; child < from + n; child += 1) total += model.weight[child];
    let at = begin[id];
    for (let child = from; child < from + n; child += 1) {
      begin[child] = at;
      at += total > 0 ? ((end[id] - begin[id]) * model.weight[child]) / total : 0;
      end[child] = at;
    }
  }
  return { begin, end };
}

function byLevel(model, begin) {
  const levels = Array.from({ length: model.deepest + 1 }, () => []);
  for (let id = 0; id < model.n; id += 1) levels[model.depth[id]].push(id);
  return levels.map((ids) => Int32Array.from(ids).sort((a, b) => begin[a] - begin[b] || a - b));
}
