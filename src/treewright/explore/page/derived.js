// Numbers that tests derive from several columns. In a program they stand behind its columns, and are compared as cells are.
import { derivedNumber, scoresOf } from "./predictor.js";
import { edge } from "./upper_envelope.js";

const WIDER = 1024; // how much a search widens where rounding hides the place it is for
const TRIES = 6;
const STEPS = 512; // of a range in which places are looked for that no formula tells

export function derivedNumbers(program) {
  const first = program.columns.length;
  const all = program.derived ?? [];
  const codes = program.columns.map(([, , , levels]) => (levels.length > 0 ? new Set(levels.map(([code]) => code)) : null));

  // A cell as the predictor reads it: a level that training did not show is missing.
  function known(cells, j) {
    const x = cells[j] ?? null;
    return x === null || codes[j] === null || codes[j].has(x) ? x : null;
  }

  // What is found in a row: its cell of a column, or the number that is derived from its cells; null where it is missing.
  function value(cells, column) {
    return column < first ? (cells[column] ?? null) : derivedNumber(all[column - first], (j) => known(cells, j));
  }

  // The columns that a test reads; none for an answer.
  function columnsOf(column) {
    if (column < first) return column < 0 ? [] : [column];
    return [...new Set(all[column - first][3].flatMap(([j, , , , , by]) => (by === undefined ? [j] : [j, by])))];
  }

  // How missing cells count: [column, number], of levels as the share of a row that has them; null: the number is missing as well.
  function fills(column) {
    const [, , needsAll, terms] = all[column - first];
    return needsAll === 1 ? null : unique(terms.flatMap(([j, , missing, listed, levels, by, byMissing]) => [
      { column: j, missing, levels: listed ? levels : null },
      ...(by === undefined ? [] : [{ column: by, missing: byMissing, levels: null }]),
    ]));
  }

  // Of fills that say the same the first.
  function unique(every) {
    const seen = new Set();
    return every.filter((one) => !seen.has(JSON.stringify(one)) && seen.add(JSON.stringify(one)));
  }

  // What a number is along one column, the others as they are: square and slope.
  function shape(terms, cells, j) {
    const other = (k, listed, levels, missing) => {
      const x = known(cells, k);
      return x === null ? missing : listed ? Number(levels.includes(x)) : x;
    };
    let [square, slope] = [0, 0];
    for (const [k, coefficient, missing, listed, levels, by, byMissing] of terms) {
      if (k === j && by === j && !listed) square += coefficient;
      else if (k === j && !listed) slope += coefficient * (by === undefined ? 1 : other(by, 0, [], byMissing));
      else if (by === j) slope += coefficient * other(k, listed, levels, missing);
    }
    return [square, slope];
  }

  // Where square x² + slope x + rest is 0.
  function roots(square, slope, rest) {
    if (square === 0) return [-rest / slope];
    const inside = slope * slope - 4 * square * rest;
    if (!(inside >= 0)) return [];
    const half = -(slope + (slope < 0 ? -1 : 1) * Math.sqrt(inside)) / 2;
    return half === 0 ? [0] : [half / square, rest / half];
  }

  // The sums that a number is made of, each with its score and the square and the slope along one column; null where one is squashed.
  function lines(column, cells, j) {
    const [, , needsAll, terms, parts] = all[column - first];
    if (parts === undefined) return null;
    if (parts.some(([, , squashed]) => squashed)) return null;
    const scores = scoresOf(needsAll, terms, parts, (k) => (k === j ? 0 : known(cells, k)));
    if (scores === null) return null;
    const out = scores.map((rest) => [0, 0, rest]);
    let begin = 0;
    for (const [score, count] of parts) {
      const [square, slope] = shape(terms.slice(begin, begin + count), cells, j);
      begin += count;
      out[score][0] += square;
      out[score][1] += slope;
    }
    return out;
  }

  // Where a number that is no plain sum may pass a threshold: where two scores meet, or between two of many places of a range.
  function meetings(cells, column, j, below, [low, high]) {
    const scores = lines(column, cells, j);
    if (scores !== null) {
      return scores.flatMap((a, k) => scores.slice(k + 1).flatMap((b) => {
        const [square, slope, rest] = a.map((x, i) => x - b[i]);
        return roots(square, slope, rest).filter(Number.isFinite).flatMap((place) => edgeAt(place, (Math.abs(a[2]) + Math.abs(b[2])) / Math.abs(2 * square * place + slope), below));
      })).sort((a, b) => a - b);
    }
    const [from, to] = high > low ? [low - (high - low) / 2, high + (high - low) / 2] : [low - 1, low + 1];
    const places = Array.from({ length: STEPS + 1 }, (_, k) => from + ((to - from) * k) / STEPS);
    const sides = places.map(below);
    return places.slice(1).flatMap((place, k) => (sides[k] === null || sides[k + 1] === null || sides[k] === sides[k + 1] ? [] : [edge(places[k], place, sides[k], below)]));
  }

  // The last of the cells before the threshold, near a place that rounding may have moved.
  function edgeAt(place, far, below) {
    let room = 2 ** -44 * (Math.abs(place) + far) + Number.MIN_VALUE;
    for (let turn = 0; turn < TRIES; turn += 1, room *= WIDER) {
      const [low, high] = [place - room, place + room];
      if (!(Number.isFinite(low) && Number.isFinite(high))) return [];
      const sides = [below(low), below(high)];
      if (!sides.includes(null) && sides[0] !== sides[1]) return [edge(low, high, sides[0], below)];
    }
    return [];
  }

  // Where a derived number passes a threshold if cell j alone changes: the last of the cells before it. The sum tells where to look, the
  // number as it is rounded where exactly. Empty where the cell does not matter, or no number is found. `range`: of the column.
  function crossings(cells, column, j, cut, less, range = [0, 0]) {
    const row = cells.slice();
    const at = (x) => {
      row[j] = x;
      return value(row, column);
    };
    const below = (x) => {
      const found = at(x);
      return found === null ? null : less ? found < cut : found <= cut;
    };
    if (all[column - first][4] !== undefined) return meetings(cells, column, j, below, range);
    const [square, slope] = shape(all[column - first][3], cells, j);
    const rest = at(0);
    if (rest === null) return [];
    const steep = (place) => Math.abs(2 * square * place + slope);
    return roots(square, slope, rest - cut)
      .filter(Number.isFinite)
      .sort((a, b) => a - b)
      .flatMap((place) => edgeAt(place, (Math.abs(rest) + Math.abs(cut)) / steep(place), below));
  }

  // How many scores there are, of which a number tells the largest; 1: it is a score itself.
  const scores = all.map(([, , , , parts]) => (parts === undefined ? 1 : parts[parts.length - 1][0] + 1));

  return { any: all.length > 0, labels: all.map(([label]) => label), scores, value, columnsOf, fills, crossings };
}
