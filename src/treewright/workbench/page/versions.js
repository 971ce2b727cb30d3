// The panel "Versions": trees that were named, going back to them, and two of them compared.
import { act, button, fill, make } from "./dom.js";
import { errorText } from "./errors.js";
import { count, rows } from "./words.js";

export function versionsPanel(app, bench) {
  const box = make("div", { class: "node versions" });
  const result = make("div", { class: "compared" });
  const { kept } = bench.state;
  const error = (value) => (value === null || value === undefined ? "" : errorText(value, app.model.classes === null));
  const name = make("input", { type: "text", maxlength: 100, "aria-label": "name of the version", placeholder: "such as: as the clinic says", keydown: (event) => event.key === "Enter" && keep() });
  const keep = () => name.value.trim() !== "" && bench.change("/api/keep", { name: name.value.trim() }, `kept: ${name.value.trim()}`);
  const first = chosen("first version", kept.length - 1, false);
  const second = chosen("second version", -1, true);
  fill(box, make("h2", { tabindex: -1, "data-key": "heading" }, "Versions"),
    make("div", { class: "actions row" }, name, act("Keep", "keep the tree as it is under this name", keep, { "data-key": "keep" })),
    kept.length === 0 ? make("p", { class: "quiet" }, "None is kept yet. A version can be gone back to, and compared with others.") : list(),
    kept.length === 0 ? null : make("div", {}, make("h3", {}, "Compare"), make("div", { class: "actions row" }, first, make("span", {}, "with"), second,
      act("Compare", "say what changed", compare, { "data-key": "compare" }), act("Side by side", "show both trees side by side", beside, { "data-key": "beside" }))), result);

  function chosen(label, at, now) {
    const options = kept.map((each, k) => make("option", { value: each.name, selected: k === at }, each.name));
    return make("select", { "aria-label": label }, ...options, now ? make("option", { value: "", selected: true }, "the tree as it is") : null);
  }

  function list() {
    const head = ["version", "leaves", "training", "held out", "folds", ""];
    const has = [true, true, true, kept.some(({ validation }) => validation !== null), kept.some(({ folds }) => folds !== null), true];
    const line = (each) => [make("th", { scope: "row" }, each.name), ...[each.leaves, error(each.training), error(each.validation), error(each.folds?.error)].map((text) => make("td", {}, text)),
      make("td", {}, button("Go back", `go back to ${each.name}`, () => bench.change("/api/restore", { name: each.name, version: bench.state.version }, `gone back to: ${each.name}`)))];
    const some = (cells) => cells.filter((_, k) => has[k]);
    return make("table", { "aria-label": "versions" }, make("thead", {}, make("tr", {}, ...some(head.map((text) => make("th", { scope: "col" }, text))))),
      make("tbody", {}, ...kept.map((each) => make("tr", {}, ...some(line(each))))));
  }

  const pair = () => ({ first: first.value, second: second.value === "" ? null : second.value });

  async function compare() {
    try {
      const told = await bench.ask("/api/compare", pair());
      fill(result, ...summary(told), folds(told), ...places(told));
      bench.say(`${count(told.changed)} of ${rows(told.rows)} are told something else`);
    } catch (problem) {
      bench.failed(problem);
    }
  }

  async function beside() {
    try {
      const { page } = await bench.ask("/api/compared", pair());
      bench.frame(page, `${first.value} and ${second.value === "" ? "the tree as it is" : second.value}`);
    } catch (problem) {
      bench.failed(problem);
    }
  }

  function summary(told) {
    const mended = told.mended === null ? "" : `: ${count(told.mended)} mended, ${count(told.spoiled)} spoiled`;
    const [a, b] = told.scores.map((each) => error(each.training));
    return [make("p", {}, `${count(told.changed)} of ${rows(told.rows)} are told something else${mended}; training errors ${a} and ${b}.`),
      told.answers.length > 0 ? make("p", { class: "quiet" }, told.answers.slice(0, 6).map(([from, to, weight]) => `${from} → ${to}: ${count(weight)}`).join(" · ")) : null,
      told.which.length > 0 ? make("details", { class: "more" }, make("summary", {}, "which rows"), make("p", { class: "quiet fine" }, `${told.which.join(", ")}${told.which.length < told.changed ? ", …" : ""}`)) : null];
  }

  function folds(told) {
    const [a, b] = told.scores.map((each) => each.folds);
    if (a === null || b === null) return null;
    const line = (text, one, two) => make("tr", {}, make("th", { scope: "row" }, text), make("td", {}, error(one)), make("td", {}, error(two)), make("td", {}, one === two ? "" : two < one ? "better" : "worse"));
    return make("table", { "aria-label": "errors by fold" }, make("thead", {}, make("tr", {}, ...["fold", "first", "second", ""].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...a.by_fold.map((one, k) => line(k + 1, one, b.by_fold[k])), line("all", a.error, b.error)));
  }

  function places(told) {
    if (told.places.length === 0) return [make("p", {}, "Both ask and say the same everywhere.")];
    const now = second.value === "";
    return [make("h3", {}, "Where they part"), make("ol", { class: "places" }, ...told.places.map((place) => make("li", {},
      now ? button(place.where, "select this node", () => app.select(place.nodes[1]), { class: "where" }) : make("b", {}, place.where),
      make("span", { class: "quiet" }, ` ${rows(place.rows)}, ${count(place.changed)} told something else`), make("p", {}, `first ${place.first}`), make("p", {}, `second ${place.second}`)))),
      told.more > 0 ? make("p", { class: "quiet" }, `and ${told.more} more`) : null];
  }

  return { box };
}
