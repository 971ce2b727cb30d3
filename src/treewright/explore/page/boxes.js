// The space of one or two columns cut into the boxes in which one leaf answers, the other columns fixed at the cells of a row.
// Exact: read from the program, not sampled point by point.
import { before, inside } from "./ends.js";

// `fixed`: cells as numbers and codes of levels, null where missing. Returns [{ leaf, spans: [[low, high], ...] }] and whether a
// fixed cell was missing where the row goes several ways: then the heaviest is followed.
export function boxesOf(program, fixed, axes) {
  const out = [];
  let divided = false;
  const open = [[0, axes.map(() => [-Infinity, Infinity])]];
  const heaviest = (node) => {
    divided = true;
    let best = -1;
    for (let w = program.way_begin[node]; w < program.way_begin[node + 1]; w += 1) if (best < 0 || program.way_share[w] > program.way_share[best]) best = w;
    return program.way_to[best];
  };
  while (open.length > 0) {
    let [node, spans] = open.pop();
    while (node >= 0 && program.column[node] >= 0) {
      const column = program.column[node];
      const axis = axes.indexOf(column);
      if (axis >= 0) {
        for (const [interval, low, high] of intervals(program, node, spans[axis])) {
          const to = program.to[program.to_begin[node] + interval];
          if (to !== -1) open.push([to === -2 ? heaviest(node) : to, spans.map((span, i) => (i === axis ? [low, high] : span))]);
        }
        node = -1;
        break;
      }
      const to = jump(program, node, fixed[column]);
      node = to === -2 ? heaviest(node) : to;
    }
    if (node >= 0) out.push({ leaf: node, spans });
  }
  return { boxes: out, divided };
}

function byLevel(program, column) {
  return ["nominal", "ordered", "bool"].includes(program.columns[column][1]);
}

// Where a cut lies in the picture: a level is the unit interval around its code, so that one between two codes lies between two of them.
function border(program, node, cut) {
  if (!byLevel(program, program.column[node])) return cut;
  return program.less[node] ? Math.ceil(cut) - 0.5 : Math.floor(cut) + 0.5;
}

function* intervals(program, node, [from, to]) {
  const begin = program.cut_begin[node];
  const n = program.cut_begin[node + 1] - begin;
  for (let k = 0; k <= n; k += 1) {
    const low = Math.max(from, k > 0 ? border(program, node, program.cut[begin + k - 1]) : -Infinity);
    const high = Math.min(to, k < n ? border(program, node, program.cut[begin + k]) : Infinity);
    if (low < high) yield [k, low, high];
  }
}

function jump(program, node, x) {
  if (x === null || x === undefined) return program.missing[node];
  let k = program.cut_begin[node];
  const end = program.cut_begin[node + 1];
  while (k < end && (program.less[node] ? x >= program.cut[k] : x > program.cut[k])) k += 1;
  return program.to[program.to_begin[node] + k - program.cut_begin[node]];
}

// The same for rules that vote: the space is cut at every threshold of every rule, and every piece is predicted once.
// `predict`: the model's answer for a row, { label, says, shares, ends }.
export function gridOf(program, fixed, axes, predict) {
  const [across, up] = axes.map((j) => pieces(program, j));
  const out = [];
  for (const one of across) {
    for (const other of up ?? [null]) {
      const row = fixed.slice();
      row[axes[0]] = one.cell;
      if (other) row[axes[1]] = other.cell;
      const found = predict(row);
      out.push({ leaf: found.ends[0][0], spans: other ? [one.span, other.span] : [one.span], found });
    }
  }
  return { boxes: out, divided: false };
}

// What the thresholds of all nodes leave of a column: where a piece lies in the picture, and a cell in it. A single number takes no room there.
function pieces(program, j) {
  const ends = new Map();
  program.column.forEach((column, node) => {
    if (column !== j) return;
    for (let k = program.cut_begin[node]; k < program.cut_begin[node + 1]; k += 1) {
      const end = [border(program, node, program.cut[k]), byLevel(program, j) || program.less[node] ? 0 : 1];
      ends.set(String(end), end);
    }
  });
  const places = [...ends.values()].sort(before);
  return [...places, null].flatMap((high, k) => {
    const low = places[k - 1] ?? null;
    const span = [low?.[0] ?? -Infinity, high?.[0] ?? Infinity];
    const cell = byLevel(program, j) ? levelIn(span) : inside(low, high, 1);
    return cell === null || !(span[0] < span[1]) ? [] : [{ span, cell }];
  });
}

// The first level of a piece, or the last.
function levelIn([low, high]) {
  return Number.isFinite(low) ? low + 0.5 : Number.isFinite(high) ? high - 0.5 : 0;
}
