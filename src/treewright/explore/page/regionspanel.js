// Decision regions: two columns as axes, all others fixed at the row that is followed, or at a typical one. Boxes are exact; where
// numbers derived from several columns are tested the regions are no boxes, and the picture is asked for point by point.
import { blend, classColor, nodeFill, numbersOn } from "./color.js";
import { canvasOf, fill, make, onFrame } from "./dom.js";
import { importances } from "./importance.js";
import { mosaic } from "./mosaic.js";
import { canvasPen } from "./pen.js";
import { apart, ticks } from "./regionscale.js";
import { cell, cut } from "./words.js";

const SMALL = 11;
const UP = 11; // characters of a text at the vertical axis
const PIECE = 7; // how wide a piece of a box is that an equation answers for
const PAD = { right: 12, top: 26, bottom: 40 };

export function regionsPanel(app, tools) {
  const { model, store } = app;
  const axes = [0, 1].map((k) => {
    const select = make("select", { "aria-label": k === 0 ? "across" : "upwards", change: () => chosen() }, ...tools.used.map((j) => make("option", { value: j }, cut(model.names[j], 40))));
    return select;
  });
  let picked = false; // whether the user has chosen the columns
  const plot = make("div", { class: "plot", role: "img", "aria-label": "decision regions" });
  const note = make("p", { class: "quiet" });
  const enough = tools.used.length > 0;
  const box = make("div", {}, enough ? make("div", { class: "actions" }, make("label", {}, "x ", axes[0]), make("label", {}, "y ", axes[1])) : make("p", { class: "quiet" }, "The model asks about no column."), plot, note);
  const draw = onFrame(paint);
  const size = canvasOf(plot, () => draw());
  store.on(["size"], matter);
  store.on(["row", "size", "theme", "tab", "selected"], draw);
  matter();
  plot.addEventListener("click", (event) => {
    if (!enough) return;
    const area = plot.getBoundingClientRect();
    const scales = axes.map((_, k) => scale(k));
    const [px, py] = [event.clientX - area.left, event.clientY - area.top];
    const row = (store.state.row ?? tools.typical()).slice();
    [px, py].forEach((p, k) => {
      const { j, back, unit } = scales[k];
      if (k === 0 || scales[0].j !== j) row[j] = unit(back(p));
    });
    app.follow(row, false);
  });

  function chosen() {
    picked = true;
    draw();
  }

  // The two columns that matter most at this size, as long as no others were chosen.
  function matter() {
    if (picked) return;
    const most = importances(model, tools.used, store.state.size).map(([j]) => j);
    axes.forEach((select, k) => { select.value = String(most[Math.min(k, most.length - 1)] ?? ""); });
  }

  // An axis: its column, its range, and how many levels it has.
  function span(k) {
    const j = Number(axes[k].value);
    const column = model.columns[j];
    const levels = column.levels ? column.levels.length : column.kind === "bool" ? 2 : 0;
    const [low, high] = levels > 0 ? [-0.5, levels - 0.5] : [column.low, column.high];
    return { j, column, low, high, levels };
  }

  function scale(k) {
    const { j, column, low, high, levels } = span(k);
    const [from, to] = k === 0 ? [left(), size.width - PAD.right] : [size.height - PAD.bottom, PAD.top];
    const digits = column.unit ?? 10 ** (Math.floor(Math.log10(high - low)) - 2);
    return {
      j, column, low, high, levels,
      at: (value) => from + ((to - from) * (Math.min(high, Math.max(low, value)) - low)) / (high - low),
      back: (p) => low + ((high - low) * (Math.min(Math.max(from, to), Math.max(Math.min(from, to), p)) - from)) / (to - from),
      unit: (value) => (levels > 0 ? Math.min(levels - 1, Math.max(0, Math.round(value))) : Number((Math.round(value / digits) * digits).toPrecision(12))),
    };
  }

  function paint() {
    if (store.state.tab !== "regions" || size.width === 0 || !enough) return;
    const { theme } = app;
    const [x, y] = [scale(0), scale(1)];
    const one = x.j === y.j; // a single column: a strip
    const fixed = store.state.row ?? tools.typical();
    const context = size.pen;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    context.textBaseline = "alphabetic";
    const pen = canvasPen(context, theme.font);
    const { boxes, divided } = model.derived.any ? pieced(pen, theme, fixed, x, one ? null : y) : tools.regions(fixed, store.state.size, one ? [x.j] : [x.j, y.j]);
    for (const { leaf, spans, found } of boxes) {
      const id = found ? leaf : model.originOf(leaf);
      const [left, right] = [x.at(spans[0][0]), x.at(spans[0][1])];
      const [bottom, top] = one ? [size.height - PAD.bottom, PAD.top] : [y.at(spans[1][0]), y.at(spans[1][1])];
      if (right - left <= 0 || bottom - top <= 0) continue;
      if (model.lines) shaded(pen, theme, fixed, x, one ? null : y, [left, right, top, bottom]);
      pen.rect(left, top, right - left, bottom - top, { fill: model.lines ? null : found ? answerFill(found, theme) : nodeFill(model, id, theme.card, 0.1, 0.62), line: id === store.state.selected ? theme.ink : found ? null : theme.card, width: id === store.state.selected ? 2.5 : 0.5 });
    }
    if (model.doc.rows) points(pen, theme, x, y, one);
    scales(pen, theme, x, y, one);
    if (store.state.row) cross(pen, theme, x.at(fixed[x.j] ?? x.low), one ? size.height / 2 - 10 : y.at(fixed[y.j] ?? y.low));
    const others = tools.used.filter((j) => j !== x.j && j !== y.j);
    const values = others.slice(0, 6).map((j) => `${model.names[j]} ${cell(model.columns[j], fixed[j] ?? null)}`).join(", ");
    fill(note, others.length === 0 ? "The model asks about these columns only." : `Other columns fixed at ${values}${others.length > 6 ? `, and ${others.length - 6} more` : ""}${store.state.row ? "" : " (a typical row)"}. ${divided ? "Where a missing cell goes several ways the heaviest is drawn. " : ""}Click to move the row.`);
  }

  // A box in which an equation answers, piece by piece.
  function shaded(pen, theme, fixed, x, y, [left, right, top, bottom]) {
    const [across, down] = [Math.ceil((right - left) / PIECE), y ? Math.ceil((bottom - top) / PIECE) : 1];
    const [wide, high] = [(right - left) / across, (bottom - top) / down];
    for (let k = 0; k < across * down; k += 1) {
      const [px, py] = [left + (k % across) * wide, top + Math.floor(k / across) * high];
      const row = fixed.slice();
      row[x.j] = cellAt(x, px + wide / 2);
      if (y) row[y.j] = cellAt(y, py + high / 2);
      const [from, up] = [Math.round(px), Math.round(py)]; // whole pixels leave no seams
      pen.rect(from, up, Math.round(px + wide) - from, Math.round(py + high) - up, { fill: answerFill(tools.follow(row, store.state.size), theme) });
    }
  }

  // Regions of any shape: a row for every point that is asked about, and lines between leaves.
  function pieced(pen, theme, fixed, x, y) {
    const [from, up] = [left(), PAD.top];
    const rowAt = (px, py) => {
      const row = fixed.slice();
      row[x.j] = cellAt(x, from + px);
      if (y) row[y.j] = cellAt(y, up + py);
      return row;
    };
    const answers = model.lines || model.doc.votes;
    const color = (leaf, px, py) => (answers ? answerFill(tools.follow(rowAt(px, py), store.state.size), theme) : nodeFill(model, leaf, theme.card, 0.1, 0.62));
    const [width, height] = [size.width - PAD.right - from, size.height - PAD.bottom - up];
    const band = Math.min(x.levels > 0 ? width / x.levels : Infinity, y && y.levels > 0 ? height / y.levels : Infinity);
    for (const { left, top, wide, high, leaves } of mosaic(width, height, band, (px, py) => tools.leafOf(rowAt(px, py), store.state.size))) {
      const border = leaves.length === 1 ? null : leaves.includes(store.state.selected) ? theme.ink : theme.card;
      pen.rect(from + left, up + top, wide, high, { fill: border ?? color(leaves[0], left + wide / 2, top + high / 2) });
    }
    return { boxes: [], divided: model.doc.program.soft.length === 0 && !model.voting && tools.follow(fixed, store.state.size).ends.length > 1 };
  }

  const cellAt = ({ levels, back }, p) => (levels > 0 ? Math.round(back(p)) : back(p));

  // The colour of the answer of several rules, or of an equation.
  function answerFill({ says, label, shares }, theme) {
    if (model.classes === null) return blend(theme.card, numbersOn(theme.card), 0.1 + 0.52 * Math.min(1, Math.max(0, (says - model.lowest) / (model.highest - model.lowest || 1))));
    const k = Math.max(2, model.classes.length);
    return blend(theme.card, classColor(label), 0.1 + 0.52 * Math.max(0, (Math.max(...shares) - 1 / k) / (1 - 1 / k)));
  }

  // Rows of the same level stand side by side.
  const beside = ({ levels }, i, step) => (levels > 0 ? (((i * step) % 61) / 61 - 0.5) * 0.7 : 0);

  function points(pen, theme, x, y, one) {
    const { columns, target } = model.doc.rows;
    columns[x.j].forEach((value, i) => {
      const other = one ? null : columns[y.j][i];
      if (value === null || (!one && other === null)) return;
      const color = target && model.classes !== null ? classColor(target[i]) : theme.ink;
      const [px, py] = [x.at(value + beside(x, i, 37)), one ? size.height / 2 + (((i * 37) % 61) - 30) : y.at(other + beside(y, i, 23))];
      pen.dot(px, py, 3.2, theme.card);
      pen.dot(px, py, 2.4, color);
    });
  }

  function scales(pen, theme, x, y, one) {
    const style = { size: SMALL, fill: theme.grey };
    for (const [p, text] of apart(ticks(x), x.at, wide, 12, 8)) pen.text(p, size.height - PAD.bottom + 15, text, { ...style, anchor: "middle" });
    if (!one) for (const [p, text] of apart(ticks(y), y.at, () => SMALL, UP, 3)) pen.text(left() - 7, p + 3.5, text, { ...style, anchor: "end" });
    pen.text((left() + size.width - PAD.right) / 2, size.height - 6, named(x), { size: 11.5, fill: theme.ink, anchor: "middle" });
    if (!one) pen.text(6, 15, named(y), { size: 11.5, fill: theme.ink });
  }

  // A name as long as there is room for it.
  function named({ column }) {
    let most = column.name.length;
    while (most > 8 && wide(cut(column.name, most), 11.5) > size.width - 20) most -= 1;
    return cut(column.name, most);
  }

  function wide(text, points = SMALL) {
    size.pen.font = `${points}px ${app.theme.font}`;
    return size.pen.measureText(text).width;
  }

  // Where the plot begins: right of the longest text of the vertical axis.
  function left() {
    if (axes[0].value === axes[1].value) return 14;
    const texts = ticks(span(1)).map(([, text]) => wide(cut(text, UP)));
    return Math.min(size.width / 3, Math.max(30, ...texts) + 12);
  }

  function cross(pen, theme, x, y) {
    pen.rect(x - 8, y - 3, 16, 6, { fill: theme.card });
    pen.rect(x - 3, y - 8, 6, 16, { fill: theme.card });
    pen.rect(x - 7, y - 1.5, 14, 3, { fill: theme.ink });
    pen.rect(x - 1.5, y - 7, 3, 14, { fill: theme.ink });
  }

  return { box, draw };
}
