// What lies on both sides of a test, in words and as bars; changed in place while a threshold moves.
import { make } from "./dom.js";
import { classBar } from "./pictures.js";
import { count, number, rows, share } from "./words.js";

const NAMED = 3; // classes of a side that are named

export function sidesView(model) {
  const views = [side(model), side(model)];
  const element = make("div", { class: "sides" }, ...views.map((view) => view.element));
  return { element, show: (titles, parts) => views.forEach((view, k) => view.show(titles[k], parts[k])) };
}

function side(model) {
  const title = make("b");
  const facts = make("span", { class: "quiet" });
  const bar = model.classes === null ? null : classBar(model.classes);
  const element = make("div", {}, title, bar?.element, facts);
  return {
    element,
    show(text, part) {
      title.textContent = text;
      facts.textContent = sideText(model, part);
      bar?.set(part.counts);
    },
  };
}

// The rows of a side, its most common classes or its mean.
export function sideText(model, { weight, counts, mean }) {
  if (!(weight > 0)) return rows(0);
  if (model.classes === null) return `${rows(weight)}, mean ${number(mean, 4)}`;
  const named = counts.map((own, k) => [k, own]).filter(([, own]) => own > 0).sort((a, b) => b[1] - a[1]);
  const texts = named.slice(0, NAMED).map(([k, own]) => `${model.classes[k]} ${count(own)} (${share(own / weight)})`);
  return `${rows(weight)}: ${texts.join(", ")}${named.length > NAMED ? `, ${named.length - NAMED} more` : ""}`;
}
