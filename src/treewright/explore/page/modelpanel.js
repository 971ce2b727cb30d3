// The model as a whole, at the size that is shown: which columns matter, and which classes are taken for which.
import { blend, classColor } from "./color.js";
import { fill, make } from "./dom.js";
import { importances } from "./importance.js";
import { meter, swatch } from "./panels.js";
import { count, percent, share } from "./words.js";

const COLUMNS = 20;
const CLASSES = 9; // of a matrix; of more the commonest confusions are listed
const PAIRS = 12;

export function modelPanel(app, tools) {
  const { model, store } = app;
  const { doc } = model;
  const box = make("div", { class: "model" });
  store.on(["size", "tab", "theme"], show);

  function columns() {
    const found = importances(model, tools.used, store.state.size).filter(([, part]) => part > 0);
    if (found.length === 0) return [];
    const lines = found.slice(0, COLUMNS).map(([j, part]) => make("tr", {}, make("th", { scope: "row" }, model.names[j]), make("td", {}, share(part)), make("td", { class: "wide" }, meter(part / found[0][1], app.theme.grey))));
    const more = found.length > COLUMNS ? [make("p", { class: "quiet" }, `and ${found.length - COLUMNS} more columns`)] : [];
    return [make("h3", {}, model.isRuleList ? "How often rules ask about a column" : "Column importance"), make("table", { "aria-label": "column importance" }, make("tbody", {}, ...lines)), ...more];
  }

  // [actual, predicted, rows] of the pairs that occur, and of which rows; null where they are not known.
  function confusions() {
    if (model.classes === null) return null;
    const { size } = store.state;
    const { quality, given } = doc;
    if (size === 0 && quality?.confusion) return { pairs: quality.confusion, rows: quality.training ? "training rows" : "test rows" };
    const test = given && !given.training;
    if (model.equations || model.voting || (test && !given.class_begin)) return null;
    const mix = test ? (id) => model.mixOf(given, id) : model.mix;
    const sums = new Map();
    for (let id = 0; id < model.n; id += 1) {
      if (!model.shown(id, size) || model.count(id, size) > 0) continue;
      for (const [k, weight] of mix(id)) {
        const key = `${k} ${model.label[id]}`;
        sums.set(key, (sums.get(key) ?? 0) + weight);
      }
    }
    return { pairs: [...sums].map(([key, weight]) => [...key.split(" ").map(Number), weight]), rows: test ? "test rows" : "training rows" };
  }

  function matrix() {
    const found = confusions();
    if (found === null || found.pairs.length === 0) return [];
    const { pairs, rows } = found;
    const all = pairs.reduce((sum, [, , n]) => sum + n, 0);
    const right = pairs.reduce((sum, [a, b, n]) => sum + (a === b ? n : 0), 0);
    const head = [make("h3", {}, `Confusion matrix (${rows})`), make("p", { class: "quiet" }, `${count(right)} of ${count(all)} right (${percent(right / all)})`)];
    const classes = [...new Set(pairs.flatMap(([a, b]) => [a, b]))].sort((a, b) => a - b);
    return [...head, classes.length <= CLASSES ? square(classes, pairs) : commonest(pairs)];
  }

  // Actual classes downwards, predicted ones across; the stronger a cell, the larger its part of the actual class.
  function square(classes, pairs) {
    const at = new Map(pairs.map(([a, b, n]) => [`${a} ${b}`, n]));
    const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "actual \\ predicted"), ...classes.map((k) => make("th", { scope: "col" }, swatch(classColor(k)), model.classes[k]))));
    const lines = classes.map((a) => {
      const sum = classes.reduce((total, b) => total + (at.get(`${a} ${b}`) ?? 0), 0);
      return make("tr", {}, make("th", { scope: "row" }, swatch(classColor(a)), model.classes[a]), ...classes.map((b) => {
        const n = at.get(`${a} ${b}`) ?? 0;
        const cell = make("td", { class: a === b ? "right" : null, title: `actual ${model.classes[a]}, predicted ${model.classes[b]}: ${count(n)}${sum > 0 ? ` (${share(n / sum)})` : ""}` }, count(n));
        if (n > 0) cell.style.background = blend(app.theme.card, classColor(b), 0.08 + 0.5 * (n / sum));
        return cell;
      }));
    });
    return make("div", { class: "wider", tabindex: 0, role: "group", "aria-label": "confusion matrix" }, make("table", { class: "matrix", "aria-label": "confusion matrix" }, head, make("tbody", {}, ...lines)));
  }

  function commonest(pairs) {
    const wrong = pairs.filter(([a, b]) => a !== b).sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
    if (wrong.length === 0) return make("p", {}, "No class is taken for another.");
    const lines = wrong.slice(0, PAIRS).map(([a, b, n]) => make("tr", {}, make("th", { scope: "row" }, model.classes[a]), make("th", {}, model.classes[b]), make("td", {}, count(n))));
    return make("table", { "aria-label": "commonest confusions" }, make("thead", {}, make("tr", {}, ...["actual", "predicted", "rows"].map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...lines));
  }

  function show() {
    if (store.state.tab !== "model") return;
    const parts = [...columns(), ...matrix()];
    fill(box, ...(parts.length > 0 ? parts : [make("p", { class: "quiet" }, "No rows were given that would tell more.")]));
  }

  show();
  return { box };
}
