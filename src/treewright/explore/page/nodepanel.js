// One node: the conditions that lead to it, its rows, its split and why that was chosen, where missing cells go.
import { classColor } from "./color.js";
import { button, fill, make } from "./dom.js";
import { meter, swatch, outputs } from "./panels.js";
import { meanText } from "./sentences.js";
import { cell, count, grouped, leaves, number, rows, share } from "./words.js";

const CLASSES = 12;
const TERMS = 12; // of a sum whose missing cells are told of

export function nodePanel(app) {
  const { model, store } = app;
  const box = make("div", { class: "node" });
  store.on(["selected", "size", "theme", "tab"], show);

  function show() {
    if (store.state.tab !== "node") return;
    const id = Math.max(0, store.state.selected);
    const inner = model.count(id, store.state.size) > 0;
    if (model.isRuleList) return fill(box, ...(inner ? rule(id) : outcome(id)), actions(id));
    return fill(box,
      make("h2", {}, inner ? model.question(id) : answer(id)),
      make("p", { class: "quiet" }, `node ${id} · ${rows(model.weight[id])}${inner ? ` · ${leaves(app.below()[id])} below` : ""} · depth ${model.depth[id]}${model.doc.by_hand?.[id] ? ` · ${model.doc.by_hand[id]}` : ""}`),
      way(id), mix(id), inner ? split(id) : null, equation(id), test(id), id === 0 ? byHand() : null, actions(id));
  }

  // What a person did to the tree, from the fit on.
  function byHand() {
    const { history } = model.doc;
    return history ? make("details", { class: "hand" }, make("summary", {}, "Forced by hand"), make("ol", {}, ...history.map((text) => make("li", {}, model.fullText(text))))) : null;
  }

  // A rule of a list: its conditions, its answer, the rows it decides; then those that come to it.
  function rule(id) {
    const leaf = model.first[id];
    const decided = rows(model.weight[leaf]);
    return [make("h2", {}, `Rule ${index(id)}`), make("p", { class: "quiet" }, model.voting ? `holds for ${decided}` : id === 0 ? `decides ${decided}` : `decides ${count(model.weight[leaf])} of the ${rows(model.weight[id])} that come to it`),
      make("h3", {}, "If"), chips(model.rule(id)),
      make("h3", {}, "Then"), make("p", {}, answer(leaf)), mix(leaf), equation(leaf),
      ...(model.voting || id === 0 ? [] : [make("h3", {}, "All rows that come to it"), mix(id)])];
  }

  function outcome(id) {
    const conditions = model.rule(id);
    const first = model.voting || id < 2 || model.ruleNumber(id) === "default";
    return [make("h2", {}, answer(id)), make("p", { class: "quiet" }, `${model.ruleNumber(id)} · ${rows(model.weight[id])}`),
      make("h3", {}, "Reached if"), chips(first ? conditions : ["no earlier rule applies", ...conditions]), mix(id), equation(id)];
  }

  const index = (id) => model.depth[id]; // from 0, as in `rules[0]` and `explain`

  function chips(texts) {
    return make("ul", { class: "chips plain" }, ...(texts.length > 0 ? texts : ["always"]).map((text) => make("li", {}, text)));
  }

  function answer(id) {
    return `${model.target} = ${model.answer(id)}`;
  }

  function way(id) {
    const heading = make("h3", {}, id === 0 ? "All rows" : "Reached if");
    if (id === 0) return heading;
    const links = model.way(id).map(([node, b]) => make("li", {}, button(model.branchText(node, b), `select node ${node}: ${model.question(node)}`, () => app.select(node))));
    return make("div", {}, heading, make("ul", { class: "chips" }, ...links));
  }

  function mix(id) {
    if (model.classes === null) {
      if (model.doc.vectors) return outputs(model, model.doc.vectors[id]);
      return make("p", {}, meanText(model, id));
    }
    const counts = model.mix(id).slice().sort((a, b) => b[1] - a[1]);
    const total = counts.reduce((sum, [, weight]) => sum + weight, 0);
    const lines = counts.slice(0, CLASSES).map(([k, weight]) => make("tr", {},
      make("th", { scope: "row" }, swatch(classColor(k)), model.classes[k]),
      make("td", {}, count(weight)), make("td", {}, share(weight / total)), make("td", { class: "wide" }, meter(weight / total, classColor(k)))));
    if (counts.length > CLASSES) lines.push(make("tr", {}, make("th", { scope: "row" }, `${counts.length - CLASSES} more classes`)));
    return make("table", { "aria-label": "classes of the node" }, make("tbody", {}, ...lines));
  }

  function split(id) {
    const out = make("div", {}, make("h3", {}, "Why this split"));
    const candidates = model.doc.why[id];
    const figure = (value, digits) => grouped(number(value, digits));
    out.append(make("p", { class: "quiet" }, `${model.doc.criterion ?? "impurity"} ${figure(model.doc.nodes.impurity[id], 4)}, reduced by ${figure(model.doc.nodes.gain[id], 4)}`));
    if (candidates) {
      const { merit: name } = model.doc; // what columns are compared by, where it is not the gain
      const best = Math.max(...candidates.map(([, , , , merit]) => merit), 1e-300);
      const head = make("thead", {}, make("tr", {}, ...["column", "reduced by", ...(name ? [name] : []), ""].map((text) => make("th", { scope: "col" }, text))));
      out.append(make("table", { "aria-label": "candidates", class: "figures" }, head, make("tbody", {}, ...candidates.map(([column, cutAt, n, gain, merit, chosen]) =>
        make("tr", { class: chosen ? "chosen" : null },
          make("th", { scope: "row" }, `${chosen ? "◀\u00a0" : ""}${candidateText(id, column, cutAt, n)}`),
          make("td", {}, figure(gain, 3)), ...(name ? [make("td", {}, figure(merit, 3))] : []),
          make("td", { class: "wide" }, meter(merit / best, chosen ? app.theme.ink : app.theme.grey)))))));
      if (name === "gain ratio" && candidates.some(([, , , , merit, chosen]) => chosen && merit < best)) out.append(make("p", { class: "quiet" }, "Columns that reduce impurity by less than the average are not compared by gain ratio."));
    } else if (!model.doc.of_many) out.append(make("p", { class: "quiet" }, "Alternative splits were not saved (fit with keep_candidates=True)."));
    const routes = model.missing(id);
    if (model.tested(id).whole) out.append(...sum(id).filter(Boolean));
    if (routes.length > 0) out.append(make("p", {}, `${model.tested(id).whole ? "Where it is missing" : `Missing cells of ${model.tested(id).name}`}: ${routes.map((fraction, b) => (fraction > 0 ? `${fraction < 1 ? `${share(fraction)} ` : ""}${model.branch(id, b)}` : "")).filter(Boolean).join(", ")}`));
    const surrogates = model.doc.surrogates[id];
    if (surrogates) out.append(make("h3", {}, "If it is missing"), make("ol", {}, ...surrogates.map(([text, agrees]) => make("li", {}, `${model.pretty(text)}: ${model.branch(id, 0)} (agrees ${share(agrees)})`))));
    return out;
  }

  // A number derived from several columns: in full where the question is not, and what missing cells do to it.
  function sum(id) {
    const fills = model.derived.fills(model.column(id));
    const texts = fills?.map(({ column, missing, levels }) => (levels ? `(${model.names[column]} = ${levels.map((code) => model.columns[column].levels[code]).join(" or ")}) ${number(missing)}` : `${model.names[column]} ${cell(model.columns[column], missing)}`));
    const { name, whole } = model.tested(id);
    return [name === whole ? null : make("p", { class: "code" }, whole),
      make("p", { class: "quiet" }, fills ? `Missing cells count as ${texts.slice(0, TERMS).join(", ")}${texts.length > TERMS ? `, and ${texts.length - TERMS} more` : ""}.` : "It is missing where one of its cells is.")];
  }

  // A candidate split: of a number its first cut, of levels how many branches it has.
  function candidateText(id, column, cutAt, n) {
    const { kind, name } = model.columns[column];
    if (cutAt === null || kind === "bool") return n > 2 ? `${name}, ${n} ways` : name;
    const less = model.doc.program.less[model.placeOf(id)] === 1;
    return `${name} ${less ? "<" : "≤"} ${cutAt}${n > 2 ? ` and ${n - 2} more cuts` : ""}`;
  }

  function equation(id) {
    const found = model.equations && model.equations[id] && model.count(id, store.state.size) === 0 ? model.equations[id] : null;
    const head = model.classes === null ? `${model.target} = ` : "";
    return found ? make("div", {}, make("h3", {}, found[0]), ...found.slice(1).map((text) => make("p", { class: "code" }, head + model.fullText(text))),
      model.classes === null && model.deviationOf(id) !== null ? make("p", {}, `${model.deviationText(id)} from this equation`) : null) : null;
  }

  function test(id) {
    const found = app.testResult && model.doc.given.weight[id] > 0 ? app.testResult(id) : null;
    return found ? make("p", {}, `${found.text}${found.worse ? `: ${found.how}` : ""}`) : null;
  }

  function actions(id) {
    return make("div", { class: "actions" },
      button("Copy rule", "copy the rule of this node", () => app.copy(model.sentence(id))),
      model.isRuleList ? null : button("Fit", "fit the close-up to what is below", () => app.fitBelow(id)),
      model.isRuleList || model.count(id, store.state.size) === 0 ? null : button("Open all", "open what is below", () => app.openAll(id)));
  }

  show();
  return { box, show };
}
