// A row that is followed: its cells can be changed, and the answer, its reasons and what would change it are updated.
import { heights } from "./bins.js";
import { NUMBERS, classColor } from "./color.js";
import { button, fill, make } from "./dom.js";
import { meter, outputs, swatch } from "./panels.js";
import { cell, grouped, number, share } from "./words.js";

const LISTED = 300; // levels in a list; more are typed
const SHOWN = 40; // columns
const MISTAKES = 60; // rows that are listed
const OUTPUTS = 3; // of several numbers, and of columns that move each

export function rowPanel(app, tools) {
  const { model, store } = app;
  const answer = make("div", { class: "answer", "aria-live": "polite" });
  const whatIf = make("div");
  const reasons = make("div");
  const wrong = make("div");
  const cells = make("div", { class: "cells" });
  const fields = tools.used.slice(0, SHOWN).map((j) => field(j));
  fill(cells, ...fields.map(({ element }) => element));
  if (tools.used.length > SHOWN) cells.append(make("p", { class: "quiet" }, `… ${tools.used.length - SHOWN} more columns stay as they are`));
  const box = make("div", { class: "row" }, pick(), answer, whatIf, make("h3", { class: "ask" }, "What if"), cells, reasons, wrong);
  store.on(["row", "follow", "size", "tab"], show);

  function pick() {
    const { rows } = model.doc;
    const out = make("div", { class: "actions" },
      rows ? button("Typical", "a typical row", () => app.pickRow(1 + tools.medoid())) : button("Typical", "a typical row", () => app.follow(tools.typical())),
      button("Random", "a random row (r)", () => app.randomRow()),
      button("▶", "play: let the row fall through the tree (p)", () => app.play()),
      button("Stop", "follow no row (Esc)", () => app.follow(null)));
    if (rows) {
      const input = make("input", { type: "number", min: 1, max: rows.number.length, "aria-label": "row of the table", placeholder: "row", change: () => app.pickRow(Number(input.value)) });
      out.prepend(input);
    }
    return out;
  }

  // Which row it is: one of the table, or a composed one.
  function origin() {
    const { rows } = model.doc;
    const { row } = store.state;
    if (rows) {
      const at = rows.number.findIndex((_, i) => rows.columns.every((column, j) => column[i] === (row[j] ?? null)));
      if (at < 0) return "a row of the table with changed cells";
      const told = rows.target ? `, actual ${model.classes === null ? grouped(number(rows.target[at])) : model.classes[rows.target[at]]}` : "";
      return `row ${rows.number[at]} of the table${told}`;
    }
    const same = tools.typical().every((x, j) => (x ?? null) === (row[j] ?? null));
    if (!same) return "a composed row: no row of the data is in the page";
    return model.doc.typical ? "a composed row: medians and most common levels of the leaf that holds most rows" : "a composed row: medians and most common levels";
  }

  // The rows that the model gets wrong, as buttons.
  function mistakes() {
    if (!model.doc.rows?.target || model.outputs.length > 0) return [];
    const found = tools.wrong(store.state.size);
    if (found.length === 0) return [make("p", { class: "quiet" }, model.classes === null ? "No row of the page is off." : "No row of the page is misclassified.")];
    const list = found.slice(0, MISTAKES).map((at) => make("button", { type: "button", title: `follow row ${model.doc.rows.number[at]}`, click: () => app.pickRow(1 + at) }, String(model.doc.rows.number[at])));
    if (model.classes === null) return [make("h3", {}, "Rows that are furthest off"), make("div", { class: "actions mistakes" }, ...list)];
    return [make("h3", {}, `Misclassified rows (${found.length}${found.length > MISTAKES ? `, the first ${MISTAKES}` : ""})`), make("div", { class: "actions mistakes" }, ...list)];
  }

  function field(j) {
    const column = model.columns[j];
    const missing = make("button", { type: "button", class: "missing", "aria-pressed": "false", "aria-label": `${column.name} missing`, title: "missing", click: () => app.change(j, store.state.row?.[j] === null ? tools.typical()[j] : null) }, "∅");
    const control = column.levels || column.kind === "bool" ? choice(j, column) : range(j, column);
    const mark = make("span", { class: "used", "aria-hidden": "true" });
    const element = make("div", { class: "cell" }, make("span", { class: "name", title: column.name }, column.name, mark), ...control.elements, missing);
    return {
      j, element,
      set(x, used) {
        control.set(x);
        missing.setAttribute("aria-pressed", String(x === null));
        mark.textContent = used ? " used" : "";
      },
    };
  }

  function choice(j, column) {
    const names = column.plain ?? ["False", "True"];
    const codes = column.levels ? model.doc.program.columns[j][3].map(([code]) => code) : [0, 1];
    if (codes.length > LISTED) {
      const input = make("input", { type: "text", "aria-label": column.name, change: () => app.change(j, Math.max(-1, names.indexOf(input.value)) < 0 ? null : names.indexOf(input.value)) });
      return { elements: [input], set: (x) => { input.value = x === null ? "" : names[x]; } };
    }
    const select = make("select", { "aria-label": column.name, change: () => app.change(j, select.value === "" ? null : Number(select.value)) },
      make("option", { value: "" }, "missing"), ...codes.map((code) => make("option", { value: code }, names[code])));
    return { elements: [select], set: (x) => { select.value = x === null ? "" : String(x); } };
  }

  function range(j, column) {
    const step = column.unit ?? 10 ** (Math.floor(Math.log10(column.high - column.low || 1)) - 2);
    const slider = make("input", { type: "range", min: column.low, max: column.high, step: "any", "aria-label": column.name, input: () => app.change(j, Number((Math.round(Number(slider.value) / step) * step).toPrecision(12))) });
    const plot = column.bins ? bins(column) : null;
    const numeric = column.kind === "number";
    const text = numeric
      ? make("input", { type: "number", step: "any", "aria-label": `${column.name}, exactly`, change: () => app.change(j, text.value === "" ? null : Number(text.value)) })
      : make("output", {});
    return {
      elements: [make("span", { class: "range" }, plot, slider), text],
      set(x) {
        if (x !== null) slider.value = x;
        slider.setAttribute("aria-valuetext", cell(column, x));
        if (document.activeElement !== text) text.value = x === null ? "" : numeric ? String(x) : cell(column, x);
      },
    };
  }

  function bins(column) {
    const out = make("span", { class: "bins", "aria-hidden": "true" });
    for (const tall of heights(column.bins)) {
      const bar = make("span");
      bar.style.height = `${100 * tall}%`;
      out.append(bar);
    }
    return out;
  }

  function show() {
    if (store.state.tab !== "row") return;
    const { row, follow, size } = store.state;
    if (store.state.tab === "row") fill(wrong, ...mistakes());
    cells.hidden = row === null;
    box.querySelector(".ask").hidden = row === null;
    if (row === null) {
      fill(answer, make("p", { class: "quiet" }, "Follow a row through the tree: choose one, then change its cells."));
      fill(reasons);
      fill(whatIf);
      return;
    }
    const tested = new Set(follow.steps.flatMap((step) => model.derived.columnsOf(model.doc.program.column[step.node])));
    for (const one of fields) one.set(row[one.j] ?? null, tested.has(one.j));
    fill(answer, ...prediction(follow));
    fill(whatIf, ...changes(row, size));
    fill(reasons, make("h3", {}, "Because"), because(follow));
  }

  function prediction(follow) {
    const was = store.state.base;
    const now = tools.answerText(follow);
    const out = [make("p", { class: "quiet" }, origin()), make("p", { class: "says" }, model.classes !== null ? swatch(classColor(follow.label)) : null, `${model.target} = ${now}`)];
    if (follow.shares) {
      const ranked = follow.shares.map((fraction, i) => [model.doc.program.order[i], fraction]).filter(([, fraction]) => fraction > 0).sort((a, b) => b[1] - a[1]).slice(0, 6);
      out.push(make("table", { "aria-label": "shares" }, make("tbody", {}, ...ranked.map(([k, fraction]) => make("tr", {}, make("th", { scope: "row" }, model.classes[k]), make("td", {}, share(fraction)), make("td", { class: "wide" }, meter(fraction, classColor(k))))))));
    } else if (model.doc.vectors) out.push(outputs(model, follow.says));
    else if (model.highest > model.lowest) {
      const span = model.highest - model.lowest;
      out.push(meter((follow.says - model.lowest) / span, NUMBERS));
    }
    const equations = model.equations && follow.ends.length === 1 ? model.equations[follow.ends[0][0]] : null;
    if (equations) out.push(...equations.slice(1).map((text) => make("p", { class: "code" }, model.fullText(text))));
    if (was !== null && was !== now) out.push(make("p", { class: "quiet" }, `was ${was} before your change`));
    return out;
  }

  // How a gate divides what comes to it.
  function gate({ node, share: comes, ways }) {
    const parts = ways.map(([to, part]) => `${share(part)} ${model.branch(node, model.children(node).indexOf(model.originOf(to)))}`).join(", ");
    return make("li", {}, button(`${model.question(node, model.testedCell(node, store.state.row))} ${parts}${comes < 1 ? ` (of ${share(comes)} of the row)` : ""}`, `select node ${node}`, () => app.select(node)));
  }

  function because(follow) {
    const list = make("ol", { class: "way" });
    const ends = follow.ends.slice().sort((a, b) => b[1] - a[1]);
    if (ends.length > 1) {
      if (model.smooth) list.append(...follow.steps.slice(0, 8).map(gate));
      for (const [id, fraction] of ends.slice(0, 8)) list.append(make("li", {}, button(`${share(fraction)} of the row: ${model.rule(id).join(" and ")} → ${model.answer(id)}`, `select node ${id}`, () => app.select(id))));
      if (ends.length > 8) list.append(make("li", {}, `… ${ends.length - 8} more parts`));
      return list;
    }
    const id = ends[0][0];
    if (model.isRuleList) list.append(...model.rule(id).map((text) => make("li", {}, text)));
    else {
      for (const [node, b] of model.way(id)) {
        const column = model.tested(node);
        const x = model.testedCell(node, store.state.row);
        const text = x === null ? `${column.name} is missing${surrogateText(follow, node, b)}: ${model.branch(node, b)}` : `${model.branchText(node, b, x)}${column.levels || column.kind === "bool" ? "" : `  (${column.kind === "number" ? figure(node, x) : cell(column, x)})`}`;
        list.append(make("li", {}, button(text, `select node ${node}`, () => app.select(node))));
      }
    }
    if (list.children.length === 0) list.append(make("li", {}, "no question is asked"));
    return list;
  }

  // A number that is compared: a sum has more digits than are of use, as long as none of those left out takes it across a threshold.
  function figure(node, x) {
    const crossed = (text) => Array.from({ length: model.cutsOf(node) }, (_, k) => Number(model.cutText(node, k, x).text)).some((at) => x < at !== Number(text) < at || x > at !== Number(text) > at);
    return model.tested(node).whole && !crossed(number(x)) ? number(x) : number(x, 12);
  }

  // The surrogate that decided for a missing cell, and its condition: surrogates follow their node in the program, in their order.
  function surrogateText(follow, node, b) {
    const at = follow.steps.find((one) => model.originOf(one.node) === node && one.node > model.placeOf(node) && one.interval >= 0);
    if (at === undefined) return "";
    const surrogate = model.doc.surrogates[node]?.[at.node - model.placeOf(node) - 1];
    return `; ${surrogate ? model.pretty(surrogate[b === 0 ? 0 : 2]) : at.column} stands in`;
  }

  function changes(row, size) {
    if (model.classes === null) {
      const found = model.doc.vectors ? model.outputs.slice(0, OUTPUTS).flatMap((name, k) => tools.reach(row, size, k).slice(0, OUTPUTS).map((one) => ({ ...one, name: `${name} ` }))) : tools.reach(row, size);
      return found.length === 0 ? [] : [make("h3", {}, "Range reachable by changing one column"), make("ul", { class: "whatif" }, ...found.map(({ column, low, high, name = "" }) => make("li", {}, `${name}to ${grouped(number(low, 4))} … ${grouped(number(high, 4))} by ${span(column)}`)))];
    }
    const found = tools.whatIf(row, size);
    if (found.length === 0) return [make("p", { class: "quiet" }, "No change of one column alone, within the range of its rows, would alter the answer.")];
    return [make("h3", {}, "Smallest changes that alter the answer"), make("ul", { class: "whatif" }, ...found.map((one) => make("li", {}, make("button", { type: "button", title: "change the row so", click: () => app.change(one.column, one.value) }, `${one.text}: ${one.label >= 0 ? model.classes[one.label] : ""}`))))];
  }

  // A column, and over which range it is changed: where equations answer, or sums are tested, it is not looked at beyond its rows.
  function span(j) {
    const column = model.columns[j];
    return (model.lines || model.derived.any) && !column.levels && column.kind !== "bool" ? `${column.name} from ${cell(column, column.low)} to ${cell(column, column.high)}` : column.name;
  }

  show();
  return { box, show };
}
