// Straight lines, of which the highest wins: where along a column another one does.

// `lines`: [constant, slope] of every class. Gives numbers between `from` and `to`, ascending, behind each of which `label` says
// another class than at it: lines tell where to look, the answers themselves where exactly.
export function crossings(lines, from, to, label) {
  const out = [];
  let at = from;
  let top = first(lines, from);
  while (true) {
    let [place, winner] = [Infinity, -1];
    lines.forEach(([constant, slope], k) => {
      if (!(slope > lines[top][1])) return;
      const x = (lines[top][0] - constant) / (slope - lines[top][1]);
      if (x > at && (x < place || (x === place && slope > lines[winner][1]))) [place, winner] = [x, k];
    });
    if (winner < 0 || place >= to) return out;
    const exact = edge(place, from, to, label);
    if (exact !== null && (out.length === 0 || exact > out[out.length - 1])) out.push(exact);
    [at, top] = [place, winner];
  }
}

// The line that is highest at x, of those that meet there the steepest.
function first(lines, x) {
  const height = ([constant, slope]) => (Number.isFinite(x) ? constant + slope * x : -slope);
  return lines.reduce((best, line, k) => {
    const [mine, theirs] = [height(line), height(lines[best])];
    if (mine !== theirs) return mine > theirs ? k : best;
    return (Number.isFinite(x) ? line[1] > lines[best][1] : line[0] > lines[best][0]) ? k : best;
  }, 0);
}

// The last number about a place that is told what those before it are told; null if nothing changes there.
function edge(place, from, to, label) {
  for (let room = Math.abs(place) * 1e-12 + 1e-300; ; room *= 32) {
    let [low, high] = [Math.max(from, place - room), Math.min(to, place + room)];
    if (low === from) low = from / 2 + place / 2;
    if (high === to) high = place / 2 + to / 2;
    const said = label(low);
    if (label(high) !== said) {
      while (true) {
        const middle = low / 2 + high / 2;
        if (middle <= low || middle >= high) return low;
        if (label(middle) === said) low = middle;
        else high = middle;
      }
    }
    if (room > Math.abs(place) * 1e-3 + 1e-9) return null;
  }
}
