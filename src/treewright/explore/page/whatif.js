// What-if: for every column the ranges of its values in which the answer is another, as large as they are, and the nearest cell in
// each.
import { before, contains, inside, next } from "./ends.js";
import { classChanges } from "./upper_envelope.js";
import { cell } from "./words.js";

const LISTED = 5; // changes
const LEVELS = 200; // levels that are tried
const STEPS = 16; // of a range in which soft thresholds mix answers
const DIGITS = 10; // characters of a bound that is written as it is

// Where the share along a logistic function is looked at.
const bends = (at, slope) => [-8, -4, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 8].map((far) => at + far / slope).filter(Number.isFinite);

export function whatIfTools(model, { used, follow, changed }) {
  const { program } = model.doc;

  // Where nodes that the row may reach split a column.
  function ends(cells, size, j) {
    const { column, less, cut, cut_begin, to, to_begin, missing, way_begin, way_to, soft } = model.programAt(size);
    const found = new Map();
    const spans = new Map((model.doc.votes ? [...column.keys()] : [0]).map((node) => [node, [-Infinity, Infinity]])); // rules are evaluated one by one
    const open = [...spans.keys()];
    const ramps = new Map(soft.map(([node, at, share, slope]) => [node, share.length > 0 ? at : bends(at[0], slope[0])]));
    // On to a node with the cells of the column that may lead there.
    const go = (node, [low, high]) => {
      const [from, to] = spans.get(node) ?? [Infinity, -Infinity];
      if (node < 0 || (from <= low && high <= to)) return;
      spans.set(node, [Math.min(from, low), Math.max(to, high)]);
      open.push(node);
    };
    const all = (node, next, span = spans.get(node)) => (next === -2 ? way_to.slice(way_begin[node], way_begin[node + 1]).forEach((way) => go(way, span)) : go(next, span));
    while (open.length > 0) {
      const node = open.pop();
      if (column[node] < 0) continue;
      const [begin, end] = [cut_begin[node], cut_begin[node + 1]];
      const x = model.derived.columnsOf(column[node]).includes(j) ? undefined : model.derived.value(cells, column[node]);
      if (x === undefined && column[node] !== j) {
        // A derived number: its branches take turns along the column, from one crossing to the next.
        const [low, high] = spans.get(node);
        const thresholds = [...cut.slice(begin, end), ...(ramps.get(node) ?? [])];
        const places = thresholds.flatMap((at) => model.derived.crossings(cells, column[node], j, at, less[node] === 1)).filter((at) => at >= low && at < high).sort((a, b) => a - b);
        for (const place of places) found.set(`${place} 0`, [place, 1]);
        [...places, high].forEach((to, k) => {
          const from = k > 0 ? places[k - 1] : low;
          const probe = inside(Number.isFinite(from) ? [from, 1] : null, Number.isFinite(to) ? [to, 1] : null, 1);
          if (probe !== null) branchesOf(node, model.derived.value(changed(cells, j, probe), column[node])).forEach((next) => all(node, next, [from, to]));
        });
      } else if (x === undefined || ramps.has(node)) {
        for (let k = to_begin[node]; k < to_begin[node] + end - begin + 1; k += 1) all(node, to[k]);
        if (x !== undefined) continue;
        for (let k = begin; k < end; k += 1) found.set(`${cut[k]} ${less[node]}`, [cut[k], less[node] ? 0 : 1]);
        for (const at of ramps.get(node) ?? []) found.set(`${at} r`, [at, 1]);
      } else branchesOf(node, x).forEach((next) => all(node, next));
    }
    return [...found.values()].sort(before);

    // Where a node sends a cell, or a number: all its branches where it has a ramp.
    function branchesOf(node, x) {
      const [begin, end] = [cut_begin[node], cut_begin[node + 1]];
      if (ramps.has(node)) return to.slice(to_begin[node], to_begin[node] + end - begin + 1);
      if (x === null) return [missing[node]];
      let k = begin;
      while (k < end && (less[node] ? x >= cut[k] : x > cut[k])) k += 1;
      return [to[to_begin[node] + k - begin]];
    }
  }

  // The ranges of a column with the answer in each: [{ low, high, label, says }], neighbours that agree as one.
  function ranges(cells, size, j) {
    const { low, high } = model.columns[j];
    const places = breaks(cells, size, j);
    if (model.lines && model.classes !== null) places.push(...places.concat([null]).flatMap((to, k) => within(cells, size, j, places[k - 1] ?? null, to)));
    places.sort(before);
    const out = [];
    for (let k = 0; k <= places.length; k += 1) {
      const [from, to] = [places[k - 1] ?? null, places[k] ?? null];
      const x = inside(from, to, Math.max(1, high - low));
      if (x === null) continue;
      const { says, label } = follow(changed(cells, j, x), size);
      const last = out[out.length - 1];
      if (last && last.says === says) last.high = to;
      else out.push({ low: from, high: to, says, label });
    }
    return out;
  }

  function breaks(cells, size, j) {
    const places = ends(model.lines ? model.lines.filled(cells) : cells, size, j);
    return program.soft.length > 0 ? finer(places) : places;
  }

  // Where the scores of a leaf split a range: where the answer becomes another, or, where it wavers for a few numbers between scores that
  // are equal but for rounding, at one of these places.
  function within(cells, size, j, from, to) {
    const answer = (x) => follow(changed(cells, j, x), size);
    const middle = inside(from, to, Math.max(1, model.columns[j].high - model.columns[j].low));
    if (middle === null) return [];
    const lines = model.lines.along(model.lines.filled(cells), answer(middle).ends[0][0], j);
    return classChanges(lines, from ? from[0] : -Infinity, to ? to[0] : Infinity, (x) => answer(x).label).map((x) => [x, 1]);
  }

  // The least and the greatest number that one column alone can make of the answer of equations, in the range of the training rows.
  function reach(cells, size, j) {
    const column = model.columns[j];
    const answer = (x) => follow(changed(cells, j, x), size).says;
    if (column.levels || column.kind === "bool") return levelsOf(j).map(answer);
    const places = breaks(cells, size, j);
    const clamp = (x) => Math.min(column.high, Math.max(column.low, x));
    const tried = places.flatMap(([at, above]) => (at >= column.low && at <= column.high ? [at, clamp(above ? next(at) : -next(-at))] : []));
    return [column.low, ...tried, column.high].map(answer);
  }

  function finer(places) {
    return places.flatMap((end, k) => {
      const next = places[k + 1];
      return next ? Array.from({ length: STEPS }, (_, p) => (p === 0 ? end : [end[0] + ((next[0] - end[0]) * p) / STEPS, 1])) : [end];
    });
  }

  // The ends as cells inside the range: the ends themselves where they belong to it, else the next multiple of the column's unit, or null
  // where it has none.
  function closed({ low, high }, unit) {
    // Beyond 2^53 units the next number is further than the next multiple.
    const up = low === null ? null : low[1] === 0 ? low[0] : unit ? Math.max(Math.floor(low[0] / unit) * unit + unit, next(low[0])) : null;
    const down = high === null ? null : high[1] === 1 ? high[0] : unit ? Math.min(Math.ceil(high[0] / unit) * unit - unit, -next(-high[0])) : null;
    const grid = (value, round) => (value === null || !unit ? value : round(value / unit) * unit);
    return [grid(up, Math.ceil), grid(down, Math.floor)];
  }

  // The nearest cell of a range: its end, or a number with few digits just inside.
  function nearest(range, x, column) {
    const span = column.high - column.low || 1;
    const [up, down] = closed(range, column.unit);
    const above = range.high !== null && (x ?? Infinity) >= range.high[0] && !(range.low !== null && (x ?? Infinity) <= range.low[0]);
    const end = above ? range.high : range.low;
    if (end === null) return (above ? null : down) ?? column.low;
    const value = (above ? down : up) ?? justInside(end[0], above ? -1 : 1, range, span);
    return value;
  }

  function justInside(end, way, range, span) {
    const { low, high } = range;
    const room = Math.min(span / 500, low !== null && high !== null ? high[0] - low[0] : Infinity);
    for (let step = 10 ** Math.floor(Math.log10(room)), turn = 0; turn < 18; turn += 1, step /= 10) {
      const value = Number(((way > 0 ? Math.floor(end / step + 1e-9) + 1 : Math.ceil(end / step - 1e-9) - 1) * step).toPrecision(15));
      if (Math.abs(value - end) <= room && contains(range, value)) return value;
    }
    return way > 0 ? next(end) : -next(-end);
  }

  function text(range, column, x) {
    const [up, down] = closed(range, column.unit);
    const low = bound(range, up, column, 1);
    const high = bound(range, down, column, -1);
    const now = ` (is ${cell(column, x)})`;
    if (up !== null && up === down) return `${column.name} = ${low[1]}${now}`;
    if (!low) return `${column.name} ${high[0]} ${high[1]}${now}`;
    if (!high) return `${column.name} ${low[0] === "≤" ? "≥" : ">"} ${low[1]}${now}`;
    return `${low[1]} ${low[0]} ${column.name} ${high[0]} ${high[1]}${now}`;
  }

  // An end as it is written. Digits that only a sum of two halves has are left out; any other bound of many digits is rounded
  // inwards, to the digits that cells of the column have if that is possible, so that it holds as written.
  function bound(range, within, column, way) {
    const end = way > 0 ? range.low : range.high;
    if (end === null) return null;
    if (column.kind !== "number") return [within === null ? "<" : "≤", cell(column, within ?? end[0])];
    const at = within ?? end[0];
    const plain = Number(at.toPrecision(12));
    if (String(plain).length <= DIGITS) return [contains(range, plain) ? "≤" : "<", String(plain)];
    const size = 6 - Math.floor(Math.log10(Math.abs(at) || 1));
    for (const digits of [column.digits ?? size, size, size + 4, size + 8]) {
      const step = (way > 0 ? Math.ceil : Math.floor)(at * 10 ** digits);
      const value = [step, step + way].map((n) => decimal(n, digits)).find((x) => contains(range, x));
      if (value !== undefined) return ["≤", String(value)];
    }
    return [within === null ? "<" : "≤", String(at)];
  }

  const decimal = (n, digits) => Number((digits > 0 ? n / 10 ** digits : n * 10 ** -digits).toPrecision(15));

  // Changes of one column that alter the answer, the smallest first: [{ column, value, text, says, label, far }].
  function whatIf(cells, size) {
    const now = follow(cells, size);
    const out = used.flatMap((j) => {
      const column = model.columns[j];
      if (column.levels || column.kind === "bool") return otherLevels(cells, size, j, now);
      return otherRanges(cells, size, j, now);
    });
    return out.sort((a, b) => a.far - b.far).slice(0, LISTED);
  }

  // Of every other answer the nearest range of the column.
  function otherRanges(cells, size, j, now) {
    const column = model.columns[j];
    const x = cells[j] ?? null;
    const found = new Map();
    for (const range of ranges(cells, size, j)) {
      if (range.says === now.says || beyond(range, column)) continue;
      const value = nearest(range, x, column);
      const there = follow(changed(cells, j, value), size);
      if (there.says === now.says) continue;
      const far = Math.abs(value - (x ?? (column.low + column.high) / 2)) / (column.high - column.low || 1);
      if (!found.has(range.says) || far < found.get(range.says).far) found.set(range.says, { column: j, value, far, says: there.says, label: there.label, text: text(range, column, x) });
    }
    return [...found.values()];
  }

  // Whether a range lies outside the cells of the rows.
  function beyond({ low, high }, column) {
    return column.bins !== undefined && ((low !== null && low[0] >= column.high) || (high !== null && high[0] < column.low));
  }

  function levelsOf(j) {
    return model.columns[j].levels ? program.columns[j][3].map(([code]) => code) : [0, 1];
  }

  function otherLevels(cells, size, j, now) {
    const column = model.columns[j];
    const byAnswer = new Map();
    for (const code of levelsOf(j).filter((one) => one !== cells[j]).slice(0, LEVELS)) {
      const { says, label } = follow(changed(cells, j, code), size);
      if (says === now.says) continue;
      if (!byAnswer.has(says)) byAnswer.set(says, { column: j, value: code, far: 1, says, label, codes: [] });
      byAnswer.get(says).codes.push(code);
    }
    return [...byAnswer.values()].map(({ codes, ...one }) => ({ ...one, text: `${column.name} = ${codes.slice(0, 4).map((code) => cell(column, code)).join(" or ")}${codes.length > 4 ? " …" : ""}` }));
  }

  return { whatIf, ranges, reach };
}
