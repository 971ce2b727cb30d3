// Ends of ranges of a column. An end is [number, 0], just below the number, or [number, 1], just above it; null: there is none.

export const before = (a, b) => a[0] - b[0] || a[1] - b[1];

// The next number above x.
export function next(x) {
  if (x === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([x]).buffer);
  bits[0] += x > 0 ? 1n : -1n;
  return new Float64Array(bits.buffer)[0];
}

export function contains({ low, high }, x) {
  return (low === null || (low[1] === 0 ? x >= low[0] : x > low[0])) && (high === null || (high[1] === 1 ? x <= high[0] : x < high[0]));
}

// A cell between two ends, null where there is none; beyond the last end one that is at least `span` away.
export function inside(low, high, span) {
  if (low === null && high === null) return 0;
  if (low === null) return Math.max(-Number.MAX_VALUE, high[0] - Math.max(span, Math.abs(high[0]) * 1e-6));
  if (high === null) return Math.min(Number.MAX_VALUE, low[0] + Math.max(span, Math.abs(low[0]) * 1e-6));
  const middle = low[0] / 2 + high[0] / 2;
  if (middle > low[0] && middle < high[0]) return middle;
  return [high[0], low[0], next(low[0])].find((x) => contains({ low, high }, x)) ?? null;
}
