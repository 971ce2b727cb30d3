// The close-up: cards joined by lines, of the nodes that are opened. Only what is in view is drawn.
import { LEAST, watch, zoomed } from "./camera.js";
import { FAR, OUTLINE, cardMaker } from "./cards.js";
import { canvasOf, onFrame } from "./dom.js";
import { joints } from "./joints.js";
import { fall } from "./fall.js";
import { drawLabels } from "./labels.js";
import { levelTops, tidy } from "./layout.js";
import { drawLegend } from "./legend.js";
import { canvasPen, svgPen } from "./pen.js";
import { ruleListLayout } from "./rule_list_layout.js";
import { openAtStart } from "./start.js";

const GAP = 18;
const DROP = 40; // between levels
const MARGIN = 20;
const ASIDE = 44; // what the buttons at the right take, or below, where there is little width
const NARROW = 520;
const LEGIBLE = 0.5; // the scale below which a section is shown instead of all
const MOVE = 260; // milliseconds
const MANY = 500; // changes beyond which nothing moves

export function closeUp(box, app) {
  const { model, store } = app;
  const draw = onFrame(paint);
  const size = canvasOf(box, () => {
    box.parentElement.classList.toggle("narrow", narrow());
    if (!placed && size.width > 0) start();
    else if (placed && size.width > 0) resized();
    draw();
  });
  const context = size.pen;
  const cards = cardMaker(model, measure);
  const { knob, edgeLabel, ruleLine } = joints(app, cards, measure, GAP);
  let places = new Map(); // of the nodes that are drawn: { card, x (middle), y (top) }
  let before = new Map();
  let moving = 0; // when the move began
  let camera = { x: 0, y: 0, k: 1 };
  let placed = false;
  let touched = false; // whether the user has moved the view
  let looked = { width: 0, height: 0 }; // the size of the box when the view was last set
  let came = null; // the camera from which a move began
  const widths = new Map(); // of texts, by font

  const falling = fall(app, draw);

  store.on(["opened"], () => {
    if (!placed) return;
    const old = places;
    arrange(true);
    if (!touched && scaleOf(bounds()) >= FAR * 0.7) fit();
    else keepInPlace(old);
  });
  store.on(["size"], () => {
    if (!placed) return;
    const from = { ...camera };
    openFirst();
    arrange(true);
    begin();
    came = moving > 0 ? from : null;
  });
  store.on(["theme", "selected", "follow", "found", "reach"], draw);
  watch(size.canvas, {
    pan: (dx, dy) => move({ ...camera, x: camera.x + dx, y: camera.y + dy }),
    zoom: (factor, x, y) => move(zoomed(camera, factor, x, y)),
    click(x, y) {
      const hit = hitAt(x, y);
      if (hit === null) app.select(-1);
      else if (hit.knob) app.toggle(hit.id);
      else app.select(hit.id, false);
    },
    twice(x, y) {
      const hit = hitAt(x, y);
      if (hit !== null) app.toggle(hit.id);
    },
    hover(x, y) {
      const id = x < 0 ? -1 : (hitAt(x, y)?.id ?? -1);
      app.hint(id, box, id < 0 ? null : onScreen(places.get(id)));
    },
  });

  function measure(text, points, bold) {
    const key = `${bold ? 1 : 0}${points} ${text}`;
    if (!widths.has(key)) {
      context.font = `${bold ? "600 " : ""}${points}px ${app.theme.font}`;
      widths.set(key, context.measureText(text).width);
    }
    return widths.get(key);
  }

  // Nodes in view, parents first, with their children consecutive; then where each stands.
  function arranged(open) {
    const { size: step } = store.state;
    const ids = [0];
    const [first, count] = [[], []];
    for (let i = 0; i < ids.length; i += 1) {
      const id = ids[i];
      first.push(ids.length);
      count.push(open[id] ? model.count(id, step) : 0);
      for (let k = 0; k < count[i]; k += 1) ids.push(model.first[id] + k);
    }
    const below = app.below();
    const made = ids.map((id, i) => cards.cardOf(id, model.count(id, step) === 0, count[i] > 0 ? 0 : below[id]));
    const next = new Map();
    if (model.isRuleList) ruleListLayout(ids, made, next, model);
    else {
      const x = tidy(first, count, made.map((card) => card.width), GAP);
      const tops = levelTops(ids.map((id) => model.depth[id]), made.map((card) => card.height), DROP);
      ids.forEach((id, i) => next.set(id, { card: made[i], x: x[i], y: tops[model.depth[id]] }));
    }
    return [ids, next];
  }

  function arrange(move) {
    const [ids, next] = arranged(store.state.open);
    before = move && placed && changes(places, next) <= MANY && !app.still() ? places : new Map();
    moving = before.size > 0 ? performance.now() : 0;
    came = null;
    places = next;
    app.placed(ids);
    draw();
  }

  // The selected node, else the root, stays where it was on the screen.
  function keepInPlace(old) {
    const { selected } = store.state;
    const id = old.has(selected) && places.has(selected) ? selected : 0;
    const [from, to] = [old.get(id), places.get(id)];
    look({ ...camera, x: camera.x + (from.x - to.x) * camera.k, y: camera.y + (from.y - to.y) * camera.k });
  }

  function changes(old, next) {
    let n = 0;
    for (const [id, place] of next) if (old.get(id)?.x !== place.x) n += 1;
    return n;
  }

  function bounds(of = places) {
    const out = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { card, x, y } of of.values()) {
      out[0] = Math.min(out[0], x - card.width / 2);
      out[1] = Math.min(out[1], y);
      out[2] = Math.max(out[2], x + card.width / 2);
      out[3] = Math.max(out[3], y + card.height);
    }
    return out;
  }

  function scaleOf([left, top, right, bottom]) {
    const [west, north, east, south] = room();
    return Math.min(1.15, (size.width - west - east) / (right - left), (size.height - north - south) / (bottom - top));
  }

  // What is kept free at the left, above, at the right and below.
  function room() {
    return narrow() ? [8, MARGIN, 8, ASIDE] : [MARGIN, MARGIN, ASIDE, MARGIN];
  }

  const narrow = () => size.width < NARROW;


  function fit(area = bounds()) {
    const [left, top, right, bottom] = area;
    const [west, north, east, south] = room();
    const scale = Math.max(LEAST, scaleOf(area));
    look({ k: scale, x: (size.width + west - east) / 2 - ((left + right) / 2) * scale, y: Math.max(north, (size.height + north - south - (bottom - top) * scale) / 2) - top * scale });
  }

  // As long as the user has opened or closed nothing, what can be read is open.
  function openFirst() {
    const { state } = store;
    if (placed && state.opened > 0) return;
    const first = openAtStart(model, state.size, (open) => scaleOf(bounds(arranged(open)[1])) >= FAR);
    if (state.opened === 0) state.open.set(first);
    else first.forEach((yes, id) => { state.open[id] |= yes; }); // nodes named by the address are open already
  }

  function start() {
    openFirst();
    arrange(false);
    placed = true;
    looked = { width: size.width, height: size.height };
    begin();
    app.ready();
  }

  // All that is open, unless it would be too small to read; then the root, and what is around it.
  function begin() {
    touched = false;
    fit();
    if (camera.k < (narrow() && !model.isRuleList ? FAR : LEGIBLE)) { // lists are shown whole, so that every rule has its answer beside it
      const root = places.get(0);
      look({ k: FAR, x: size.width / 2 - root.x * FAR, y: MARGIN });
    }
  }

  // What was looked at stays in the middle; the first look is taken anew.
  function resized() {
    if (touched) look({ ...camera, x: camera.x + (size.width - looked.width) / 2, y: camera.y + (size.height - looked.height) / 2 });
    else {
      openFirst();
      arrange(false);
      begin();
    }
    looked = { width: size.width, height: size.height };
  }

  function look(next) {
    camera = next;
    draw();
  }

  function move(next) {
    touched = true;
    look(next);
  }

  // Brings a node into view, at a size one can read.
  function reveal(id) {
    const place = places.get(id);
    if (!place || size.width === 0) return;
    const k = camera.k < 0.28 ? 0.5 : camera.k;
    const [x, y] = [place.x * k, (place.y + place.card.height / 2) * k];
    const [sx, sy] = [x + camera.x, y + camera.y];
    const inside = k === camera.k && sx > 80 && sx < size.width - 80 && sy > 50 && sy < size.height - 50;
    if (!inside) move({ k, x: size.width / 2 - x, y: size.height / 2 - y });
  }

  // Where the row that is followed ends is seen, with no more movement than it takes.
  function follow(id) {
    const place = places.get(id);
    if (!place || size.width === 0) return;
    const { card, x, y } = place;
    const { k } = camera;
    const shift = (from, to, low, high) => (from < low || to - from > high - low ? low - from : to > high ? high - to : 0);
    const [left, top] = [(x - card.width / 2) * k + camera.x, y * k + camera.y];
    look({ k, x: camera.x + shift(left, left + card.width * k, 8, size.width - room()[2]), y: camera.y + shift(top, top + card.height * k, 8, size.height - (narrow() ? ASIDE : 8)) });
  }

  function fitBelow(id) {
    const inside = [...places].filter(([other]) => isBelow(other, id)).map(([, place]) => place);
    if (inside.length === 0) return;
    const left = Math.min(...inside.map(({ card, x }) => x - card.width / 2));
    const right = Math.max(...inside.map(({ card, x }) => x + card.width / 2));
    const bottom = Math.max(...inside.map(({ card, y }) => y + card.height));
    fit([left, places.get(id).y, right, bottom]);
  }

  function isBelow(id, top) {
    let at = id;
    while (at > top) at = model.parent[at];
    return at === top;
  }

  // Where a card stands in the box, in its pixels.
  function onScreen({ card, x, y }) {
    return [(x - card.width / 2) * camera.k + camera.x, y * camera.k + camera.y, (x + card.width / 2) * camera.k + camera.x, (y + card.height) * camera.k + camera.y];
  }

  function hitAt(x, y) {
    const [wx, wy] = [(x - camera.x) / camera.k, (y - camera.y) / camera.k];
    for (const [id, { card, x: middle, y: top }] of places) {
      if (!model.isRuleList && model.count(id, store.state.size) > 0 && Math.hypot(wx - middle, wy - top - card.height) <= 9) return { id, knob: true };
      if (Math.abs(wx - middle) <= card.width / 2 && wy >= top && wy <= top + card.height) return { id, knob: false };
    }
    return null;
  }

  function placeNow(id, fraction) {
    const place = places.get(id);
    if (fraction >= 1) return place;
    let from = before.get(id);
    for (let up = id; !from && model.parent[up] >= 0; ) {
      up = model.parent[up];
      from = before.get(up);
    }
    if (!from) return place;
    return { card: place.card, x: from.x + (place.x - from.x) * fraction, y: from.y + (place.y - from.y) * fraction };
  }

  // Where a node that is no longer shown goes: into the one that took its place.
  function leaving(id, fraction) {
    let up = id;
    while (!places.has(up) && model.parent[up] >= 0) up = model.parent[up];
    const [from, to] = [before.get(id), places.get(up)];
    return to ? { card: from.card, x: from.x + (to.x - from.x) * fraction, y: from.y + (to.y - from.y) * fraction } : null;
  }

  function paint() {
    if (size.width === 0 || !placed) return;
    const fraction = moving ? Math.min(1, (performance.now() - moving) / MOVE) : 1; // of the move
    const eased = fraction * (2 - fraction);
    const { ratio } = size;
    const between = (name) => (came === null || fraction >= 1 ? camera[name] : came[name] + (camera[name] - came[name]) * eased);
    const [cx, cy, k] = [between("x"), between("y"), between("k")];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, size.canvas.width, size.canvas.height);
    context.setTransform(ratio * k, 0, 0, ratio * k, ratio * cx, ratio * cy);
    context.textBaseline = "alphabetic";
    const seen = [-cx / k, -cy / k, (size.width - cx) / k, (size.height - cy) / k];
    const pen = canvasPen(context, app.theme.font);
    if (fraction < 1) {
      context.globalAlpha = 1 - eased;
      for (const id of before.keys()) {
        const place = places.has(id) ? null : leaving(id, eased);
        if (place) cards.draw(pen, app.theme, place.card, place.x - place.card.width / 2, place.y, { scale: k });
      }
      context.globalAlpha = 1;
    }
    const inView = picture(pen, seen, eased, k, true);
    if (falling.now()) falling.draw(pen, app.theme, (id) => places.get(id), k);
    if (fraction < 1 || falling.moving()) draw();
    else {
      moving = 0;
      came = null;
      app.inView(inView.length < places.size ? inView : []);
    }
  }

  // `knobs`: whether nodes can be opened and closed here.
  function picture(pen, [left, top, right, bottom], fraction, k, knobs) {
    const { state } = store;
    const { theme } = app;
    const follow = state.follow ? state.follow.passed : null;
    const share = (id) => (follow && model.depth[id] <= state.reach ? (follow.get(id) ?? 0) : 0);
    const now = new Map();
    for (const id of places.keys()) now.set(id, placeNow(id, fraction));
    for (const [id, place] of now) {
      const up = now.get(model.parent[id]);
      if (!up) continue;
      const [x0, y0] = [up.x, up.y + up.card.height];
      if (Math.max(x0, place.x) < left || Math.min(x0, place.x) > right || place.y < top || y0 > bottom) {
        if (!model.isRuleList) continue;
      }
      const passed = share(id);
      const width = 0.9 + 6 * Math.sqrt(model.weight[id] / (model.weight[0] || 1));
      const color = passed > 0 ? theme.ink : theme.line;
      if (model.isRuleList) ruleLine(pen, id, up, place, width, color, passed);
      else {
        pen.curve(x0, y0, place.x, place.y, Math.max(width, 0.6 / k), color);
        if (k >= OUTLINE) edgeLabel(pen, id, place, passed, k);
      }
    }
    const inView = [];
    const hidden = foundBelow(state.found);
    for (const [id, { card, x, y }] of now) {
      const corner = x - card.width / 2;
      if (corner > right || corner + card.width < left || y > bottom || y + card.height < top) continue;
      inView.push(id);
      const passed = share(id);
      cards.draw(pen, theme, card, corner, y, { selected: id === state.selected, passed, found: state.found?.has(id), hidden: hidden.get(id) ?? 0, dim: follow !== null && passed === 0, scale: k, title: passed > 0 && !card.leaf ? cards.questionFor(card, state.row) : null });
      if (knobs && !model.isRuleList && model.count(id, state.size) > 0 && k >= OUTLINE) knob(pen, x, y + card.height, state.open[id]);
    }
    if (k < OUTLINE) {
      const shown = inView.map((id) => [id, now.get(id).x, now.get(id).y, now.get(id).card.width, now.get(id).card.height]);
      drawLabels(pen, theme, model, k, shown, { size: state.size, passed: share, cards, measure, from: left, to: right - room()[2] / k });
    }
    return inView;
  }

  // How many nodes that were found are hidden below those that are closed.
  function foundBelow(found) {
    const out = new Map();
    for (const id of found ?? []) {
      let at = id;
      while (!places.has(at) && model.parent[at] >= 0) at = model.parent[at];
      if (at !== id) out.set(at, (out.get(at) ?? 0) + 1);
    }
    return out;
  }

  function svg() {
    const pen = svgPen(app.theme.font);
    const [left, top, right, bottom] = bounds();
    const wide = drawLegend(pen, app.theme, model, left, top - 16, measure);
    picture(pen, [-Infinity, -Infinity, Infinity, Infinity], 1, 1, false);
    return pen.document(left - MARGIN, top - MARGIN - 24, Math.max(right - left, wide) + 2 * MARGIN, bottom - top + 2 * MARGIN + 24, app.theme.paper, model.title);
  }

  return {
    arrange, fitBelow, reveal, follow, svg, play: falling.begin, view: () => ({ ...camera, bounds: bounds() }), placeOf: (id) => places.get(id), canvas: size.canvas, testResult: cards.testResult,
    fit() {
      touched = false;
      fit();
    },
    // These nodes in view, if they are not.
    show(ids) {
      const of = new Map(ids.filter((id) => places.has(id)).map((id) => [id, places.get(id)]));
      const all = [...of.values()].map(onScreen);
      if (all.some(([left, top, right, bottom]) => left < 0 || top < 0 || right > size.width || bottom > size.height)) fit(bounds(of));
    },
    zoom: (factor) => move(zoomed(camera, factor, size.width / 2, size.height / 2)),
    pan: (dx, dy) => move({ ...camera, x: camera.x + dx, y: camera.y + dy }),
  };
}
