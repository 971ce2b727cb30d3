// Errors as people read them: shares of wrong answers in percent, roots of mean squares as numbers.
import { number, percent } from "./words.js";

export function errorText(value, numbers) {
  return numbers ? number(value, 4) : percent(value);
}

// How the tree fares, and how it fared before: [label, now, before or null], one for each kind of rows that judge.
export function judged({ scores, before, numbers }) {
  const text = (value) => (value === null || value === undefined ? null : errorText(value, numbers));
  const kinds = [["training", (one) => one.training], ["held out", (one) => one.validation], [`${scores.folds?.by_fold.length} folds`, (one) => one.folds?.error]];
  return kinds.map(([label, of]) => [label, text(of(scores)), before === null ? null : text(of(before)), before === null ? 0 : Math.sign(of(scores) - of(before))]).filter(([, now]) => now !== null);
}
