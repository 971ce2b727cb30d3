// Answers of a flat program for single rows: what a model says, why, and what it would say of a changed row. No dependency.
//
// A row is an object from column names to cells, or an array of the cells of all columns. undefined, null and NaN are missing.
// Dates are Date objects, ISO texts (without a zone: UTC) or microseconds since 1970; durations are microseconds.

export function predictor(p) {
  const declared = p.classes.map(([tag, value]) => labelValue(tag, value));
  const levels = p.columns.map(([, , , known]) => new Map(known.map(([code, tag, value]) => [labelKey(tag, value), code])));
  const soft = new Map(p.soft.map(([node, ...ramp]) => [node, ramp]));
  const noSoft = new Map();
  // Whether what ends say are classes: members that add to scores say numbers, whatever the target is.
  const labelled = declared.length > 0 && p.combine !== "scores";

  // -- only derived --
  const derivedAt = (column) => p.derived[column - p.columns.length];

  // -- end --
  function cellOf(row, column) {
    // -- only derived --
    if (column >= p.columns.length) return derivedNumber(derivedAt(column), (j) => cellOf(row, j));
    // -- end --
    const [name, kind, strict] = p.columns[column];
    let cell;
    if (Array.isArray(row)) {
      if (row.length !== p.columns.length) throw new Error(`the row has ${row.length} cells, the model was fitted with ${p.columns.length} columns`);
      cell = row[column];
    } else {
      if (!Object.hasOwn(row, name)) throw new Error(`the row has no column ${JSON.stringify(name)}`);
      cell = row[name];
    }
    if (cell === undefined || cell === null || Number.isNaN(cell)) return null;
    if (kind === "nominal" || kind === "ordered") {
      const code = levels[column].get(cellKey(cell));
      if (code === undefined && strict) throw new Error(`column ${JSON.stringify(name)} holds ${JSON.stringify(String(cell))}, a level never seen in training`);
      return code === undefined ? null : code;
    }
    const x = kind === "date" ? microseconds(cell) : typeof cell === "string" ? NaN : Number(cell);
    if (Number.isNaN(x)) throw new Error(`column ${JSON.stringify(name)} was ${kind} in training and now holds ${JSON.stringify(String(cell))}: convert it to the type it had`);
    if (!Number.isFinite(x)) throw new Error(`column ${JSON.stringify(name)} holds infinity: replace it by a number, or by null where it is missing`);
    return x;
  }

  // Where a node sends a cell: the number of the jump among its own, -1 for that of a missing cell.
  function intervalOf(node, x) {
    if (x === null) return -1;
    let low = p.cut_begin[node];
    let high = p.cut_begin[node + 1];
    const less = p.less[node] === 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (less ? x < p.cut[middle] : x <= p.cut[middle]) high = middle;
      else low = middle + 1;
    }
    return low - p.cut_begin[node];
  }

  function below(x, [at, share, slope]) {
    // -- only sigmoids --
    if (share.length === 0) {
      const z = slope[0] * (x - at[0]);
      const e = exponential(-Math.abs(z));
      return (z > 0 ? e : 1) / (1 + e);
    }
    // -- end --
    const last = at.length - 1;
    if (x <= at[0]) return share[0];
    if (x >= at[last]) return share[last];
    let k = 0;
    while (at[k + 1] <= x) k += 1;
    if (x === at[k]) return share[k];
    const part = slope[k] * (x - at[k]) + share[k];
    return Number.isNaN(part) ? slope[k] * (x - at[k + 1]) + share[k + 1] : part;
  }

  // Rules of which each takes its share of what those before it left of a row.
  function inTurn(row, pass) {
    const ends = [];
    let left = 1;
    for (const [begin, answer] of p.rules) {
      let share = 1;
      for (let node = begin; node < answer && share > 0; node += 1) {
        const x = cellOf(row, p.column[node]);
        const interval = intervalOf(node, x);
        const to = interval < 0 ? p.missing[node] : p.to[p.to_begin[node] + interval];
        if (to === -2) share *= p.way_share[p.way_begin[node]];
        else if (to !== node + 1) share = 0;
        const ways = to === -2 ? [0, 1].map((w) => [p.way_to[p.way_begin[node] + w], p.way_share[p.way_begin[node] + w]]) : [[to, 1]];
        // -- only derived --
        if (pass && p.column[node] >= p.columns.length) pass({ node, share: left, column: derivedAt(p.column[node])[0], missing: x === null, interval, ways });
        else
        // -- end --
        if (pass) pass({ node, share: left, column: p.columns[p.column[node]][0], missing: x === null, interval, ways });
      }
      const vote = left * share;
      if (vote > 0) ends.push([answer, vote]);
      left = share === 1 ? 0 : left - vote;
      if (left <= 0) break;
    }
    if (left > 0) ends.push([p.column.length - 1, left]);
    return ends;
  }

  // Sends a row down from a root; calls pass(step) for every node that tests, and gives the ends as [leaf, share]. `known` are cells looked at before.
  function walk(row, ramps, pass, root = 0, known = new Map()) {
    if (p.rules !== undefined && p.rules.length > 0) return inTurn(row, pass);
    const open = [[root, 1]];
    const ends = [];
    while (open.length > 0) {
      let [node, share] = open.pop();
      while (p.column[node] >= 0) {
        const column = p.column[node];
        if (!known.has(column)) known.set(column, cellOf(row, column));
        const x = known.get(column);
        const ramp = ramps.get(node);
        const interval = intervalOf(node, x);
        const to = interval < 0 ? p.missing[node] : p.to[p.to_begin[node] + interval];
        let ways = null;
        if (ramp !== undefined && (x !== null || ramp[3].length > 0)) {
          const part = below(x === null ? ramp[3][0] : x, ramp);
          const first = p.to_begin[node];
          ways = [[p.to[first], part], [p.to[first + 1], 1 - part]].filter((way) => way[1] > 0);
        // -- only derived --
        } else if (to === -1 && column >= p.columns.length) {
          throw new Error(`the number ${JSON.stringify(derivedAt(column)[0])} is missing, and the model refuses missing cells`);
        // -- end --
        } else if (to === -1) {
          throw new Error(`column ${JSON.stringify(p.columns[column][0])} is missing, and the model refuses missing cells`);
        } else if (to === -2) {
          ways = [];
          for (let w = p.way_begin[node]; w < p.way_begin[node + 1]; w += 1) ways.push([p.way_to[w], p.way_share[w]]);
        }
        // -- only derived --
        if (pass && column >= p.columns.length) pass({ node, share, column: derivedAt(column)[0], missing: x === null, interval, ways: ways || [[to, 1]] });
        else
        // -- end --
        if (pass) pass({ node, share, column: p.columns[column][0], missing: x === null, interval, ways: ways || [[to, 1]] });
        if (ways !== null) {
          for (const [next, part] of ways) open.push([next, share * part]);
          node = -1;
          break;
        }
        node = to;
      }
      if (node >= 0) ends.push([node, share]);
    }
    const turn = p.turn.length > 0 && ramps === soft ? (end) => p.turn[end[0]] : (end) => end[0];
    return ends.sort((a, b) => turn(a) - turn(b));
  }

  // What is added to an answer that is computed from cells.
  function told(number, terms, row) {
    for (const [column, coefficient, missing, listed, levels] of terms) {
      const x = cellOf(row, column);
      number += coefficient * (x === null ? missing : listed ? Number(levels.includes(x)) : x);
    }
    return number;
  }

  function mixed(ends, row, isSoft = soft.size > 0) {
    const total = new Array(labelled ? declared.length : p.answers[0].length - 1).fill(0);
    for (const [leaf, share] of ends) {
      const said = p.answers[p.answer[leaf]];
      const terms = p.terms.length > 0 ? p.terms[p.answer[leaf]] : [];
      const places = p.listed ? p.listed[p.answer[leaf]] : null; // of many classes those are listed whose shares are not 0
      for (let at = 1; at < said.length; at += 1) {
        const k = places === null ? at - 1 : places[at - 1];
        const value = told(said[at], terms[k] || [], row);
        total[k] += share * (p.bounded === 1 ? Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) : value);
      }
    }
    if (p.scores === 1) return sharesOf(total);
    if (!labelled || (ends.length === 1 && !isSoft)) return total;
    // Shares that differ from the largest by rounding only are as large.
    const most = total.reduce((a, b) => (b > a ? b : a));
    return total.map((share) => (share >= most - p.tolerance ? most : share));
  }

  // The position of the class that the leaves of a row decide.
  function classOf(ends, row, isSoft) {
    if (ends.length === 1 && !isSoft && p.scores !== 1) return p.answers[p.answer[ends[0][0]]][0];
    const shares = mixed(ends, row, isSoft);
    return shares.indexOf(shares.reduce((a, b) => (b > a ? b : a)));
  }

  function answerOf(ends, row, isSoft = soft.size > 0) {
    if (labelled) return declared[classOf(ends, row, isSoft)];
    const numbers = mixed(ends, row);
    return p.outputs.length > 0 && p.combine !== "scores" ? numbers : numbers[0];
  }

  // -- only members --
  // -- end --
  // -- only scores --
  // What the members of a forest add to its scores.
  function scoresOfRow(row) {
    const known = new Map();
    const total = p.base.map(() => 0);
    p.members.forEach(([root, weight, isSoft], at) => {
      total[p.adds_to[at]] += weight * mixed(walk(row, soft, null, root, known), row, isSoft === 1)[0];
    });
    return total.map((added, k) => p.base[k] + added);
  }

  // -- end --
  // -- only members --
  // What the members of a forest say together: shares of classes as declared, or numbers.
  function together(row) {
    // -- end --
    // -- only scores --
    if (p.combine === "scores") {
      const scores = scoresOfRow(row);
      if (p.link === "shares") return sharesOf(scores);
      return p.link === "exp" ? scores.map(powerOf) : scores;
    }
    // -- end --
    // -- only members --
    const total = new Array(p.answers[0].length - 1).fill(0);
    const told = [];
    const known = new Map();
    for (const [root, weight, isSoft] of p.members) {
      const ends = walk(row, soft, null, root, known);
      if (p.combine === "vote") {
        total[classOf(ends, row, isSoft === 1)] += weight;
        continue;
      }
      const values = mixed(ends, row, isSoft === 1);
      told.push([values[0], weight]);
      for (let k = 0; k < total.length; k += 1) total[k] += weight * values[k];
    }
    return p.combine === "median" ? [median(told)] : total.map((value) => value / p.weight);
  }

  function forestAnswer(row) {
    const said = together(row);
    if (declared.length === 0) return p.outputs.length > 0 ? said : said[0];
    // Shares that differ from the largest by rounding only are as large; of equals the first wins.
    const least = said.reduce((a, b) => (b > a ? b : a)) - p.tolerance;
    return declared[said.findIndex((share) => share >= least)];
  }

  // What every member of a forest says of a row: its answer, its shares, and its leaves with theirs.
  function members(row) {
    const known = new Map();
    return p.members.map(([root, weight, isSoft]) => {
      const ends = walk(row, soft, null, root, known);
      const shares = labelled ? mixed(ends, row, isSoft === 1) : null;
      const says = answerOf(ends, row, isSoft === 1);
      return { weight, says, shares: shares && p.order.map((k) => shares[k]), ends: ends.map(([node, share]) => ({ leaf: node - root, share })) };
    });
  }

  // -- end --

  // The classes in the order in which shares are given; empty for numbers.
  const classes = p.order.map((k) => declared[k]);

  // -- only members --
  const isForest = p.members !== undefined;

  // -- end --
  // The leaves a row ends in, with their shares; of a forest those of all members, one after the other.
  function parts(row) {
    // -- only members --
    if (isForest) return p.members.flatMap(([root]) => walk(row, soft, null, root));
    // -- end --
    return walk(row, soft);
  }

  // The class or the number of a row; an array where the target is several numbers.
  function predict(row) {
    // -- only members --
    if (isForest) return forestAnswer(row);
    // -- end --
    return answerOf(parts(row), row);
  }

  // Share of every class, in the order of `classes`.
  function predictProba(row) {
    if (declared.length === 0) throw new Error("predictProba needs classes, this model predicts numbers");
    // -- only members --
    if (isForest) {
      const said = together(row);
      return p.order.map((k) => said[k]);
    }
    // -- end --
    const shares = mixed(parts(row), row);
    return p.order.map((k) => shares[k]);
  }

  function largest(ends) {
    let best = null;
    for (const end of ends) if (best === null || end[1] > best[1]) best = end;
    return best[0];
  }

  // The leaf a row ends in; of several the one with the largest share. Of a forest an array, a leaf of every member.
  function leaf(row) {
    // -- only members --
    if (isForest) return p.members.map(([root]) => largest(walk(row, noSoft, null, root)) - root);
    // -- end --
    return largest(walk(row, noSoft));
  }

  // The way of a row: every node it passes, what is asked there, where it goes; then its ends and the answer.
  function explain(row) {
    // -- only members --
    if (isForest) {
      const told = { members: members(row), says: forestAnswer(row), shares: declared.length > 0 ? predictProba(row) : null };
      // -- end --
      // -- only scores --
      if (p.combine === "scores") told.scores = scoresOfRow(row);
      // -- end --
      // -- only members --
      return told;
    }
    // -- end --
    const steps = [];
    const ends = walk(row, soft, (step) => steps.push({ ...step, ...question(step) }));
    const all = declared.length > 0 ? mixed(ends, row) : null;
    const shares = all === null ? null : p.order.map((k) => all[k]);
    return { steps, ends: ends.map(([node, share]) => ({ leaf: node, share })), says: answerOf(ends, row), shares };
  }

  // What a cell had to satisfy to take its interval: low and high (null where open; `less`: x < high instead of x <= high), or levels.
  function question({ node, interval }) {
    if (interval < 0) return { low: null, high: null, less: false, levels: null };
    const begin = p.cut_begin[node];
    const count = p.cut_begin[node + 1] - begin;
    const low = interval > 0 ? p.cut[begin + interval - 1] : null;
    const high = interval < count ? p.cut[begin + interval] : null;
    // -- only derived --
    if (p.column[node] >= p.columns.length) return { low, high, less: p.less[node] === 1, levels: null };
    // -- end --
    const [, kind, , known] = p.columns[p.column[node]];
    if (kind !== "nominal") return { low, high, less: p.less[node] === 1, levels: null };
    const to = p.to[p.to_begin[node] + interval];
    const same = known.filter(([code]) => p.to[p.to_begin[node] + intervalOf(node, code)] === to);
    return { low: null, high: null, less: false, levels: same.map(([, tag, value]) => labelValue(tag, value)) };
  }

  // What the model says of a row in which some cells are changed, and what it says of the row as it is.
  function whatIf(row, changes) {
    const changed = Array.isArray(row) ? row.slice() : { ...row };
    for (const [name, cell] of Object.entries(changes)) {
      const column = p.columns.findIndex((entry) => entry[0] === name);
      if (column < 0) throw new Error(`the model has no column ${JSON.stringify(name)}`);
      if (Array.isArray(row)) changed[column] = cell;
      else Object.defineProperty(changed, name, { value: cell, enumerable: true, configurable: true, writable: true });
    }
    return { before: explain(row), after: explain(changed), row: changed };
  }

  // What a node finds of a row: the interval of its cell, -1 where that is missing. What ends with their shares say.
  const found = (node, row) => intervalOf(node, cellOf(row, p.column[node]));
  const said = (ends, row) => ({ says: answerOf(ends, row), shares: labelled ? p.order.map((k) => mixed(ends, row)[k]) : null });

  return { found, said, classes, columns: p.columns.map((entry) => entry[0]), target: p.target, predict, predictProba, parts, leaf, explain, whatIf };
}

