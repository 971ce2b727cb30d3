// The plot inside a card: how the rows of a node lie on what it asks about, and which way each part of it goes.
import { heights } from "./bins.js";
import { NUMBERS, blend, classColor, numbersOn } from "./color.js";

const CLASSES = 20; // height of a histogram
const NUMBER = 38; // the same where the target is a number: a grid of its values
const FOOT = 8; // below: wedges at thresholds, or a line under the bars of every branch
const LINE = 17; // of the text that names levels
const APART = 5; // between bars of different branches

export function plotMaker(model, measure, shortened) {
  const orders = new Map();

  // Bars of levels stand by branch, the tallest first, and only levels that have rows; others stay as they are.
  function orderOf(id, totals) {
    if (model.tested(id).kind !== "nominal") return null;
    if (!orders.has(id)) {
      const branch = new Map();
      for (let b = 0; b < model.branches[id]; b += 1) for (const code of model.levelsTo(id, b)) branch.set(code, b);
      const codes = totals.map((_, code) => code).filter((code) => totals[code] > 0 && branch.has(code));
      codes.sort((a, b) => branch.get(a) - branch.get(b) || totals[b] - totals[a] || a - b);
      orders.set(id, { codes, branch });
    }
    return orders.get(id);
  }

  function table(plot) {
    const [, , groups, counts] = plot;
    const bins = counts.length / groups;
    return Array.from({ length: bins }, (_, b) => counts.slice(b * groups, (b + 1) * groups));
  }

  const ofNumbers = (plot) => plot.length > 4;
  const totalsOf = (rows) => rows.map((row) => row.reduce((sum, n) => sum + n, 0));

  // A line for each of two branches that names its tallest levels; nothing where the question names them all.
  function names(id, plot, whole) {
    const order = whole || model.branches[id] !== 2 ? null : orderOf(id, totalsOf(table(plot)));
    if (!order) return [];
    return [0, 1].map((b) => ({ b, codes: order.codes.filter((code) => order.branch.get(code) === b) })).filter(({ codes }) => codes.length > 0);
  }

  // The names of a branch, as many as there is room for.
  function named(id, { b, codes }, room, size) {
    const { levels, plain } = model.tested(id);
    const head = `${model.branch(id, b)}: `;
    for (let keep = codes.length; keep > 1; keep -= 1) {
      const rest = codes.length - keep;
      const text = `${head}${codes.slice(0, keep).map((code) => (plain ?? levels)[code]).join(", ")}${rest > 0 ? ` + ${rest}` : ""}`;
      if (measure(text, size, false) <= room) return text;
    }
    const rest = codes.length > 1 ? ` + ${codes.length - 1}` : "";
    return `${shortened(head + (plain ?? levels)[codes[0]], room - measure(rest, size, false), size, false)}${rest}`;
  }

  const height = (id, plot, whole) => (ofNumbers(plot) ? NUMBER : CLASSES) + FOOT + LINE * names(id, plot, whole).length;

  // Where bars stand: [left, right] of each, and those of every branch together.
  function places(id, rows, x, width) {
    const order = orderOf(id, totalsOf(rows));
    if (order === null) return { bars: rows.map((_, b) => [b, x + (width * b) / rows.length, x + (width * (b + 1)) / rows.length]), spans: null };
    const { codes, branch } = order;
    const turns = codes.filter((code, i) => i > 0 && branch.get(code) !== branch.get(codes[i - 1])).length;
    const wide = Math.min(26, (width - APART * turns) / Math.max(1, codes.length));
    const spans = new Map();
    let at = x;
    const bars = codes.map((code, i) => {
      if (i > 0 && branch.get(code) !== branch.get(codes[i - 1])) at += APART;
      const bar = [code, at, at + wide];
      const b = branch.get(code);
      spans.set(b, [spans.get(b)?.[0] ?? at, at + wide]);
      at += wide;
      return bar;
    });
    return { bars, spans };
  }

  function draw(pen, theme, { id, plot, whole }, x, y, width, size) {
    const rows = table(plot);
    const { bars, spans } = places(id, rows, x, width);
    const tall = ofNumbers(plot) ? NUMBER : CLASSES;
    if (ofNumbers(plot)) grid(pen, theme, id, plot, rows, bars, spans, x, y, width);
    else stacks(pen, rows, bars, y, plot[2] > 1);
    const floor = y + tall;
    if (spans === null) {
      pen.rect(x, floor, width, 0.75, { fill: theme.grey });
      for (const at of cutsAt(id, plot, x, width)) pen.shape([[at, floor], [at - 3.5, floor + 6], [at + 3.5, floor + 6]], theme.ink);
      return;
    }
    for (const [b, [from, to]] of spans) way(pen, theme, b, from, to, floor + 1.5);
    names(id, plot, whole).forEach((one, k) => {
      const at = floor + FOOT + LINE * k;
      way(pen, theme, one.b, x, x + 8, at + 6);
      pen.text(x + 13, at + 11, named(id, one, width - 13, size), { size, fill: theme.ink });
    });
  }

  // The first branch has a full line under its bars, the second a hollow one, further ones in turn.
  function way(pen, theme, b, from, to, y) {
    if (b % 2 === 0) pen.rect(from, y, to - from - 0.5, 3.5, { fill: theme.ink });
    else pen.rect(from + 0.5, y + 0.5, to - from - 1.5, 2.5, { fill: theme.card, line: theme.ink, width: 0.8 });
  }

  function stacks(pen, rows, bars, y, colored) {
    const totals = totalsOf(rows);
    const tall = heights(bars.map(([bin]) => totals[bin]));
    bars.forEach(([bin, from, to], i) => {
      let top = y + CLASSES;
      rows[bin].forEach((n, k) => {
        const high = totals[bin] > 0 ? (CLASSES * tall[i] * n) / totals[bin] : 0;
        if (high === 0) return;
        top -= high;
        pen.rect(from, top, (to - from) * 0.88, high, { fill: colored ? classColor(k) : NUMBERS });
      });
    });
  }

  // The target upwards, rows as strength of colour, and the mean of every branch as a line over its part of the column.
  function grid(pen, theme, id, plot, rows, bars, spans, x, y, width) {
    const [low, high, groups, , least, most] = plot;
    const peak = Math.max(...plot[3], 1);
    const high1 = NUMBER / groups;
    pen.rect(x, y, width, NUMBER, { fill: theme.card });
    for (const [bin, from, to] of bars) {
      rows[bin].forEach((n, k) => {
        if (n > 0) pen.rect(from, y + NUMBER - (k + 1) * high1, to - from - 0.4, high1 - 0.4, { fill: blend(theme.card, numbersOn(theme.card), 0.18 + 0.72 * Math.sqrt(n / peak)) });
      });
    }
    const cuts = cutsAt(id, plot, x, width);
    for (let b = 0; b < model.branches[id]; b += 1) {
      const mean = model.value[model.first[id] + b];
      const part = spans !== null ? spans.get(b) : b <= cuts.length ? [b > 0 ? cuts[b - 1] : x, b < cuts.length ? cuts[b] : x + width] : null;
      if (!part || Number.isNaN(mean)) continue;
      const at = y + NUMBER * (1 - Math.min(1, Math.max(0, (mean - least) / (most - least))));
      const [from, to] = part.map((p) => Math.min(x + width, Math.max(x, p)));
      pen.rect(from, at - 2, to - from, 4, { fill: theme.card });
      pen.rect(from, at - 1, to - from, 2, { fill: theme.ink });
    }
  }

  function cutsAt(id, [low, high], x, width) {
    const out = [];
    if (model.tested(id).kind !== "nominal") {
      for (let k = 0; k < model.cutsOf(id); k += 1) out.push(x + (width * (model.cutAt(id, k) - low)) / (high - low));
    }
    return out.filter((at) => at >= x && at <= x + width);
  }

  return { height, draw };
}
