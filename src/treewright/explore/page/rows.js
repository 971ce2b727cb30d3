// Rows that are followed: cells as numbers and codes of levels. The model's answer for them, and what would change it.
import { boxesOf, gridOf } from "./boxes.js";
import { whatIfTools } from "./whatif.js";
import { number } from "./words.js";

const REACHES = 5;
const FURTHEST = 20; // rows of a number

export function rowTools(model) {
  const { program } = model.doc;
  const used = model.columns.map((_, j) => j).filter((j) => model.columns[j].importance !== undefined);
  used.sort((a, b) => (model.columns[b].importance ?? 0) - (model.columns[a].importance ?? 0) || a - b);

  // The cells as the predictor takes them: levels by their labels.
  function predictorRow(cells) {
    return cells.map((x, j) => {
      if (x === null || x === undefined) return null;
      const levels = program.columns[j][3];
      if (levels.length === 0) return x;
      const entry = levels.find(([code]) => code === x);
      if (entry === undefined) return null;
      const [, tag, value] = entry;
      return tag === "w" ? BigInt(value) : tag === "b" ? value === 1 : tag === "d" || tag === "a" ? new Date(value / 1000) : value;
    });
  }

  // The path of a row: every node it passes with the share of it that does, where it ends, and the answer.
  function follow(cells, size) {
    const filled = model.lines ? model.lines.filled(cells) : cells;
    const found = model.predict(size).explain(predictorRow(filled));
    const passed = new Map();
    const add = (at, share) => {
      const id = model.originOf(at);
      passed.set(id, Math.max(passed.get(id) ?? 0, share));
    };
    if (model.voting) for (const { leaf, share } of found.ends) passed.set(Math.max(0, model.parent[model.originOf(leaf)]), share);
    else for (const step of found.steps) add(step.node, step.share);
    for (const { leaf, share } of found.ends) passed.set(model.originOf(leaf), found.ends.filter((end) => model.originOf(end.leaf) === model.originOf(leaf)).reduce((sum, end) => sum + end.share, 0));
    const ends = found.ends.map(({ leaf, share }) => [model.originOf(leaf), share]);
    const labels = model.predict(size).classes;
    if (model.lines && model.classes !== null) {
      const shares = model.lines.shares(filled, ends);
      const label = shares.indexOf(Math.max(...shares));
      return { ...found, says: labels[program.order.indexOf(label)], shares: program.order.map((k) => shares[k]), ends, passed, label };
    }
    const code = labels.findIndex((label) => label === found.says);
    const says = model.lines ? model.lines.answer(filled, ends) : model.doc.vectors ? model.meanVector(ends) : found.says;
    return { ...found, says, ends, passed, label: code < 0 ? -1 : program.order[code] };
  }

  // Rows of the table itself, where they are in the page.
  const kept = model.doc.rows;
  const rowAt = (i) => kept.columns.map((column) => column[i]);

  // The row that is nearest to the composed one: its place among those of the page.
  let nearest = -1; // all rows are looked at once
  function medoid() {
    if (nearest >= 0) return nearest;
    const middle = composed();
    const apart = (x, j) => (x === middle[j] ? 0 : x === null || middle[j] === null || !(model.columns[j].high > model.columns[j].low) ? 1 : Math.abs(x - middle[j]) / (model.columns[j].high - model.columns[j].low));
    const far = kept.number.map((_, i) => used.reduce((sum, j) => sum + apart(kept.columns[j][i], j), 0));
    nearest = far.reduce((best, one, i) => (one < far[best] ? i : best), 0);
    return nearest;
  }

  // Places of the rows that the model answers wrongly; of numbers those that are furthest off.
  let judged = { size: -1, rows: [] }; // they are found once for every size
  function wrong(size) {
    if (judged.size !== size) judged = { size, rows: misjudged(size) };
    return judged.rows;
  }

  function misjudged(size) {
    if (!kept?.target) return [];
    if (model.classes === null) {
      const off = kept.number.map((_, i) => Math.abs(follow(rowAt(i), size).says - kept.target[i]));
      return kept.number.map((_, i) => i).filter((i) => off[i] > 0).sort((a, b) => off[b] - off[a] || a - b).slice(0, FURTHEST);
    }
    return kept.number.map((_, i) => i).filter((i) => follow(rowAt(i), size).label !== kept.target[i]);
  }

  const typical = () => (kept ? rowAt(medoid()) : composed());

  // Of no row: medians and most common levels, of the leaf that holds most rows where that is known.
  function composed() {
    const told = model.doc.typical;
    if (told) return model.columns.map((_, j) => (used.includes(j) ? told[j] : null));
    return model.columns.map((column, j) => {
      if (!used.includes(j)) return null;
      if (column.levels || column.kind === "bool") return column.counts ? column.counts.indexOf(Math.max(...column.counts)) : (program.columns[j][3][0]?.[0] ?? 0);
      return quantile(column, 0.5);
    });
  }

  function random() {
    return model.columns.map((column, j) => {
      if (!used.includes(j)) return null;
      if (column.levels || column.kind === "bool") return randomLevel(column.counts ?? new Array(column.levels ? column.levels.length : 2).fill(1));
      return quantile(column, Math.random());
    });
  }

  function randomLevel(counts) {
    let left = Math.random() * counts.reduce((a, b) => a + b, 0);
    return Math.max(0, counts.findIndex((n) => (left -= n) < 0));
  }

  // The value below which a share of the rows lie, by the bins.
  function quantile({ low, high, bins, unit }, share) {
    if (!bins) return round(low + (high - low) * share, high - low, unit);
    let left = share * bins.reduce((a, b) => a + b, 0);
    let at = 0;
    while (at < bins.length - 1 && left > bins[at]) left -= bins[at++];
    const inside = bins[at] > 0 ? left / bins[at] : 0.5;
    return round(low + ((high - low) * (at + inside)) / bins.length, high - low, unit);
  }

  function round(value, span, unit) {
    const step = unit ?? 10 ** (Math.floor(Math.log10(span || 1)) - 1);
    return Number((Math.round(value / step) * step).toPrecision(12));
  }

  function changed(cells, j, value) {
    const row = cells.slice();
    row[j] = value;
    return row;
  }

  // How far the answer, a number or one of several, can be moved by changing one column alone.
  function reach(cells, size, output = 0) {
    const value = (id) => (model.doc.vectors ? model.doc.vectors[id][output] : model.value[id]);
    return used.map((j) => {
      const numbers = model.lines || model.derived.any ? moved(cells, size, j).map((says) => (model.doc.vectors ? says[output] : says)) : model.doc.votes ? ranges(cells, size, j).map((range) => range.says) : boxesOf(model.programAt(size), cells, [j]).boxes.map(({ leaf }) => value(model.originOf(leaf)));
      return { column: j, low: Math.min(...numbers), high: Math.max(...numbers) };
    }).filter(({ low, high }) => high > low).sort((a, b) => b.high - b.low - (a.high - a.low)).slice(0, REACHES);
  }

  // The regions of one or two columns, the others fixed at the cells of a row.
  function regions(fixed, size, axes) {
    if (model.doc.votes) return gridOf(program, fixed, axes, (row) => follow(row, size));
    return boxesOf(model.programAt(size), model.lines ? model.lines.filled(fixed) : fixed, axes);
  }

  // The leaf of a row, by cells; of several the one with the largest share.
  function leafOf(cells, size) {
    return model.originOf(model.predict(size).leaf(predictorRow(model.lines ? model.lines.filled(cells) : cells)));
  }

  function answerText(found) {
    if (model.doc.vectors) return model.vectorText(found.says);
    return model.classes === null ? number(found.says) : found.label >= 0 ? model.classes[found.label] : String(found.says);
  }

  const { whatIf, ranges, reach: moved } = whatIfTools(model, { used, follow, changed });
  return { used, predictorRow, follow, typical, medoid, wrong, random, whatIf, ranges, reach, regions, leafOf, changed, answerText };
}
