// Levels that are chosen by hand: those that are ticked go one way, all others the other.
import { make } from "./dom.js";
import { classBar } from "./pictures.js";
import { fall } from "./reduction.js";
import { sidesView } from "./sidesview.js";
import { count, number } from "./words.js";

// `begin`: codes that are ticked at first; `changed(codes)` is called with those that are, null where no side has any.
export function chooser(app, name, told, begin, changed) {
  const { model } = app;
  const { levels, groups, sums, more } = told.picture;
  const view = sidesView(model);
  const gain = make("span", { class: "quiet", role: "status" });
  const boxes = levels.map(([code, text, counts]) => {
    const box = make("input", { type: "checkbox", checked: begin.includes(code), change: show });
    const bar = model.classes !== null && groups === model.classes.length ? classBar(model.classes) : null;
    bar?.set(counts);
    return { code, box, counts, line: make("label", {}, box, make("span", { class: "level" }, text), bar?.element, make("span", { class: "quiet" }, count(total(counts)))) };
  });
  const list = make("div", { class: "levels", role: "group", "aria-label": `levels of ${name} that go to the first branch` }, ...boxes.map(({ line }) => line));
  const element = make("div", { class: "chooser" }, list, more > 0 ? make("p", { class: "quiet" }, `${more} more levels go to the second branch`) : null, gain, view.element);

  const whole = groups === (model.classes?.length ?? 1); // whether every class is told apart

  function part(ticked) {
    const own = boxes.map((box, k) => [box, k]).filter(([{ box }]) => box.checked === ticked);
    const counts = Array.from({ length: groups }, (_, k) => own.reduce((all, [box]) => all + box.counts[k], 0));
    const weight = total(counts);
    if (sums) return { weight, mean: weight > 0 ? own.reduce((all, [, k]) => all + sums[k], 0) / weight : NaN };
    return { weight, counts: whole ? counts : [...counts, ...new Array(model.classes.length - groups).fill(0)] };
  }

  function show() {
    const parts = [part(true), part(false)];
    view.show(["ticked levels", "all others"], parts);
    const chosen = boxes.filter(({ box }) => box.checked).map(({ code }) => code);
    const some = chosen.length > 0 && (chosen.length < boxes.length || more > 0);
    const reduced = some && whole && more === 0 ? fall({ ...told, exact: true }, parts, model.doc.criterion) : null;
    gain.textContent = reduced === null ? "" : `reduces ${model.doc.criterion} by ${number(reduced, 3)}`;
    changed(some ? chosen : null);
  }

  show();
  return { element };
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);
