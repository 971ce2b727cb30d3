// Nodes found by their question, their answer or their number.
import { fill, make } from "./dom.js";
import { rows } from "./words.js";

const LISTED = 30;

let instances = 0;

export function search(app) {
  const { model, store } = app;
  const name = `tw-found-${(instances += 1)}`;
  const list = make("ul", { class: "results", id: name, hidden: true, "aria-label": "nodes that were found", mousedown: (event) => event.preventDefault() });
  const input = make("input", { type: "search", role: "combobox", "aria-label": "search nodes", "aria-controls": name, "aria-expanded": "false", "aria-autocomplete": "list", autocomplete: "off", placeholder: "search", input: () => look(true) });
  const note = make("span", { class: "quiet", role: "status" });
  const box = make("div", { class: "search", role: "search", keydown: key, focusout: left }, input, note, list);
  let found = [];
  store.on(["size"], () => look(false)); // what is found may change, but the list stays closed

  function text(id) {
    return model.count(id, store.state.size) > 0 ? model.question(id) : model.answer(id);
  }

  // A sum is searched as a whole, however much of it is shown.
  function searched(id) {
    const whole = model.count(id, store.state.size) > 0 && !model.isRuleList ? (model.tested(id).whole ?? "") : "";
    return `${text(id)} ${whole}`.toLowerCase();
  }

  function show(open) {
    list.hidden = !open || found.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
  }

  function look(open) {
    const wanted = input.value.trim().toLowerCase();
    found = [];
    for (let id = 0; id < model.n && wanted !== ""; id += 1) {
      if (id > 0 && model.count(model.parent[id], store.state.size) === 0) continue;
      if (searched(id).includes(wanted) || String(id) === wanted) found.push(id);
    }
    found.sort((a, b) => model.weight[b] - model.weight[a] || a - b);
    store.set({ found: wanted === "" ? null : new Set(found) });
    note.textContent = wanted === "" ? "" : found.length === 0 ? "nothing found" : `${found.length} found`;
    fill(list, ...found.slice(0, LISTED).map((id) => make("li", {}, make("button", { type: "button", click: () => take(id) }, `${text(id)}`, make("span", { class: "quiet" }, `  ${rows(model.weight[id])}`)))));
    show(open || !list.hidden);
  }

  function take(id) {
    show(false);
    app.select(id);
    app.focus();
  }

  function left(event) {
    if (!box.contains(event.relatedTarget)) show(false);
  }

  // Esc closes the list, and once it is closed ends the search.
  function key(event) {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const turn = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && at < 0 && found.length > 0) take(found[0]);
    else if (event.key === "Escape") {
      event.preventDefault();
      if (list.hidden) {
        input.value = "";
        look(false);
        app.focus();
      } else {
        show(false);
        input.focus();
      }
    } else if (turn && found.length > 0) {
      event.preventDefault();
      if (list.hidden) show(true);
      if (at + turn < 0) input.focus();
      else buttons[Math.min(buttons.length - 1, at + turn)]?.focus();
    }
    event.stopPropagation();
  }

  return { box, focus: () => input.focus() };
}
