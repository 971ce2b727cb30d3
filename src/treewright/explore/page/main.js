// The explorer: reads the document, makes the state and the panels, and gives all of them one set of verbs.
import { forestPage } from "./forest.js";
import { icicle } from "./icicle.js";
import { closeUp } from "./tree.js";
import { modelOf } from "./model.js";
import { nodePanel } from "./nodepanel.js";
import { outline } from "./outline.js";
import { palette } from "./color.js";
import { importances } from "./importance.js";
import { legendElement } from "./legend.js";
import { modelPanel } from "./modelpanel.js";
import { regionsPanel } from "./regionspanel.js";
import { rowPanel } from "./rowpanel.js";
import { rowTools } from "./rows.js";
import { rulesPanel } from "./rulespanel.js";
import { search } from "./search.js";
import { sizeSlider } from "./size.js";
import { storeOf } from "./store.js";
import { tabs } from "./panels.js";
import { button, fill, make } from "./dom.js";
import { exactText } from "./quality.js";
import { count, cut, leaves, rows } from "./words.js";

const REST = 350; // milliseconds that a pointer rests on a node before its hint is shown
const ALL = 2000; // nodes that "open all" opens
const KEYS = [["arrows", "move in the tree; right opens, left closes"], ["space", "open or close"], ["+ − 0", "zoom in, out, fit"], ["shift + arrows", "pan"], ["f", "fit what is below the selection"], ["/", "search"], ["[ ]", "smaller or larger tree"], ["r", "a random row"], ["p", "play: the row falls through the tree"], ["Esc", "follow no row"], ["?", "these keys"]];

// The packed document of a page.
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

export async function begin(page) {
  const root = page.getElementById("explorer");
  try {
    const doc = await unpacked(page.getElementById("document").textContent);
    globalThis.treewright = start(root, doc, { hash: true });
  } catch (error) {
    fill(root, make("p", { role: "alert", class: "broken" }, `The page is damaged and cannot be shown: ${error.message}. Write it again.`));
    throw error;
  }
}

let instances = 0;

// A forest has a page around the explorer of one member.
export function start(root, doc, options = {}) {
  return doc.kind === "forest" ? forestPage(root, doc, explorer, options) : explorer(root, doc, options);
}

