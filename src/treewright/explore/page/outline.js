// The close-up for screen readers and the keyboard: a tree of the nodes that are open, which has the focus.
import { fill, make } from "./dom.js";
import { count, leaves, rows } from "./words.js";

const MOST = 600; // items; further ones are reached by opening other nodes

export function outline(list, app) {
  const { model, store } = app;
  let order = [];
  let items = new Map();

  store.on(["selected"], () => mark());

  function place(ids) {
    const inside = document.activeElement && list.contains(document.activeElement);
    const placed = new Set(ids);
    order = [];
    const open = [0];
    while (open.length > 0 && order.length < MOST) {
      const id = open.pop();
      order.push(id);
      if (model.branches[id] > 0 && placed.has(model.first[id])) open.push(...model.children(id).reverse());
    }
    items = new Map(order.map((id) => [id, item(id, placed)]));
    fill(list, ...items.values());
    mark();
    if (inside) focus();
  }

  function item(id, placed) {
    const up = model.parent[id];
    const inner = model.count(id, store.state.size) > 0;
    return make("li", {
      role: "treeitem",
      "aria-level": model.depth[id] + 1,
      "aria-setsize": up < 0 ? 1 : model.branches[up],
      "aria-posinset": up < 0 ? 1 : id - model.first[up] + 1,
      "aria-expanded": inner ? String(placed.has(model.first[id])) : null,
      tabindex: -1,
      focus: () => app.select(id, true, false),
    }, described(id));
  }

  function described(id) {
    const up = model.parent[id];
    const edge = up < 0 ? "" : `${model.branch(up, id - model.first[up])}: `;
    const inner = model.count(id, store.state.size) > 0;
    const mix = model.classes === null ? "" : `: ${model.mix(id).slice().sort((a, b) => b[1] - a[1]).slice(0, 5).map(([k, weight]) => `${model.classes[k]} ${count(weight)}`).join(", ")}`;
    return `${edge}${inner ? model.question(id) : model.answer(id)}, ${rows(model.weight[id])}${mix}${inner && !model.isRuleList ? `; ${leaves(app.below()[id])}` : ""}${model.marked(id).map((word) => `; ${word}`).join("")}`;
  }

  function mark() {
    const at = items.has(store.state.selected) ? store.state.selected : 0;
    for (const [id, element] of items) {
      element.tabIndex = id === at ? 0 : -1;
      element.setAttribute("aria-selected", String(id === store.state.selected));
    }
  }

  function focus() {
    const element = items.get(store.state.selected) ?? items.get(0);
    if (element && element !== document.activeElement) element.focus({ preventScroll: true });
  }

  function go(id) {
    app.select(id);
    focus();
  }

  list.addEventListener("keydown", (event) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Math.max(0, store.state.selected);
    const place = order.indexOf(at);
    const inner = model.count(at, store.state.size) > 0;
    const moves = {
      ArrowDown: () => place + 1 < order.length && go(order[place + 1]),
      ArrowUp: () => place > 0 && go(order[place - 1]),
      ArrowRight: () => inner && (store.state.open[at] ? go(model.first[at]) : app.toggle(at)),
      ArrowLeft: () => (inner && store.state.open[at] ? app.toggle(at) : model.parent[at] >= 0 && go(model.parent[at])),
      Home: () => go(0),
      End: () => go(order[order.length - 1]),
      Enter: () => app.toggle(at),
      " ": () => app.toggle(at),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
    focus();
  });

  return { place, focus, described };
}