// -- only members --
// The least number that numbers of half of the weight do not exceed; each is told with its weight.
function median(told) {
  let reached = 0;
  const sums = told.slice().sort((a, b) => a[0] - b[0]).map(([number, weight]) => [(reached += weight), number]);
  return sums.find(([sum]) => sum >= 0.5 * reached)[1];
}

// -- end --
// -- only derived --
// A number that is computed from cells, `cellOf` those of columns by position; null where it is missing.
export function derivedNumber([, constant, needsAll, terms, parts], cellOf) {
  // -- end --
  // -- only parts --
  if (parts !== undefined) {
    const scores = scoresOf(needsAll, terms, parts, cellOf);
    if (scores === null) return null;
    return scores.length === 1 ? scores[0] : scores.reduce((best, score, k) => (score > scores[best] ? k : best), 0);
  }
  // -- end --
  // -- only derived --
  return sumOf(constant, needsAll, terms, cellOf);
}

function sumOf(constant, needsAll, terms, cellOf) {
  let value = constant;
  let lost = false;
  for (const [column, coefficient, missing, listed, levels, by, byMissing] of terms) {
    const x = cellOf(column);
    lost = lost || (x === null && needsAll === 1);
    let part = coefficient * (x === null ? missing : listed ? Number(levels.includes(x)) : x);
    if (by !== undefined) {
      const other = cellOf(by);
      lost = lost || (other === null && needsAll === 1);
      part *= other === null ? byMissing : other;
    }
    value += part;
  }
  return lost || Number.isNaN(value) ? null : value;
}

