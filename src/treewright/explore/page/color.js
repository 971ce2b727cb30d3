// Colours: those of the classes are Okabe and Ito's, which colour-blind people can tell apart; all others come from the style sheet.

const CLASSES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
export const OTHERS = "#999999";
export const NUMBERS = "#0072b2";
const ON_DARK = "#5ab4e6"; // the same on a dark ground, so that more is brighter
const NAMES = ["paper", "card", "ink", "grey", "line", "edge", "mark"];

export function classColor(k) {
  return k < CLASSES.length ? CLASSES[k] : OTHERS;
}

export function palette(root) {
  const style = getComputedStyle(root);
  const out = {};
  for (const name of NAMES) out[name] = style.getPropertyValue(`--${name}`).trim();
  out.font = style.fontFamily;
  return out;
}

function channels(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

const blended = new Map();

// Mixes a colour into another: 0 is the ground, 1 the colour. In 64 steps, so that large trees need few texts of colours.
export function blend(ground, color, share) {
  const step = Math.round(64 * Math.min(1, Math.max(0, share)));
  const key = `${ground}${color}${step}`;
  if (!blended.has(key)) {
    const [from, to] = [channels(ground), channels(color)];
    const mixed = from.map((channel, i) => Math.round(channel + ((to[i] - channel) * step) / 64));
    blended.set(key, `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`);
  }
  return blended.get(key);
}

// The colour of numbers on a ground.
export function numbersOn(ground) {
  return channels(ground).reduce((a, b) => a + b, 0) > 382 ? NUMBERS : ON_DARK;
}

// The colour is that of the class, its strength the purity of the node; for numbers, the size of the mean.
export function nodeFill(model, id, ground, least, most) {
  if (model.classes === null) {
    const span = model.highest - model.lowest;
    return blend(ground, numbersOn(ground), span > 0 && !Number.isNaN(model.value[id]) ? least + (most - least) * ((model.value[id] - model.lowest) / span) : least);
  }
  return blend(ground, classColor(model.label[id]), least + (most - least) * model.purity(id));
}

