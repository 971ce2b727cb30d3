// Nodes by what they ask or answer, or by number.
import { fill, make } from "./dom.js";
import { rows } from "./words.js";

const LISTED = 30;

export function search(app) {
  const { model, store } = app;
  const list = make("ul", { class: "results", hidden: true, "aria-label": "nodes that were found" });
  const input = make("input", { type: "search", "aria-label": "search nodes", placeholder: "search", "aria-describedby": null, input: look, keydown: key });
  const note = make("span", { class: "quiet", role: "status" });
  const box = make("div", { class: "search", role: "search" }, input, note, list);
  let found = [];
  store.on(["size"], look);

  function text(id) {
    return model.count(id, store.state.size) > 0 ? model.question(id) : model.answer(id);
  }

  function look() {
    const wanted = input.value.trim().toLowerCase();
    if (wanted === "") {
      store.set({ found: null });
      note.textContent = "";
      list.hidden = true;
      return;
    }
    found = [];
    for (let id = 0; id < model.n; id += 1) {
      if (id > 0 && model.count(model.parent[id], store.state.size) === 0) continue;
      if (text(id).toLowerCase().includes(wanted) || String(id) === wanted) found.push(id);
    }
    found.sort((a, b) => model.weight[b] - model.weight[a] || a - b);
    store.set({ found: new Set(found) });
    note.textContent = found.length === 0 ? "nothing found" : `${found.length} found`;
    fill(list, ...found.slice(0, LISTED).map((id) => make("li", {}, make("button", { type: "button", click: () => take(id) }, `${text(id)}`, make("span", { class: "quiet" }, `  ${rows(model.weight[id])}`)))));
    list.hidden = found.length === 0;
  }

  function take(id) {
    list.hidden = true;
    app.select(id);
    app.focus();
  }

  function key(event) {
    if (event.key === "Enter" && found.length > 0) take(found[0]);
    if (event.key === "Escape") {
      input.value = "";
      look();
      app.focus();
    }
    if (event.key === "ArrowDown" && !list.hidden) {
      event.preventDefault();
      list.querySelector("button")?.focus();
    }
    event.stopPropagation();
  }

  return { box, focus: () => input.focus() };
}
