// Small pictures of the rows of a node on a column, and bars of what lies on a side; canvases are drawn, nothing is laid out.
import { heights } from "./bins.js";
import { NUMBERS, OTHERS, classColor } from "./color.js";
import { make } from "./dom.js";
import { canvasPen } from "./pen.js";

const [WIDE, HIGH] = [132, 34];
const RATIO = 2;

const colorOf = (groups, k, classes) => (classes === null ? NUMBERS : groups < classes.length && k === groups - 1 ? OTHERS : classColor(k));

// A histogram by bins into a box of a pen.
export function drawBins(pen, picture, classes, x, y, width, height) {
  const { groups, counts } = picture;
  const bins = counts.length / groups;
  const totals = Array.from({ length: bins }, (_, b) => total(counts.slice(b * groups, (b + 1) * groups)));
  const tall = heights(totals);
  const wide = width / bins;
  for (let b = 0; b < bins; b += 1) {
    let top = y + height;
    for (let k = 0; k < groups; k += 1) {
      const high = totals[b] > 0 ? (height * tall[b] * counts[b * groups + k]) / totals[b] : 0;
      if (high === 0) continue;
      top -= high;
      pen.rect(x + b * wide, top, wide * 0.9, high, { fill: colorOf(groups, k, classes) });
    }
  }
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);

// A candidate split: the histogram with its threshold, or the levels by branch, with a bar of classes each.
export function candidatePicture(entry, classes, theme) {
  const canvas = make("canvas", { class: "picture", width: WIDE * RATIO, height: HIGH * RATIO, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  context.scale(RATIO, RATIO);
  const pen = canvasPen(context, theme.font);
  const { picture } = entry;
  const floor = HIGH - 7;
  if (picture.levels) drawLevels(pen, entry, classes, theme, floor);
  else {
    drawBins(pen, picture, classes, 0, 1, WIDE, floor - 2);
    pen.rect(0, floor - 0.5, WIDE, 0.75, { fill: theme.grey });
    const [low, high] = picture.ends;
    if (entry.cut !== null && high > low) {
      const at = Math.max(0, Math.min(WIDE, (WIDE * (entry.cut - low)) / (high - low)));
      pen.rect(at - 0.5, 0, 1, floor, { fill: theme.ink });
      pen.shape([[at, floor], [at - 4, HIGH], [at + 4, HIGH]], theme.ink);
    }
  }
  return canvas;
}

function drawLevels(pen, { picture, levels }, classes, theme, floor) {
  const branch = ([code]) => levels[code] ?? 99;
  const ordered = picture.levels.slice().sort((a, b) => branch(a) - branch(b) || a[0] - b[0]);
  const most = Math.max(...ordered.map(([, , counts]) => total(counts)), 1e-300);
  const gaps = ordered.filter((level, k) => k > 0 && branch(level) !== branch(ordered[k - 1])).length;
  const wide = Math.min(20, (WIDE - 7 * gaps) / Math.max(1, ordered.length));
  let x = 0;
  ordered.forEach((level, k) => {
    if (k > 0 && branch(level) !== branch(ordered[k - 1])) x += 7;
    const counts = level[2];
    const high = ((floor - 3) * total(counts)) / most;
    let top = floor - 1;
    counts.forEach((count, group) => {
      const part = total(counts) > 0 ? (high * count) / total(counts) : 0;
      if (part === 0) return;
      top -= part;
      pen.rect(x, top, wide * 0.85, part, { fill: colorOf(picture.groups, group, classes) });
    });
    pen.rect(x, floor + 1, wide * 0.85, 2, { fill: branch(level) % 2 === 0 ? theme.ink : theme.line });
    x += wide;
  });
}

// A bar of classes whose parts can be changed in place: `set(counts)`.
export function classBar(classes) {
  const element = make("span", { class: "parts", "aria-hidden": "true" });
  const parts = classes.map((_, k) => {
    const part = make("span");
    part.style.background = classColor(k);
    return part;
  });
  element.append(...parts);
  return {
    element,
    set(counts) {
      const all = total(counts) || 1;
      counts.forEach((count, k) => { parts[k].style.width = `${(100 * count) / all}%`; });
    },
  };
}
