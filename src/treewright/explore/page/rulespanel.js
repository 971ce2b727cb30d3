// The rules of the leaves that are drawn: the same tree as a list one can read, sort and search.
import { classColor } from "./color.js";
import { button, fill, make } from "./dom.js";
import { swatch } from "./panels.js";

const MOST = 200;

export function rulesPanel(app) {
  const { model, store } = app;
  const list = make("ol", { class: "rules", "aria-label": "rules" });
  const note = make("p", { class: "quiet" });
  const filter = make("input", { type: "search", "aria-label": "filter rules", placeholder: "filter", input: show });
  const orders = { order: "in order", rows: "by rows", sure: model.classes === null ? "by answer" : "by share", short: "by length" };
  const sort = make("select", { "aria-label": "sort rules", change: show }, ...Object.entries(orders).map(([value, text]) => make("option", { value }, text)));
  const box = make("div", {}, make("div", { class: "actions" }, filter, sort, button("Copy", "copy these rules as text", () => app.copy(shown.map(numbered).join("\n")))), note, list);
  let shown = [];
  store.on(["opened", "size", "selected", "follow", "tab"], show);

  // The leaves; of many only those that are drawn, and closed nodes in place of what is below them.
  function ends() {
    const { size } = store.state;
    const open = app.below()[0] <= MOST ? null : store.state.open;
    const out = [];
    const waiting = [0];
    while (waiting.length > 0) {
      const id = waiting.pop();
      if ((open === null || open[id]) && model.count(id, size) > 0) waiting.push(...model.children(id).reverse());
      else out.push(id);
    }
    return out;
  }

  // Rules of a list that are filtered or sorted carry their number.
  function numbered(id) {
    const apart = model.isRuleList && !model.voting && (sort.value !== "order" || filter.value.trim() !== "");
    return `${apart ? `${model.ruleNumber(id)}: ` : ""}${model.sentence(id)}`;
  }

  function show() {
    if (store.state.tab !== "rules") return;
    const wanted = filter.value.trim().toLowerCase();
    const keys = { order: null, rows: (id) => -model.weight[id], sure: (id) => (model.classes === null ? -(model.value[id] || 0) : -(model.right(id) ?? 0)), short: (id) => model.rule(id).length };
    const key = keys[sort.value];
    let ids = ends();
    if (key) {
      const value = new Map(ids.map((id) => [id, key(id)]));
      ids = ids.slice().sort((a, b) => value.get(a) - value.get(b));
    }
    if (wanted) ids = ids.filter((id) => model.sentence(id).toLowerCase().includes(wanted));
    const closed = ids.filter((id) => model.count(id, store.state.size) > 0).length;
    fill(note, `${ids.length}${app.below()[0] <= MOST ? "" : " visible"} ${ids.length === 1 ? "rule" : "rules"}${closed > 0 ? `; ${closed} ${closed === 1 ? "summarises a collapsed branch" : "summarise collapsed branches"}` : ""}${ids.length > MOST ? `; the first ${MOST}` : ""}`);
    shown = ids.slice(0, MOST);
    fill(list, ...shown.map(item));
  }

  function item(id) {
    const passed = store.state.follow?.passed.has(id);
    const when = model.isRuleList ? model.connective(id) : model.rule(id).join(" and ") || "always";
    return make("li", { class: passed ? "passed" : null },
      make("button", { type: "button", "aria-current": id === store.state.selected ? "true" : null, click: () => app.select(id), pointerenter: () => app.mark(id), pointerleave: () => app.mark(-1) },
        make("span", { class: "says" }, model.isRuleList ? make("span", { class: "quiet" }, `${model.ruleNumber(id)}  `) : null, model.classes !== null ? swatch(classColor(model.label[id])) : null, model.answer(id), make("span", { class: "quiet" }, `  ${model.figures(id)}`)),
        make("span", { class: "when" }, when)));
  }

  return { box, show };
}