// -- end --
// -- only parts --
// The scores that parts of a number make; null where one is missing.
export function scoresOf(needsAll, terms, parts, cellOf) {
  const scores = [];
  let begin = 0;
  for (const [score, count, squashed, weight, constant] of parts) {
    let value = sumOf(constant, needsAll, terms.slice(begin, begin + count), cellOf);
    begin += count;
    if (value === null) return null;
    if (squashed) {
      const e = exponential(-Math.abs(value));
      value = weight * ((value >= 0 ? 1 : e) / (1 + e));
    }
    if (score === scores.length) scores.push(0);
    scores[score] += value;
  }
  return scores.some(Number.isNaN) ? null : scores;
}

// -- end --
// The shares that scores of classes stand for; scores that differ by rounding only are equal.
export function sharesOf(scores) {
  // -1e308 stands for a class that training had no rows of.
  const inside = scores.map((s) => (Number.isNaN(s) ? 0 : s === -1e308 ? s : Math.min(Math.max(s, -1e300), 1e300)));
  const most = inside.reduce((a, b) => (b > a ? b : a));
  const powers = inside.map((score) => (score - most >= -(2 ** -27) ? 1 : exponential(score - most)));
  let sum = 0;
  for (const power of powers) sum += power;
  return powers.map((power) => power / sum);
}

