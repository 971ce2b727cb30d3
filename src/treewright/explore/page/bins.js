// Bars of a histogram as shares of its height. Where nearly all rows are in one bin, by the root of their number: the others are seen, too.
const MOST = 0.75;

export function heights(counts) {
  const total = counts.reduce((a, b) => a + b, 0);
  const tallest = Math.max(...counts, 1);
  return counts.map(tallest > MOST * total ? (n) => Math.sqrt(n / tallest) : (n) => n / tallest);
}