// `panels(app)`: further ones, which come first; `signal`: ends what the explorer hears of the browser; `foot`: what stands below.
function explorer(root, doc, { hash = false, theme = null, changed = () => {}, panels = () => [], signal = undefined, foot = null } = {}) {
  const model = modelOf(doc);
  const name = `tw${(instances += 1)}`;
  const store = storeOf({ size: 0, selected: -1, open: new Uint8Array(model.n), opened: 0, row: null, base: null, follow: null, reach: Infinity, found: null, inView: [], tab: "node", theme: "" });
  const { state } = store;
  const tools = rowTools(model);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const live = make("div", { class: "hidden", role: "status", "aria-live": "polite" });
  const hintBox = make("div", { class: "hint", "aria-hidden": "true", hidden: true });
  let hinted = { id: -1, timer: 0 };
  let belowNow = { size: -1 };
  let linked = true; // the address says what is looked at

  const app = {
    model, store, theme: {},
    still: () => still.matches,
    below() {
      if (belowNow.size !== state.size) belowNow = { size: state.size, leaves: model.below(state.size) };
      return belowNow.leaves;
    },
    select(id, reveal = true, focus = true) {
      if (id >= 0) openTo(id);
      const shown = id >= 0 ? seen(id) : -1;
      store.set({ selected: shown });
      if (shown >= 0 && reveal) tree.reveal(shown);
      if (shown >= 0 && focus) live.textContent = list.described(shown);
    },
    toggle(id) {
      if (model.count(id, state.size) === 0) return;
      state.open[id] = state.open[id] ? 0 : 1;
      store.set({ opened: state.opened + 1, selected: id });
      live.textContent = `${state.open[id] ? "opened" : "closed"}: ${model.question(id)}`;
    },
    openAll(id) {
      let left = ALL;
      const waiting = [id];
      while (waiting.length > 0 && left > 0) {
        const at = waiting.shift();
        if (model.count(at, state.size) === 0) continue;
        state.open[at] = 1;
        left -= model.branches[at];
        waiting.push(...model.children(at));
      }
      store.set({ opened: state.opened + 1 });
      tree.fitBelow(id);
    },
    fitBelow: (id) => tree.fitBelow(id),
    resize(step) {
      store.set({ size: step });
      if (state.row) app.follow(state.row, false);
      if (state.selected >= 0) store.set({ selected: seen(state.selected) });
    },
    follow(row, fresh = true, reveal = true) {
      if (row === null) {
        store.set({ row: null, follow: null, base: null });
        return;
      }
      let found;
      try {
        found = tools.follow(row, state.size);
      } catch (error) {
        live.textContent = error.message;
        return;
      }
      const closed = !reveal ? [] : [...found.passed.keys()].filter((id) => model.count(id, state.size) > 0 && !state.open[id]);
      for (const id of closed) state.open[id] = 1;
      store.set({ row, follow: found, base: fresh ? tools.answerText(found) : state.base, opened: state.opened + (closed.length > 0 ? 1 : 0) });
      if (reveal && found.ends.length === 1) tree.follow(found.ends[0][0]);
      live.textContent = model.spoken(row, found, tools.answerText(found));
    },
    change(j, value) {
      app.follow(tools.changed(state.row ?? tools.typical(), j, value), false);
    },
    randomRow() {
      const kept = doc.rows;
      if (kept) app.pickRow(1 + Math.floor(Math.random() * kept.number.length));
      else app.follow(tools.random());
      store.set({ tab: "row" });
    },
    pickRow(number) {
      const kept = doc.rows;
      if (number >= 1 && number <= kept.number.length) app.follow(kept.columns.map((column) => column[number - 1]));
    },
    play() {
      if (state.row === null) app.follow(tools.typical());
      const closed = [...state.follow.passed.keys()].filter((id) => model.count(id, state.size) > 0 && !state.open[id]);
      for (const id of closed) state.open[id] = 1;
      if (closed.length > 0) store.set({ opened: state.opened + 1 });
      tree.show([...state.follow.passed.keys()]);
      tree.play();
    },
    mark: (id) => store.set({ found: id < 0 ? null : new Set([id]) }),
    hint,
    copy(text) {
      navigator.clipboard?.writeText(text).then(() => { live.textContent = "copied"; }, () => save("rules.txt", text, "text/plain"));
    },
    placed: (ids) => list.place(ids),
    inView: (ids) => (ids.length !== state.inView.length || ids.some((id, i) => id !== state.inView[i])) && store.set({ inView: ids }),
    ready() {
      root.setAttribute("data-ready", "");
      if (state.selected >= 0) tree.reveal(state.selected);
      else if (linked && state.follow?.ends.length === 1) tree.follow(state.follow.ends[0][0]);
    },
    focus: () => list.focus(),
  };

  // -- the page ------------------------------------------------------------------------------------------------------

  const facts = make("p", { class: "facts" });
  const summary = make("p", { class: "summary" });
  const finder = search(app);
  const help = make("dialog", { class: "keys", "aria-label": "keys" });
  fill(help, make("h2", {}, "Keys"), make("dl", {}, ...KEYS.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)])), button("Close", "close", () => help.close()));
  const header = make("header", {}, make("div", {}, make("h1", {}, cut(model.title, 120)), summary, facts), finder.box,
    make("div", { class: "actions" }, button("SVG", "save the close-up as SVG", () => save("tree.svg", tree.svg(), "image/svg+xml")), button("◐", "light or dark", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark")), button("?", "keys", () => help.showModal())));
  const sizeBox = make("section", { class: "size", "aria-label": "size" });
  const whole = make("div", { class: "icicle" });
  const close = make("div", { class: "close" });
  const items = make("ul", { role: "tree", "aria-label": "tree", class: "hidden" });
  const zoom = make("div", { class: "zoom" }, button("+", "zoom in", () => tree.zoom(1.3)), button("−", "zoom out", () => tree.zoom(1 / 1.3)), button("Fit", "fit the tree into view", () => tree.fit()));
  const side = make("aside", { "aria-label": "details" });
  fill(root, header, ...(doc.path ? [sizeBox] : []),
    make("main", {}, make("div", { class: "pictures" }, legendElement(model), whole, make("div", { class: "stage" }, close, zoom, items)), side),
    make("footer", {}, foot ?? footer()), help, live, hintBox);
  setTheme(theme ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"), { signal });

  const list = outline(items, app);
  const slider = doc.path ? sizeSlider(sizeBox, app) : null;
  const overview = icicle(whole, app);
  const tree = closeUp(close, app);
  Object.assign(app, { testResult: tree.testResult, closeUp: tree });
  const panel = nodePanel(app);
  const entries = [...panels(app), ["node", model.isRuleList ? "Rule" : "Node", panel.box], ["row", "Row", rowPanel(app, tools).box], ["rules", "Rules", rulesPanel(app).box], ["regions", "Regions", regionsPanel(app, tools).box], ["model", "Model", modelPanel(app, tools).box]];
  tabs(side, name, entries, store);
  store.on(["size"], showFacts);
  showFacts();
  (hash ? document : root).addEventListener("keydown", keys); // a page has the keyboard to itself, an output of a notebook has not
  if (hash) permalink();
  whole.style.height = `${overview.wanted()}px`; // as the tree is at first, so that nothing moves when its size does
  store.on(["selected", "size", "row"], () => changed({ selected: state.selected, size: state.size, row: state.row, leaves: app.below()[0] }));

  // The tree of this size in plain words: from which columns the target is predicted, those that matter most first.
  function inWords() {
    if (model.isRuleList) return "";
    const tested = new Set();
    for (let id = 0; id < model.n; id += 1) {
      if (model.shown(id, state.size) && model.count(id, state.size) > 0) model.derived.columnsOf(model.doc.program.column[model.placeOf(id)]).forEach((j) => tested.add(j));
    }
    const target = cut(model.target, 40);
    if (tested.size === 0) return model.equations ? "" : `${target} gets one answer for all rows.`;
    const named = importances(model, tools.used, state.size).map(([j]) => j).filter((j) => tested.has(j)).slice(0, 3).map((j) => cut(model.names[j], 40));
    const listed = named.length < 2 ? named[0] : `${named.slice(0, -1).join(", ")} and ${named[named.length - 1]}`;
    return `${target} is predicted from ${tested.size} of ${model.columns.length} columns${tested.size > 3 ? ", mostly from" : ":"} ${listed}.`;
  }

  // The page opens at the best size, with a row on its way; a link says otherwise.
  function opening() {
    if (doc.path?.best > 0) app.resize(doc.path.best);
    if (hash && doc.typical) app.follow(tools.typical(), true, false); // as far as it is open
  }

  function showFacts() {
    summary.textContent = inWords();
    summary.hidden = summary.textContent === "";
    let [nodes, deep] = [0, 0];
    for (let id = 0; id < model.n; id += 1) {
      if (id > 0 && model.count(model.parent[id], state.size) === 0) continue;
      nodes += 1;
      deep = Math.max(deep, model.depth[id]);
    }
    const shape = model.isRuleList ? [`${(nodes - 1) / 2 === 1 ? "1 rule" : `${count((nodes - 1) / 2)} rules`} and a default${model.voting ? "; all that hold vote" : ""}`] : [nodes === 1 ? "1 node" : `${count(nodes)} nodes`, leaves(app.below()[0]), `depth ${deep}`];
    fill(facts, [...shape, rows(model.weight[0]), ...(slider ? slider.facts(state.size) : quality())].join(" · "));
  }

  function quality() {
    return doc.quality ? [`${doc.quality.training ? "training rows" : "test rows"}: ${exactText(doc.quality, model.outputs)}`] : [];
  }

  function footer() {
    const kept = doc.rows;
    const content = kept ? `This page contains ${kept.number.length} ${kept.number.length < doc.n_rows ? `of ${doc.n_rows} ` : ""}rows of your data.` : "This page contains no rows of your data.";
    return `${content} It makes no network requests. Made by treewright.`;
  }

  function setTheme(chosen) {
    root.dataset.theme = chosen;
    app.theme = palette(root);
    store.set({ theme: chosen });
  }

  // The node itself, or the one above it that is a leaf in the tree of this size.
  function seen(id) {
    const above = [];
    for (let at = id; at >= 0; at = model.parent[at]) above.push(at);
    return above.reverse().find((at) => model.count(at, state.size) === 0) ?? id;
  }

  function openTo(id) {
    let some = false;
    for (let at = model.parent[id]; at >= 0; at = model.parent[at]) {
      if (!state.open[at]) some = true;
      state.open[at] = 1;
    }
    if (some) store.set({ opened: state.opened + 1 });
  }

  // Beside what it is about, which it never hides: below, or above where there is no room or that is asked for.
  function hint(id, box, place, above = false) {
    if (id === hinted.id && (id < 0 || !hintBox.hidden)) return;
    clearTimeout(hinted.timer);
    hintBox.hidden = true;
    hinted = { id, timer: id < 0 ? 0 : setTimeout(showHint, REST, id, box, place, above) };
  }

  function showHint(id, box, place, above) {
    hintBox.hidden = false;
    hintBox.textContent = list.described(id);
    const [area, all] = [box.getBoundingClientRect(), root.getBoundingClientRect()];
    const [left, top, right, bottom] = [area.left - all.left + place[0], area.top - all.top + place[1], area.left - all.left + place[2], area.top - all.top + place[3]];
    const { offsetWidth: wide, offsetHeight: high } = hintBox;
    const up = above || bottom + 6 + high > all.height;
    hintBox.style.left = `${Math.max(8, Math.min(all.width - wide - 8, (left + right - wide) / 2))}px`;
    hintBox.style.top = `${up ? Math.max(2, top - high - 6) : bottom + 6}px`;
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
    const pans = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const verbs = {
      "+": () => tree.zoom(1.3), "=": () => tree.zoom(1.3), "-": () => tree.zoom(1 / 1.3), "−": () => tree.zoom(1 / 1.3), 0: () => tree.fit(),
      f: () => tree.fitBelow(Math.max(0, state.selected)), "/": () => finder.focus(), "?": () => help.showModal(), r: () => app.randomRow(), p: () => app.play(),
      "[": () => doc.path && app.resize(Math.min(model.steps - 1, state.size + 1)), "]": () => doc.path && app.resize(Math.max(0, state.size - 1)),
      Escape: () => app.follow(null),
    };
    const verb = pans[event.key] && event.shiftKey ? () => tree.pan(...pans[event.key]) : verbs[event.key];
    if (!verb) return;
    event.preventDefault();
    verb();
  }

  function save(file, text, type) {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // The view is in the address, so that a finding can be shared.
  function permalink() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    linked = [...wanted.keys()].length > 0;
    if (!linked) opening();
    const size = Number(wanted.get("size"));
    if (doc.path && size >= 1) app.resize(Math.max(0, doc.path.leaves.findIndex((n) => n <= size)));
    if (wanted.has("row")) {
      const cells = wanted.get("row").split(",").map((text) => (text === "" || Number.isNaN(Number(text)) ? null : Number(text)));
      app.follow(tools.used.reduce((row, j, i) => tools.changed(row, j, cells[i] ?? null), model.columns.map(() => null)));
      store.set({ tab: "row" });
    }
    const node = Number(wanted.get("node") ?? -1);
    if (Number.isInteger(node) && node >= 0 && node < model.n) app.select(node);
    store.on(["selected", "size", "row"], () => {
      const now = new URLSearchParams();
      if (state.selected >= 0) now.set("node", state.selected);
      if (state.size > 0) now.set("size", doc.path.leaves[state.size]);
      if (state.row) now.set("row", tools.used.map((j) => state.row[j] ?? "").join(","));
      try {
        history.replaceState(null, "", `#${now}`);
      } catch { /* a page inside another may have no address of its own */ }
    });
  }

  // For the console and for tests: the same predictor, at the size that is shown.
  return {
    predict: (given) => given.map((row) => (model.lines || doc.vectors ? tools.follow(row, state.size).says : model.predict(state.size).predict(row))),
    leaf: (given) => given.map((row) => model.originOf(model.predict(state.size).leaf(row))),
    app, model, tools, keys,
  };
}
