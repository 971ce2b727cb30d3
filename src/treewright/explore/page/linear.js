// Leaves and rules that say equations: what those say in which a row ends, mixed by share. Of classes the equations are scores.
import { sharesOf } from "./predictor.js";

export function linear({ fill, leaves }) {
  // Cells as they are asked about: some models fill missing ones first.
  function filled(cells) {
    return fill === null ? cells : cells.map((x, j) => x ?? fill[j]);
  }

  function term(cells, [column, codes, coefficient, missing]) {
    const x = cells[column] ?? null;
    return coefficient * (x === null ? missing : codes === null ? x : codes.includes(x) ? 1 : 0);
  }

  function values(cells, leaf) {
    return leaves[leaf].map(([constant, terms]) => terms.reduce((total, one) => total + term(cells, one), constant));
  }

  // The number of a row: the ends of the range of numbers where a sum is beyond it.
  function says(cells, ends) {
    const within = (x) => Math.min(Math.max(x, -Number.MAX_VALUE), Number.MAX_VALUE);
    return within(ends.reduce((sum, [leaf, share]) => sum + share * within(values(cells, leaf)[0]), 0));
  }

  // The share of every class, in declared order.
  function shares(cells, ends) {
    const out = [];
    for (const [leaf, share] of ends) {
      sharesOf(values(cells, leaf)).forEach((part, k) => {
        out[k] = (out[k] ?? 0) + share * part;
      });
    }
    return out;
  }

  // What a leaf's equations are along one column, the others as they are: the constant and the slope of each.
  function along(cells, leaf, j) {
    return leaves[leaf].map(([constant, terms]) => terms.reduce(([rest, slope], one) => (one[0] === j && one[1] === null ? [rest, slope + one[2]] : [rest + term(cells, one), slope]), [constant, 0]));
  }

  return { filled, says, shares, along };
}
