// Bars of a histogram as fractions of its height. Where nearly all rows are in one of many bins, heights are square roots, so that the
// others can be seen, too. Bars of a few levels are meant to be compared, and stay linear.
const MOST = 0.75;
const MANY = 8;

export function heights(counts) {
  const total = counts.reduce((a, b) => a + b, 0);
  const tallest = Math.max(...counts, 1);
  return counts.map(counts.length >= MANY && tallest > MOST * total ? (n) => Math.sqrt(n / tallest) : (n) => n / tallest);
}