// -- only scores --
// e to the power of a score of any sign, which is cut at 708.
function powerOf(score) {
  const inside = Math.min(score, 708);
  return inside > 0 ? 1 / exponential(-inside) : exponential(inside);
}

// -- end --
// e to the power of x, not above 0, by the model's own operations: engines round the last digit in ways of their own.
function exponential(x) {
  if (x < -708) return 0;
  const k = x * 1.4426950408889634 + 6755399441055744 - 6755399441055744;
  const r = x - k * 0.6931471805582987 - k * 1.6465949582897082e-12;
  const z = r * r;
  const even = 1 + z * (1 / 2 + z * (1 / 24 + z * (1 / 720 + z * (1 / 40320 + z * (1 / 3628800 + z * (1 / 479001600))))));
  const odd = 1 + z * (1 / 6 + z * (1 / 120 + z * (1 / 5040 + z * (1 / 362880 + z * (1 / 39916800 + z * (1 / 6227020800))))));
  const bits = new DataView(new ArrayBuffer(8));
  bits.setUint32(0, (k + 1023) << 20); // 2 to the power of k
  return (even + odd * r) * bits.getFloat64(0);
}

function labelValue(tag, value) {
  if (tag === "w") return BigInt(value);
  if (tag === "b") return value === 1;
  if (tag === "d" || tag === "a") {
    const day = Math.floor(value / 86400000000);
    const date = new Date(day * 86400000).toISOString().slice(0, 10);
    if (tag === "a") return date;
    const rest = value - day * 86400000000;
    const micro = String(rest % 1000000).padStart(6, "0");
    return `${date}T${new Date(Math.floor(rest / 1000000) * 1000).toISOString().slice(11, 19)}${micro === "000000" ? "" : `.${micro}`}`;
  }
  return value;
}

