// Leaves and rules with equations: the answers of those in which a row ends, mixed by share. For classes the equations are scores.
import { sharesOf } from "./predictor.js";

export function linear({ fill, leaves }) {
  // Cells as the splits test them: some models fill missing ones first.
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

  // The number predicted for a row: the end of the range of floats where a sum overflows.
  function answer(cells, ends) {
    const within = (x) => Math.min(Math.max(x, -Number.MAX_VALUE), Number.MAX_VALUE);
    return within(ends.reduce((sum, [leaf, share]) => sum + share * within(values(cells, leaf)[0]), 0));
  }

  // The share of every class, in declared order.
  function shares(cells, ends) {
    const out = [];
    for (const [leaf, share] of ends) {
      sharesOf(values(cells, leaf)).forEach((classShare, k) => {
        out[k] = (out[k] ?? 0) + share * classShare;
      });
    }
    return out;
  }

  // A leaf's equations along one column, the others fixed: the constant and the slope of each.
  function along(cells, leaf, j) {
    return leaves[leaf].map(([constant, terms]) => terms.reduce(([rest, slope], one) => (one[0] === j && one[1] === null ? [rest, slope + one[2]] : [rest + term(cells, one), slope]), [constant, 0]));
  }

  return { filled, answer, shares, along };
}
