// Which colour is which class, or which number: above the pictures, and in those that are saved.
import { OTHERS, blend, classColor, numbersOn } from "./color.js";
import { swatch } from "./panels.js";
import { make } from "./dom.js";
import { grouped, number } from "./words.js";

const STEPS = 24;

// The colours of the classes that occur, and their names; further ones together.
function classes(model) {
  const present = model.mix(0).map(([k]) => k);
  const named = present.filter((k) => classColor(k) !== OTHERS);
  const out = named.map((k) => [classColor(k), model.classes[k]]);
  return named.length < present.length ? [...out, [OTHERS, `${present.length - named.length} more classes`]] : out;
}

const text = (value) => grouped(number(value, 3));
const ends = (model) => [model.lowest, (model.lowest + model.highest) / 2, model.highest];
const shows = (model) => (model.doc.vectors ? `${model.target}, the first number` : model.target);

export function legendElement(model) {
  const more = make("span", { class: "quiet" }, "width = rows");
  if (model.classes !== null) return make("div", { class: "legend", "aria-label": "classes" }, make("span", { class: "quiet" }, model.target), ...classes(model).map(([color, name]) => make("span", {}, swatch(color), name)), more);
  const scale = model.highest > model.lowest ? [make("span", { class: "ramp" }, make("span", { class: "scale" }), make("span", { class: "ends" }, ...ends(model).map((value) => make("span", {}, text(value)))))] : []; // empty where means are unknown
  return make("div", { class: "legend", "aria-label": "colours" }, make("span", { class: "quiet" }, `mean of ${shows(model)}`), ...scale, more);
}

// The same drawn by a pen; returns how wide it is.
export function drawLegend(pen, theme, model, x, y, measure) {
  const style = { size: 12, fill: theme.ink };
  const write = (content) => {
    pen.text(x, y, content, style);
    x += measure(content, 12, false) + 14;
  };
  const from = x;
  write(model.classes === null ? `mean of ${shows(model)}` : model.target);
  if (model.classes !== null) {
    for (const [color, name] of classes(model)) {
      pen.rect(x, y - 9, 10, 10, { fill: color, round: 3 });
      x += 15;
      write(name);
    }
  } else if (model.highest > model.lowest) {
    const [low, , high] = ends(model).map(text);
    write(low);
    for (let k = 0; k < STEPS; k += 1) pen.rect(x - 8 + 4 * k, y - 9, 4.3, 11, { fill: blend(theme.card, numbersOn(theme.card), 0.05 + (0.57 * k) / (STEPS - 1)) });
    x += 4 * STEPS;
    write(high);
  }
  write("lines as wide as rows are many");
  return x - from;
}
