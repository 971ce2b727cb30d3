// By how much a threshold reduces the impurity of a node, from what lies below it. `told` is a column as the server tells it.

const log = (share) => (share > 0 ? -share * Math.log2(share) : 0);
const impurities = {
  Gini: (shares) => 1 - shares.reduce((sum, share) => sum + share * share, 0),
  entropy: (shares) => shares.reduce((sum, share) => sum + log(share), 0),
};

// What lies on both sides of a threshold: weights by class, or the weight and the mean of the target.
export function sides(told, at) {
  const below = told.sums.map((sums) => sums[at]);
  const above = told.totals.map((total, k) => total - below[k]);
  if (told.target === undefined) return [below, above].map((counts) => ({ counts, weight: sum(counts) }));
  const targets = [told.target[at], told.target_total - told.target[at]];
  return [below, above].map(([weight], side) => ({ weight, mean: weight > 0 ? targets[side] / weight : NaN }));
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

// The fall of the impurity of the rows whose cell is there, times their share of all; null where the page does not know the measure.
export function fall(told, parts, criterion) {
  const weight = sum(parts.map((part) => part.weight));
  if (!told.exact || !(weight > 0)) return null;
  const known = weight / (weight + told.missing);
  if (told.target_total !== undefined || parts.every((part) => part.mean !== undefined)) {
    if (criterion !== "variance") return null;
    const mean = sum(parts.map((part) => (part.weight > 0 ? part.weight * part.mean : 0))) / weight;
    return known * sum(parts.map((part) => (part.weight > 0 ? (part.weight / weight) * (part.mean - mean) ** 2 : 0)));
  }
  const impurity = impurities[criterion];
  if (!impurity) return null;
  const of = (counts, total) => (total > 0 ? impurity(counts.map((count) => count / total)) : 0);
  const whole = parts[0].counts.map((_, k) => sum(parts.map((part) => part.counts[k])));
  const after = sum(parts.map((part) => (part.weight / weight) * of(part.counts, part.weight)));
  return known * Math.max(0, of(whole, weight) - after);
}

// The same for every threshold of a column.
export function falls(told, criterion) {
  return told.cuts.map((_, at) => fall(told, sides(told, at), criterion));
}

// The threshold that is nearest to a value; thresholds ascend.
export function nearest(cuts, value) {
  let [low, high] = [0, cuts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - cuts[low - 1] <= cuts[low] - value ? low - 1 : low;
}
