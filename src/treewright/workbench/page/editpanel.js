// The panel "Edit": what can be done to the node that is selected, its ranked alternatives, and the split that is being made.
import { chooser } from "./chooser.js";
import { cutter } from "./cutter.js";
import { act, button, fill, make } from "./dom.js";
import { candidatePicture } from "./pictures.js";
import { meter } from "./panels.js";
import { cut, grouped, number, rows } from "./words.js";

const PATIENCE = 120; // milliseconds a node is selected before the server is asked about it
let instances = 0;

// `bench`: the page around it, which asks the server: { state, ask, edit, busy }.
export function editPanel(app, bench) {
  const { model, store } = app;
  const known = new Map(); // what was asked, by what
  const name = `tw-edit-${(instances += 1)}`;
  const box = make("div", { class: "node edit" });
  const editor = make("div", { class: "editor" });
  let shown = -1; // the node that is shown
  let drawn = null; // the editor of a threshold, to be drawn again in another theme
  let turn = 0;
  store.on(["selected", "tab"], show);
  store.on(["theme"], () => { shown = -1; show(); });

  const node = () => Math.max(0, store.state.selected);
  const locked = (id) => model.doc.locked.includes(id);
  const lockedAbove = (id) => { for (let at = id; at >= 0; at = model.parent[at]) if (locked(at)) return true; return false; };

  function once(path, body) {
    const key = `${path} ${JSON.stringify(body)}`;
    if (!known.has(key)) known.set(key, bench.ask(path, { ...body, version: bench.state.version }).catch((error) => { known.delete(key); throw error; }));
    return known.get(key);
  }

  function show() {
    if (store.state.tab !== "edit" || node() === shown) return;
    shown = node();
    const id = shown;
    const inner = model.branches[id] > 0;
    const closed = lockedAbove(id);
    const alternatives = make("div", { class: "alternatives" }, make("p", { class: "quiet" }, "…"));
    fill(editor);
    drawn = null;
    fill(box, make("h2", { tabindex: -1, "data-key": "heading" }, inner ? model.question(id) : `${model.target} = ${model.answer(id)}`),
      make("p", { class: "quiet" }, facts(id)), verbs(id, inner, closed),
      ...(closed ? [] : [make("h3", { id: `${name}-best` }, "Splits to choose from"), alternatives, editor, other(id), condition(id), leaves(id, inner)].filter(Boolean)));
    if (closed) return;
    turn += 1;
    const mine = turn;
    setTimeout(async () => {
      if (mine !== turn) return;
      try {
        const told = await once("/api/alternatives", { node: id });
        if (mine === turn) list(alternatives, told, id);
      } catch (error) {
        if (mine === turn) fill(alternatives, make("p", { class: "quiet" }, error.message));
        bench.failed(error, false);
      }
    }, PATIENCE);
  }

  function facts(id) {
    const hand = model.doc.by_hand?.[id];
    return [`node ${id}`, rows(model.weight[id]), hand, locked(id) ? "locked" : lockedAbove(id) ? "locked by a node above" : null].filter(Boolean).join(" · ");
  }

  // -- what is done at once ------------------------------------------------------------------------------------------

  function verb(text, label, what, more = {}) {
    return act(text, label, () => bench.edit(what), { "data-key": what.verb, ...more });
  }

  function verbs(id, inner, closed) {
    const lock = locked(id) ? verb("Unlock", "let this node be edited again", { verb: "unlock", node: id }) : closed ? null : verb("Lock", "keep this node as it is, with all below it", { verb: "lock", node: id });
    if (closed) return make("div", { class: "actions" }, lock);
    return make("div", {}, make("div", { class: "actions" },
      verb("Grow a level", "grow the leaves here by one level", { verb: "grow", node: id, steps: 1 }),
      act("Grow all", "grow the leaves here as far as the limits on rows allow", () => bench.edit({ verb: "grow", node: id, steps: null }), { "data-key": "grow all" }),
      inner ? verb("Cut", "make this node a leaf", { verb: "cut", node: id }) : null, lock), inner ? null : relabel(id), regrow(id));
  }

  // What a leaf says.
  function relabel(id) {
    const numbers = model.classes === null;
    const input = numbers
      ? make("input", { type: "number", step: "any", value: model.value[id], "aria-label": "what the leaf says" })
      : make("select", { "aria-label": "what the leaf says" }, ...model.classes.map((text, k) => make("option", { value: k, selected: k === model.label[id] }, text)));
    const say = () => bench.edit({ verb: "relabel", node: id, says: numbers && input.value === "" ? null : Number(input.value) });
    return make("div", { class: "actions row" }, make("label", {}, "says", input), act("Say so", "let the leaf say this", say, { "data-key": "relabel" }));
  }

  function regrow(id) {
    const input = make("input", { type: "text", placeholder: "max_depth=3, min_samples_leaf=5", "aria-label": "parameters that are other than they were", autocomplete: "off", spellcheck: "false", keydown: (event) => event.key === "Enter" && go() });
    const go = () => bench.edit({ verb: "regrow", node: id, parameters: input.value });
    const names = Object.entries(bench.state.parameters).map(([key, value]) => `${key}=${value}`).join(", ");
    return make("details", { class: "more" }, make("summary", {}, "Grow anew with other parameters"),
      make("div", { class: "actions" }, input, act("Regrow", "let the estimator make of these rows what it makes of a table", go, { "data-key": "regrow" })),
      make("p", { class: "quiet fine" }, `now: ${names}`));
  }

  // -- splits --------------------------------------------------------------------------------------------------------

  function list(place, told, id) {
    if (told.alternatives.length === 0) {
      fill(place, make("p", { class: "quiet" }, "No column divides these rows with a gain."));
      return;
    }
    const most = Math.max(...told.alternatives.map(({ merit }) => merit), 1e-300);
    fill(place, make("ol", { "aria-labelledby": `${name}-best` }, ...told.alternatives.map((entry) => line(entry, most, id))),
      told.more > 0 ? make("p", { class: "quiet" }, `and ${told.more} more columns, see below`) : null);
  }

  function line(entry, most, id) {
    const column = bench.state.columns[entry.column];
    const mine = model.branches[id] > 0 && model.column(id) === entry.column;
    const text = candidateText(column, entry);
    const reduced = grouped(number(entry.gain, 3));
    return make("li", { class: mine ? "chosen" : null },
      make("button", { type: "button", class: "candidate", title: "look at it", "aria-label": `${text}, reduces ${model.doc.criterion} by ${reduced}${mine ? ", which the node asks now" : ""}: look at it`, "data-key": `candidate ${entry.candidate}`, click: () => open(entry.column, id, entry) },
        make("span", { class: "name" }, `${mine ? "◀\u00a0" : ""}${text}`), candidatePicture(entry, model.classes, app.theme),
        make("span", { class: "gain" }, reduced, meter(entry.merit / most, mine ? app.theme.ink : app.theme.grey))),
      button("Use", `use ${text}`, () => bench.edit({ verb: "swap", node: id, candidate: entry.candidate }), { "data-key": `use ${entry.candidate}` }));
  }

  function candidateText(column, { text, branches }) {
    if (text === null) return branches > 2 ? `${column}, ${branches} ways` : column;
    return `${column} at ${text}${branches > 2 ? ` and ${branches - 2} more` : ""}`;
  }

  // Any column, by name.
  function other(id) {
    const columns = bench.state.columns;
    const input = make("select", { "aria-label": "split by another column", "data-key": "column", change: () => input.value !== "" && open(Number(input.value), id, null) },
      make("option", { value: "" }, "another column…"), ...columns.map((text, j) => make("option", { value: j }, cut(text, 60))));
    return make("div", { class: "actions row" }, make("label", {}, "split by", input));
  }

  // The rows that satisfy a condition against the others.
  function condition(id) {
    const go = () => input.value.trim() !== "" && bench.edit({ verb: "split", node: id, column: input.value.trim() });
    const input = make("input", { type: "text", "aria-label": "split by a condition", placeholder: example(), autocomplete: "off", spellcheck: "false", "data-key": "condition", keydown: (event) => event.key === "Enter" && go() });
    return make("div", { class: "actions row" }, input, button("Split", "split by this condition", go, { "data-key": "split" }));
  }

  function example() {
    const at = bench.state.levels.indexOf(false);
    return at >= 0 ? `${cut(bench.state.columns[at], 24)} <= 10` : `${cut(bench.state.columns[0], 24)} in {a, b}`;
  }

  // Leaves of one node that become one.
  function leaves(id, inner) {
    const ends = inner && model.branches[id] > 2 ? model.children(id).filter((child) => model.branches[child] === 0) : [];
    if (ends.length < 2) return null;
    const boxes = ends.map((child) => make("input", { type: "checkbox", value: child }));
    const go = () => bench.edit({ verb: "merge", nodes: boxes.filter((each) => each.checked).map((each) => Number(each.value)) });
    return make("div", {}, make("h3", {}, "Make one leaf of"),
      make("div", { class: "levels" }, ...ends.map((child, k) => make("label", {}, boxes[k], make("span", { class: "level" }, model.branch(id, child - model.first[id])), make("span", { class: "quiet" }, `${model.answer(child)}, ${rows(model.weight[child])}`)))),
      make("div", { class: "actions" }, act("Merge", "make one leaf of the leaves that are ticked", go, { "data-key": "merge" })));
  }

  // Opens the editor of a column: where it may be cut, or which of its levels go together.
  async function open(column, id, entry) {
    turn += 1;
    const mine = turn;
    fill(editor, make("p", { class: "quiet" }, "…"));
    let told;
    try {
      told = await once("/api/column", { node: id, column });
    } catch (error) {
      if (mine === turn) fill(editor, make("p", { class: "quiet" }, error.message));
      bench.failed(error, false);
      return;
    }
    if (mine !== turn) return;
    edit(told, id, entry);
  }

  function edit(told, id, entry) {
    const column = bench.state.columns[told.column];
    let wanted = null;
    const split = act("Split here", "split the node like this", () => bench.edit({ verb: "split", node: id, column: told.column, ...wanted }), { class: "main", "data-key": "split here" });
    const changed = (value) => {
      wanted = told.nominal ? { levels: value } : { at: value };
      split.disabled = value === null;
    };
    const none = told.nominal ? told.picture.levels.length < 2 : told.cuts.length === 0;
    const head = make("h3", {}, `Split by ${cut(column, 60)}`);
    if (none) {
      fill(editor, head, make("p", { class: "quiet" }, "All rows of the node have the same value here."));
      return;
    }
    const first = entry === null ? [] : Object.entries(entry.levels).filter(([, branch]) => branch === 0).map(([code]) => Number(code));
    drawn = told.nominal ? chooser(app, column, told, first, changed) : cutter(app, column, told, entry?.cut, changed);
    const best = act("Best split", `the best split of ${column}, as the estimator finds it`, () => bench.edit({ verb: "split", node: id, column: told.column }), { "data-key": "best" });
    fill(editor, head, drawn.element, make("div", { class: "actions" }, split, best));
    requestAnimationFrame(() => editor.scrollIntoView({ block: "nearest" })); // once it has its size
    editor.querySelector("[role=slider], input")?.focus({ preventScroll: true });
  }

  show();
  return { box, show, current: () => drawn };
}