// One text for every level, so that equal ones meet: numbers and booleans as in Python, where 1, 1.0 and true are equal.
function labelKey(tag, value) {
  if (tag === "t") return `t${value}`;
  if (tag === "d" || tag === "a") return `d${value}`;
  return `n${value}`;
}

function cellKey(cell) {
  if (typeof cell === "string") return `t${cell}`;
  if (cell instanceof Date) return `d${cell.getTime() * 1000}`;
  if (typeof cell === "number" && Number.isInteger(cell) && !Number.isSafeInteger(cell)) return `n${BigInt(cell)}`;
  return `n${typeof cell === "bigint" ? cell : Number(cell)}`;
}

const ISO = /^([+-]?\d{4,6}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?\s*(Z|[+-]\d\d:?\d\d(?::?\d\d)?)?$/;

function microseconds(cell) {
  if (cell instanceof Date) return cell.getTime() * 1000;
  if (typeof cell !== "string") return Number(cell);
  const found = ISO.exec(cell);
  if (found === null) return NaN;
  const [, day, hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = found;
  const [hours = 0, minutes = 0, rest = 0] = (zone.match(/\d\d/g) ?? []).map(Number); // clocks of old towns differ by seconds too
  const offset = (zone[0] === "-" ? -1 : 1) * ((hours * 60 + minutes) * 60 + rest);
  const seconds = Date.parse(`${day}T00:00:00Z`) / 1000 + (Number(hour) * 60 + Number(minute)) * 60 + Number(second) - offset;
  if (Number.isNaN(seconds)) return NaN;
  return Number(BigInt(seconds) * 1000000n + BigInt(fraction.padEnd(6, "0").slice(0, 6)));
}
