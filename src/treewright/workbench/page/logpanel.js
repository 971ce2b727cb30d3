// The panel "Log": what was done by hand, from the fit on.
import { act, fill, make } from "./dom.js";

export function logPanel(app, bench) {
  const [fit, ...edits] = bench.state.history;
  const box = make("div", { class: "node log" });
  fill(box, make("h2", { tabindex: -1, "data-key": "heading" }, "Log"), make("p", { class: "quiet" }, fit),
    edits.length === 0 ? make("p", {}, "Nothing was done by hand yet.") : make("div", {}, make("h3", {}, "Forced by hand"), make("ol", {}, ...edits.map((text) => make("li", {}, text)))),
    make("div", { class: "actions" }, act("Python", "save the log as a Python program that replays it", () => bench.save("log"))),
    make("p", { class: "quiet fine" }, bench.state.log === null ? "The log is kept in no file: it ends with Python." : `kept in ${bench.state.log}`));
  return { box };
}
