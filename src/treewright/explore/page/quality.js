// How good a model is, in words: counts beside every share, errors of numbers in the target's own unit.
import { count, grouped, number, percent } from "./words.js";

export function errorText(path, value) {
  return path.error === "error" ? percent(value) : grouped(number(value, 4));
}

export function exactText({ rows, right, rmse }, outputs) {
  if (right !== undefined) return `${count(right)} of ${count(rows)} right (${percent(right / rows)})`;
  const figures = rmse.map((one, k) => `${rmse.length > 1 ? `${outputs[k]} ` : ""}${grouped(number(one, 4))}`);
  return `root mean square error ${figures.join(", ")}`;
}

// The exact error, counted row by row, in the measure of the curve; null where it was counted in another.
export function exactError(path, exact) {
  if (exact === null) return null;
  if (path.error === "error") return exact.right === undefined ? null : 1 - exact.right / exact.rows;
  return path.error === "root mean square error" && exact.rmse?.length === 1 ? exact.rmse[0] : null;
}

// One curve at one size. Where missing cells send rows down several branches, rows count in fractions, and the text mentions it.
export function curveText(path, text, error, rows, { exact, fractions, folds }) {
  if (exact && (path.error === "error" || path.error === "root mean square error")) return `${text}: ${exactText(exact)}`;
  if (path.error !== "error") return `${text}: ${path.error} ${errorText(path, error)}`;
  const note = fractions ? ", missing cells in parts" : "";
  if (path.weighted || folds) return `${text}: ${percent(1 - error)}${path.weighted ? "" : ` of ${count(rows)}`} right${path.weighted ? " by weight" : ""}${note}`;
  const right = rows * (1 - error);
  return `${text}: ${count(fractions ? right : Math.round(right))} of ${count(rows)} right (${percent(1 - error)}${note})`;
}
