// The workbench: the explorer of the tree as it is, with panels that edit it. The server holds the tree; after every edit the page shows
// what it answers, and finds the selected and the open nodes again by the ways to them.
import { asker } from "./asking.js";
import { act, button, fill, make } from "./dom.js";
import { editPanel } from "./editpanel.js";
import { judged } from "./errors.js";
import { logPanel } from "./logpanel.js";
import { start } from "./main.js";
import { nodeAt, pathOf, reopened } from "./places.js";
import { versionsPanel } from "./versions.js";
import { leaves } from "./words.js";

const POLL = 2500; // milliseconds between looks whether the tree was changed elsewhere
const FORMS = [["model", "model file"], ["sql", "SQL"], ["rules", "rules"], ["text", "text"], ["log", "Python log"], ["page", "page to send"]];
const FOOT = "This page is served by this machine to itself alone; nothing leaves it. Made by treewright.";

export async function begin(page) {
  const root = page.getElementById("workbench");
  const bench = workbench(root, asker(location.hash.slice(1)));
  globalThis.workbench = bench;
  await bench.load();
}

export function workbench(root, { ask, file }) {
  const status = make("p", { class: "told", role: "status", "aria-live": "polite" });
  const scores = make("span", { class: "scores", "aria-label": "errors" });
  const undo = act("Undo", "undo the last edit (Ctrl+Z)", () => edit({ verb: "undo" }));
  const redo = act("Redo", "redo what was undone (Ctrl+Shift+Z)", () => edit({ verb: "redo" }));
  const forms = make("select", { "aria-label": "take away", change: () => { if (forms.value !== "") save(forms.value); forms.value = ""; } }, make("option", { value: "" }, "Take away…"), ...FORMS.map(([key, text]) => make("option", { value: key }, text)));
  const holder = make("div", { class: "holder" });
  const dialog = make("dialog", { class: "keys beside" });
  fill(root, make("section", { class: "bar", "aria-label": "workbench" }, make("div", { class: "actions" }, undo, redo), scores, status, make("div", { class: "actions" }, forms)), holder, dialog);
  document.addEventListener("keydown", keys);
  for (const when of ["focus", "visibilitychange"]) addEventListener(when, look);
  setInterval(look, POLL);

  let inside = null; // the explorer that is shown
  let stop = null;
  let busy = false;
  let theme = null;
  let ended = false;
  const bench = { state: null, ask, edit, change, save, frame, failed, say, load, panel: null, scored: null };

  // -- the server ----------------------------------------------------------------------------------------------------

  async function load(why = "") {
    try {
      show(await ask("/api/state"));
      say(why);
      root.setAttribute("data-loaded", "");
    } catch (error) {
      failed(error);
    }
  }

  function edit(what) {
    return change("/api/edit", { ...what, version: bench.state?.version }, done(what.verb));
  }

  const done = (verb) => ({ grow: "grown", split: "split", swap: "split", cut: "cut", relabel: "relabelled", merge: "merged", regrow: "grown anew", lock: "locked", unlock: "unlocked", undo: "undone", redo: "done again" })[verb];

  // Asks for a change; the answer is the new state. One at a time: what is pressed meanwhile is not done.
  async function change(path, body, text) {
    if (busy || bench.state === null) return;
    busy = true;
    root.setAttribute("aria-busy", "true");
    const waiting = setTimeout(() => say("working…"), 300);
    try {
      show(await ask(path, body));
      say(text);
    } catch (error) {
      await failed(error);
    } finally {
      clearTimeout(waiting);
      busy = false;
      root.removeAttribute("aria-busy");
    }
  }

  // Says what went wrong; where the tree is not what this window saw, it is shown as it is.
  async function failed(error, loud = true) {
    if (error.status === 409) await load("The tree was changed elsewhere: this is how it is now. What you asked for was not done.");
    else if (error.status === 0) gone(error);
    else if (loud) say(error.message, true);
  }

  function gone(error) {
    ended = true;
    say(error.message, true);
    if (bench.state === null) fill(holder, make("p", { class: "broken" }, error.message));
  }

  async function look() {
    if (busy || document.hidden || bench.state === null || ended) return;
    try {
      const { version } = await ask("/api/version");
      if (version !== bench.state.version && !busy) await load("The tree was changed elsewhere: this is how it is now.");
    } catch (error) {
      if (error.status === 0) gone(error);
    }
  }

  async function judge(version) {
    fill(scores, make("span", { class: "quiet" }, "errors: …"));
    try {
      const told = await ask("/api/scores");
      if (told.version !== bench.state.version || version !== told.version) return;
      bench.scored = told;
      const texts = judged(told).map(([label, now, before, way]) => make("span", {}, make("span", { class: "quiet" }, `${label} `), make("b", {}, now), before !== null && before !== now ? make("span", { class: "quiet" }, ` ${way > 0 ? "▲" : "▼"} was ${before}`) : null));
      fill(scores, make("span", { class: "quiet" }, told.numbers ? "off by (root mean square): " : "errors: "), ...texts, make("span", { class: "quiet" }, leaves(told.scores.leaves)));
    } catch (error) {
      failed(error, false);
    }
  }

  // -- the page ------------------------------------------------------------------------------------------------------

  function show(state) {
    const before = inside;
    const kept = before === null ? null : remembered(before);
    stop?.abort();
    stop = new AbortController();
    bench.state = state;
    const box = make("div", { class: "tw member" });
    fill(holder, box);
    const panels = (app) => {
      bench.panel = editPanel(app, bench);
      return [["edit", "Edit", bench.panel.box], ["log", "Log", logPanel(app, bench).box], ["versions", "Versions", versionsPanel(app, bench).box]];
    };
    inside = start(box, state.document, { theme, panels, signal: stop.signal, foot: FOOT });
    const { app, model } = inside;
    app.store.on(["theme"], themed);
    themed(app.store.state);
    if (kept === null) app.store.set({ tab: "edit", selected: 0 });
    else restore(kept, app, model);
    undo.disabled = !state.undo;
    redo.disabled = !state.redo;
    document.title = model.title;
    judge(state.version);
  }

  function themed(state) {
    theme = state.theme;
    root.dataset.theme = theme;
  }

  // What was looked at, by ways that another tree has, too.
  function remembered({ app, model }) {
    const { selected, open, opened, row, tab } = app.store.state;
    const focus = document.activeElement;
    return { path: pathOf(model, Math.max(0, selected)), model, open, opened, row, tab, inTree: focus?.closest("[role=tree]") != null, key: focus?.dataset?.key ?? null, inPanel: focus?.closest("aside") != null };
  }

  function restore(kept, app, model) {
    app.store.state.open.set(reopened(kept.model, kept.open, model));
    const id = nodeAt(model, kept.path);
    if (model.branches[id] > 0) app.store.state.open[id] = 1;
    app.store.set({ tab: kept.tab, selected: id, opened: kept.opened + 1 });
    if (kept.row) app.follow(kept.row);
    if (kept.inTree) setTimeout(() => app.focus(), 50);
    else if (kept.inPanel) refocus(kept.key);
  }

  // The keyboard stays where it was, or at the head of the panel where that is gone.
  function refocus(key) {
    const panel = root.querySelector("[role=tabpanel]:not([hidden])");
    const same = key === null ? null : [...panel.querySelectorAll("[data-key]")].find((element) => element.dataset.key === key && !element.disabled);
    (same ?? panel.querySelector("[data-key=heading]") ?? panel).focus({ preventScroll: true });
  }

  function say(text, wrong = false) {
    status.textContent = text;
    status.classList.toggle("wrong", wrong);
  }

  async function save(what) {
    try {
      const { name, blob } = await file("/api/export", { what });
      const link = make("a", { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      say(`saved as ${name}`);
    } catch (error) {
      failed(error);
    }
  }

  // A page of the server inside this one.
  function frame(address, title) {
    fill(dialog, make("div", { class: "actions" }, make("h2", {}, title), button("Close", "close", () => dialog.close())), make("iframe", { src: address, title }));
    dialog.setAttribute("aria-label", title);
    dialog.showModal();
  }

  function keys(event) {
    const typing = event.target.closest("input, select, textarea");
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      edit({ verb: event.shiftKey ? "redo" : "undo" });
    } else if (!holder.contains(event.target)) inside?.keys(event); // inside, the explorer hears it itself
  }

  return Object.assign(bench, { inside: () => inside });
}
