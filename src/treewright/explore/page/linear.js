// Leaves and rules that say equations: what those say in which a row ends, mixed by share.

export function linear({ fill, leaves }) {
  // Cells as they are asked about: some models fill missing ones first.
  function filled(cells) {
    return fill === null ? cells : cells.map((x, j) => x ?? fill[j]);
  }

  function term(cells, [column, codes, coefficient, missing]) {
    const x = cells[column] ?? null;
    return coefficient * (x === null ? missing : codes === null ? x : codes.includes(x) ? 1 : 0);
  }

  function says(cells, ends) {
    let sum = 0;
    for (const [leaf, share] of ends) {
      const [constant, terms] = leaves[leaf];
      sum += share * terms.reduce((total, one) => total + term(cells, one), constant);
    }
    return sum;
  }

  return { filled, says };
}
