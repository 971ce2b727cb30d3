// Rows that are followed: cells as numbers and numbers of levels. What the model says of them, and what would change it.
import { boxesOf, valueInside } from "./boxes.js";
import { cell, number } from "./words.js";

const FLIPS = 5;

export function rowTools(model) {
  const { program } = model.doc;
  const used = model.columns.map((_, j) => j).filter((j) => model.columns[j].importance !== undefined);
  used.sort((a, b) => (model.columns[b].importance ?? 0) - (model.columns[a].importance ?? 0) || a - b);

  // The cells as the predictor takes them: levels by their labels.
  function asked(cells) {
    return cells.map((x, j) => {
      if (x === null || x === undefined) return null;
      const known = program.columns[j][3];
      if (known.length === 0) return x;
      const entry = known.find(([code]) => code === x);
      if (entry === undefined) return null;
      const [, tag, value] = entry;
      return tag === "w" ? BigInt(value) : tag === "b" ? value === 1 : tag === "d" || tag === "a" ? new Date(value / 1000) : value;
    });
  }

  // The way of a row: every node it passes with the share of it that does, where it ends, and the answer.
  function follow(cells, size) {
    const known = model.lines ? model.lines.filled(cells) : cells;
    const found = model.predict(size).explain(asked(known));
    const passed = new Map();
    const add = (at, part) => {
      const id = model.originOf(at);
      passed.set(id, Math.max(passed.get(id) ?? 0, part));
    };
    for (const step of found.steps) add(step.node, step.share);
    for (const { leaf, share } of found.ends) passed.set(model.originOf(leaf), found.ends.filter((end) => model.originOf(end.leaf) === model.originOf(leaf)).reduce((sum, end) => sum + end.share, 0));
    const ends = found.ends.map(({ leaf, share }) => [model.originOf(leaf), share]);
    const labels = model.predict(size).classes;
    if (model.lines && model.classes !== null) {
      const shares = model.lines.shares(known, ends);
      const label = shares.indexOf(Math.max(...shares));
      return { ...found, says: labels[program.order.indexOf(label)], shares: program.order.map((k) => shares[k]), ends, passed, label };
    }
    const code = labels.findIndex((label) => label === found.says);
    const says = model.lines ? model.lines.says(known, ends) : found.says;
    return { ...found, says, ends, passed, label: code < 0 ? -1 : program.order[code] };
  }

  function typical() {
    return model.columns.map((column, j) => {
      if (!used.includes(j)) return null;
      if (column.levels || column.kind === "bool") return column.counts ? column.counts.indexOf(Math.max(...column.counts)) : (program.columns[j][3][0]?.[0] ?? 0);
      return middle(column, 0.5);
    });
  }

  function random() {
    return model.columns.map((column, j) => {
      if (!used.includes(j)) return null;
      if (column.levels || column.kind === "bool") return drawn(column.counts ?? new Array(column.levels ? column.levels.length : 2).fill(1));
      return middle(column, Math.random());
    });
  }

  function drawn(counts) {
    let left = Math.random() * counts.reduce((a, b) => a + b, 0);
    return Math.max(0, counts.findIndex((n) => (left -= n) < 0));
  }

  // The value below which a share of the rows lie, as the bins have it.
  function middle({ low, high, bins }, part) {
    if (!bins) return round(low + (high - low) * part, high - low);
    let left = part * bins.reduce((a, b) => a + b, 0);
    let at = 0;
    while (at < bins.length - 1 && left > bins[at]) left -= bins[at++];
    const inside = bins[at] > 0 ? left / bins[at] : 0.5;
    return round(low + ((high - low) * (at + inside)) / bins.length, high - low);
  }

  function round(value, span) {
    const step = 10 ** (Math.floor(Math.log10(span || 1)) - 1);
    return Number((Math.round(value / step) * step).toPrecision(12));
  }

  // Changes of one column that alter the answer, the smallest first: [{ column, value, text, says, label }].
  function flips(cells, size) {
    const now = follow(cells, size);
    const out = [];
    for (const j of used) {
      const { boxes } = boxesOf(model.programAt(size), cells, [j]);
      const column = model.columns[j];
      if (column.levels || column.kind === "bool") out.push(...otherLevels(cells, size, j, now));
      else {
        const near = nearest(cells[j], boxes, column).find(([value]) => differs(changed(cells, j, value), size, now));
        if (near) out.push(flip(cells, size, j, near[0], near[1]));
      }
    }
    return out.sort((a, b) => a.far - b.far).slice(0, FLIPS);
  }

  function nearest(x, boxes, column) {
    const span = column.high - column.low || 1;
    const at = x ?? (column.low + column.high) / 2;
    const found = boxes.map(({ spans: [[low, high]] }) => {
      if (at > high || (at === high && x !== null)) return [valueInside(low, high, true, span), (at - high) / span];
      if (at <= low) return [valueInside(low, high, false, span), (low - at) / span];
      return [at, x === null ? 0 : Infinity];
    });
    return found.filter(([, far]) => far !== Infinity).sort((a, b) => a[1] - b[1]);
  }

  function otherLevels(cells, size, j, now) {
    const levels = model.columns[j].levels ? program.columns[j][3].map(([code]) => code) : [0, 1];
    const found = levels.filter((code) => code !== cells[j]).slice(0, 200).filter((code) => differs(changed(cells, j, code), size, now));
    const byAnswer = new Map();
    for (const code of found) {
      const says = follow(changed(cells, j, code), size).says;
      byAnswer.set(says, [...(byAnswer.get(says) ?? []), code]);
    }
    return [...byAnswer.values()].map((codes) => flip(cells, size, j, codes[0], 1, codes));
  }

  function differs(row, size, now) {
    return follow(row, size).says !== now.says;
  }

  function changed(cells, j, value) {
    const row = cells.slice();
    row[j] = value;
    return row;
  }

  function flip(cells, size, j, value, far, codes = null) {
    const column = model.columns[j];
    const { says, label } = follow(changed(cells, j, value), size);
    const text = codes === null
      ? `${column.name} ${cell(column, cells[j])} → ${cell(column, value)}`
      : `${column.name} = ${codes.slice(0, 4).map((code) => cell(column, code)).join(" or ")}${codes.length > 4 ? " …" : ""}`;
    return { column: j, value, text, far, says, label };
  }

  // How far the answer can be moved by one column alone: of numbers.
  function reach(cells, size) {
    return used.map((j) => {
      const { boxes } = boxesOf(model.programAt(size), cells, [j]);
      const said = boxes.map(({ leaf }) => model.value[model.originOf(leaf)]);
      return { column: j, low: Math.min(...said), high: Math.max(...said) };
    }).filter(({ low, high }) => high > low).sort((a, b) => b.high - b.low - (a.high - a.low)).slice(0, FLIPS);
  }

  function says(found) {
    return model.classes === null ? number(found.says) : found.label >= 0 ? model.classes[found.label] : String(found.says);
  }

  return { used, follow, typical, random, flips, reach, asked, changed, says };
}
