// Decision regions: two columns as axes, all others held at the row that is followed, or at a typical one. Boxes are exact.
import { boxesOf } from "./boxes.js";
import { classColor, nodeFill } from "./color.js";
import { canvasOf, fill, make, onFrame } from "./dom.js";
import { canvasPen } from "./pen.js";
import { cell, cut } from "./words.js";

const PAD = { left: 56, right: 12, top: 26, bottom: 40 };

export function regionsPanel(app, tools) {
  const { model, store } = app;
  const axes = [0, 1].map((k) => {
    const select = make("select", { "aria-label": k === 0 ? "across" : "upwards", change: () => draw() }, ...tools.used.map((j) => make("option", { value: j }, cut(model.names[j], 40))));
    select.value = String(tools.used[Math.min(k, tools.used.length - 1)] ?? "");
    return select;
  });
  const plot = make("div", { class: "plot", role: "img", "aria-label": "decision regions" });
  const note = make("p", { class: "quiet" });
  const enough = tools.used.length > 0;
  const box = make("div", {}, enough ? make("div", { class: "actions" }, make("label", {}, "x ", axes[0]), make("label", {}, "y ", axes[1])) : make("p", { class: "quiet" }, "The model asks about no column."), plot, note);
  const draw = onFrame(paint);
  const size = canvasOf(plot, () => draw());
  store.on(["row", "size", "theme", "tab", "selected"], draw);
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

  function scale(k) {
    const j = Number(axes[k].value);
    const column = model.columns[j];
    const levels = column.levels ? column.levels.length : column.kind === "bool" ? 2 : 0;
    const [low, high] = levels > 0 ? [-0.5, levels - 0.5] : [column.low, column.high];
    const [from, to] = k === 0 ? [PAD.left, size.width - PAD.right] : [size.height - PAD.bottom, PAD.top];
    const digits = 10 ** (Math.floor(Math.log10(high - low)) - 2);
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
    const held = store.state.row ?? tools.typical();
    const context = size.pen;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    context.textBaseline = "alphabetic";
    const pen = canvasPen(context, theme.font);
    const { boxes, divided } = boxesOf(model.programAt(store.state.size), held, one ? [x.j] : [x.j, y.j]);
    for (const { leaf, spans } of boxes) {
      const id = model.originOf(leaf);
      const [left, right] = [x.at(spans[0][0]), x.at(spans[0][1])];
      const [bottom, top] = one ? [size.height - PAD.bottom, PAD.top] : [y.at(spans[1][0]), y.at(spans[1][1])];
      if (right - left <= 0 || bottom - top <= 0) continue;
      pen.rect(left, top, right - left, bottom - top, { fill: nodeFill(model, id, theme.card, 0.1, 0.62), line: id === store.state.selected ? theme.ink : theme.card, width: id === store.state.selected ? 2.5 : 0.5 });
    }
    if (model.doc.rows) points(pen, theme, x, y, one);
    scales(pen, theme, x, y, one);
    if (store.state.row) cross(pen, theme, x.at(held[x.j] ?? x.low), one ? size.height / 2 - 10 : y.at(held[y.j] ?? y.low));
    const others = tools.used.filter((j) => j !== x.j && j !== y.j);
    const said = others.slice(0, 6).map((j) => `${model.names[j]} ${cell(model.columns[j], held[j] ?? null)}`).join(", ");
    fill(note, others.length === 0 ? "The model asks about these columns only." : `Held: ${said}${others.length > 6 ? `, and ${others.length - 6} more` : ""}${store.state.row ? "" : " (a typical row)"}. ${divided ? "Where a missing cell goes several ways the heaviest is drawn. " : ""}Click to move the row.`);
  }

  function points(pen, theme, x, y, one) {
    const { columns, target } = model.doc.rows;
    columns[x.j].forEach((value, i) => {
      const other = one ? null : columns[y.j][i];
      if (value === null || (!one && other === null)) return;
      const color = target && model.classes !== null ? classColor(target[i]) : theme.ink;
      const [px, py] = [x.at(value), one ? size.height / 2 + (((i * 37) % 61) - 30) : y.at(other)];
      pen.dot(px, py, 3.2, theme.card);
      pen.dot(px, py, 2.4, color);
    });
  }

  function scales(pen, theme, x, y, one) {
    const style = { size: 10.5, fill: theme.grey };
    for (const [axis, across] of one ? [[x, true]] : [[x, true], [y, false]]) {
      for (const [value, text] of ticks(axis)) {
        const p = axis.at(value);
        if (across) pen.text(p, size.height - PAD.bottom + 15, cut(text, 12), { ...style, anchor: "middle" });
        else pen.text(PAD.left - 7, p + 3.5, cut(text, 8), { ...style, anchor: "end" });
      }
    }
    pen.text((PAD.left + size.width - PAD.right) / 2, size.height - 6, cut(x.column.name, 40), { size: 11.5, fill: theme.ink, anchor: "middle" });
    if (!one) pen.text(6, 15, cut(y.column.name, 40), { size: 11.5, fill: theme.ink });
  }

  function ticks({ column, low, high, levels }) {
    if (levels > 0) {
      const every = Math.ceil(levels / 8);
      return Array.from({ length: levels }, (_, code) => [code, cell(column, code)]).filter(([code]) => code % every === 0);
    }
    const raw = (high - low) / 4;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.8) ?? raw;
    const out = [];
    for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) out.push([value, cell(column, Number(value.toPrecision(12)))]);
    return out;
  }

  function cross(pen, theme, x, y) {
    pen.rect(x - 8, y - 3, 16, 6, { fill: theme.card });
    pen.rect(x - 3, y - 8, 6, 16, { fill: theme.card });
    pen.rect(x - 7, y - 1.5, 14, 3, { fill: theme.ink });
    pen.rect(x - 1.5, y - 7, 3, 14, { fill: theme.ink });
  }

  return { box, draw };
}
