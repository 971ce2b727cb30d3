// Numbers that tests derive from several columns. In a program they stand behind its columns, and are compared as cells are.
import { derivedNumber } from "./predictor.js";
import { edge } from "./upper_envelope.js";

const WIDER = 1024; // how much a search widens where rounding hides the place it is for
const TRIES = 6;

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
    return [...new Set(all[column - first][3].map(([j]) => j))];
  }

  // How missing cells count: [column, number], of levels as the share of a row that has them; null: the number is missing as well.
  function fills(column) {
    const [, , needsAll, terms] = all[column - first];
    return needsAll === 1 ? null : terms.map(([j, , missing, listed, levels]) => ({ column: j, missing, levels: listed ? levels : null }));
  }

  // Where a derived number passes a threshold if cell j alone changes: the last of the cells before it. The sum tells where to look, the
  // number as it is rounded where exactly. Empty where the cell does not matter, or no number is found.
  function crossings(cells, column, j, cut, less) {
    const row = cells.slice();
    const at = (x) => {
      row[j] = x;
      return value(row, column);
    };
    const below = (x) => {
      const found = at(x);
      return found === null ? null : less ? found < cut : found <= cut;
    };
    const slope = all[column - first][3].reduce((sum, [k, coefficient, , listed]) => (k === j && !listed ? sum + coefficient : sum), 0);
    const rest = at(0);
    const place = rest === null ? NaN : (cut - rest) / slope;
    if (!Number.isFinite(place)) return [];
    let room = 2 ** -44 * (Math.abs(place) + (Math.abs(rest) + Math.abs(cut)) / Math.abs(slope)) + Number.MIN_VALUE;
    for (let turn = 0; turn < TRIES; turn += 1, room *= WIDER) {
      const [low, high] = [place - room, place + room];
      if (!(Number.isFinite(low) && Number.isFinite(high))) return [];
      const sides = [below(low), below(high)];
      if (!sides.includes(null) && sides[0] !== sides[1]) return [edge(low, high, sides[0], below)];
    }
    return [];
  }

  return { any: all.length > 0, labels: all.map(([label]) => label), value, columnsOf, fills, crossings };
}
