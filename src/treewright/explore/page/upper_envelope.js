// The upper envelope of straight lines, the scores of classes along a column: where another class becomes the highest.

const TIE = 2 ** -27; // scores no further apart are equal, and the first class is predicted
const ABSENT = -1e307; // below it lies the constant of a class without training rows

// `lines`: [constant, slope] of every class. Returns the numbers between `from` and `to`, ascending, just above which `label` gives
// another class than at them: the lines tell where to look, the predictions themselves where exactly.
export function classChanges(lines, from, to, label) {
  const vertices = envelope(lines.filter(([constant]) => !(constant < ABSENT)).map(bounded), from, to);
  const out = [];
  if (vertices.length === 0) return out;
  const [first, last] = [vertices[0], vertices[vertices.length - 1]];
  let low = Number.isFinite(from) ? between(from, first.place) : first.place - first.room;
  let below = label(low);
  vertices.forEach(({ place }, k) => {
    const beyond = k + 1 < vertices.length ? vertices[k + 1].place : to;
    const high = Number.isFinite(beyond) ? between(place, beyond) : last.place + last.room;
    const above = label(high);
    if (above !== below) out.push(edge(low, high, below, label));
    [low, below] = [high, above];
  });
  return out;
}

const between = (a, b) => a / 2 + b / 2;

const bounded = ([constant, slope]) => [Number.isNaN(constant) ? 0 : Math.min(Math.max(constant, -1e300), 1e300), slope];

// The vertices of the envelope: their place, and from which distance on rounding cannot change which line is highest.
function envelope(lines, from, to) {
  const out = [];
  if (lines.length === 0) return out;
  let at = from;
  let top = highest(lines, from);
  while (true) {
    let [place, winner] = [Infinity, -1];
    lines.forEach(([constant, slope], k) => {
      if (!(slope > lines[top][1])) return;
      const x = (lines[top][0] - constant) / (slope - lines[top][1]);
      if (!(x > at && Number.isFinite(x))) return;
      if (x < place || (x === place && slope > lines[winner][1])) [place, winner] = [x, k];
    });
    if (winner < 0 || place >= to) return out;
    const rounding = 2 ** -48 * (Math.abs(lines[top][0]) + Math.abs(lines[winner][0]));
    out.push({ place, room: Math.abs(place) + (4 * TIE + rounding) / (lines[winner][1] - lines[top][1]) + Number.MIN_VALUE });
    [at, top] = [place, winner];
  }
}

// The line that is highest at x, of those that meet there the steepest.
function highest(lines, x) {
  const height = ([constant, slope]) => (Number.isFinite(x) ? constant + slope * x : -slope);
  return lines.reduce((best, line, k) => {
    const [mine, theirs] = [height(line), height(lines[best])];
    if (mine !== theirs) return mine > theirs ? k : best;
    return (Number.isFinite(x) ? line[1] > lines[best][1] : line[0] > lines[best][0]) ? k : best;
  }, 0);
}

// The last number from `low` on with its label; `high` has another.
export function edge(low, high, below, label) {
  while (true) {
    const middle = between(low, high);
    if (middle <= low || middle >= high) return low;
    if (label(middle) === below) low = middle;
    else high = middle;
  }
}
