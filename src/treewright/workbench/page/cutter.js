// A threshold that is dragged over the histogram of a column: both sides follow at once, from sums that were sent beforehand.
import { canvasOf, make, onFrame } from "./dom.js";
import { falls, nearest, sides } from "./reduction.js";
import { canvasPen } from "./pen.js";
import { drawBins } from "./pictures.js";
import { sidesView, sideText } from "./sidesview.js";
import { cut, grouped, number } from "./words.js";

const PAD = 10;
const FLOOR = 20; // below the histogram: the handle
const CURVE = 22; // above it: how much each threshold reduces the impurity

// `told`: the column as the server tells it; `begin`: the threshold to begin with, else the best; `changed(cut)` is called while it moves.
export function cutter(app, name, told, begin, changed) {
  const { model } = app;
  const reduced = falls(told, model.doc.criterion);
  const known = reduced.length > 0 && reduced[0] !== null;
  const best = known ? reduced.indexOf(Math.max(...reduced)) : Math.floor(told.cuts.length / 2);
  let at = begin === null || begin === undefined ? best : nearest(told.cuts, begin);
  const track = make("div", { class: "cut", role: "slider", tabindex: 0, "aria-label": `threshold of ${name}`, "aria-valuemin": 0, "aria-valuemax": told.cuts.length - 1 });
  const exactly = make("input", { type: "number", step: "any", "aria-label": `threshold of ${name}, exactly`, change: typed });
  const gain = make("span", { class: "quiet" });
  const view = sidesView(model);
  const element = make("div", { class: "cutter" }, track, make("div", { class: "actions" }, told.kind === "number" ? make("label", {}, "cut at", exactly) : null, gain), view.element);
  const draw = onFrame(paint);
  const size = canvasOf(track, draw);
  const [low, high] = told.picture.ends;
  const signs = told.less ? ["<", "≥"] : ["≤", ">"];

  const x = (value) => PAD + (high > low ? (value - low) / (high - low) : 0.5) * (size.width - 2 * PAD);
  const titles = (text) => signs.map((sign) => `${cut(name, 34)} ${sign} ${text}`);

  function set(next, shown = null) {
    at = Math.max(0, Math.min(told.cuts.length - 1, next));
    const parts = sides(told, at);
    const text = shown ?? told.texts[at];
    view.show(titles(text), parts);
    if (shown === null) exactly.value = String(Number(told.cuts[at].toPrecision(7)));
    gain.textContent = gainText();
    track.setAttribute("aria-valuenow", String(at));
    track.setAttribute("aria-valuetext", `${titles(text)[0]}: ${sideText(model, parts[0])}; otherwise ${sideText(model, parts[1])}${known ? `; ${gainText()}` : ""}`);
    changed(told.cuts[at]);
    draw();
  }

  function gainText() {
    if (!known) return told.missing > 0 ? `${grouped(number(told.missing))} rows have no value` : "";
    const text = `reduces ${model.doc.criterion} by ${number(reduced[at], 3)}${at === best ? ", the most" : ""}`;
    return told.missing > 0 ? `${text} (${grouped(number(told.missing))} rows have no value)` : text;
  }

  // A threshold that is typed is taken as it is.
  function typed() {
    const value = Number(exactly.value);
    if (exactly.value === "" || !Number.isFinite(value)) {
      set(at);
      return;
    }
    set(lastBelow(value), String(value));
    changed(value);
  }

  // The threshold with the same rows below it, among those that were sent.
  function lastBelow(value) {
    let found = 0;
    told.below.forEach((cell, k) => { if (told.less ? cell < value : cell <= value) found = k; });
    return found;
  }

  function paint() {
    if (size.width === 0) return;
    const { theme } = app;
    const context = size.pen;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    context.textBaseline = "alphabetic";
    const pen = canvasPen(context, theme.font);
    const floor = size.height - FLOOR;
    drawBins(pen, told.picture, model.classes, PAD, CURVE, size.width - 2 * PAD, floor - CURVE);
    pen.rect(PAD, floor, size.width - 2 * PAD, 1, { fill: theme.grey });
    if (known) curve(pen, theme);
    const here = x(told.cuts[at]);
    pen.rect(PAD, CURVE - 4, Math.max(0, here - PAD), floor - CURVE + 4, { fill: `${theme.ink}14` });
    pen.rect(here - 1, 0, 2, floor, { fill: theme.ink });
    pen.dot(here, floor + 7, 7, theme.ink);
    pen.dot(here, floor + 7, 4, theme.card);
    const [left, right] = told.ends;
    pen.text(PAD, size.height - 1, left, { size: 10.5, fill: theme.grey });
    pen.text(size.width - PAD, size.height - 1, right, { size: 10.5, fill: theme.grey, anchor: "end" });
  }

  function curve(pen, theme) {
    const most = Math.max(...reduced) || 1;
    const points = reduced.map((value, k) => [x(told.cuts[k]), CURVE - 2 - ((CURVE - 6) * value) / most]);
    if (points.length > 1) pen.shape(points, null, theme.mark, 1.3);
    pen.dot(...points[best], 2.5, theme.mark);
  }

  let dragging = false;
  const to = (event) => {
    const left = track.getBoundingClientRect().left;
    const value = low + ((event.clientX - left - PAD) / Math.max(1, size.width - 2 * PAD)) * (high - low);
    const next = nearest(told.cuts, value);
    if (next !== at) set(next);
  };
  track.addEventListener("pointerdown", (event) => {
    dragging = true;
    track.setPointerCapture(event.pointerId);
    to(event);
  });
  track.addEventListener("pointermove", (event) => dragging && to(event));
  for (const end of ["pointerup", "pointercancel"]) track.addEventListener(end, () => { dragging = false; });
  track.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = Math.max(1, Math.round(told.cuts.length / 10));
    const next = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, PageUp: at + far, PageDown: at - far, Home: 0, End: told.cuts.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(next);
  });

  set(at);
  return { element, set, paint, value: () => told.cuts[at] };
}
