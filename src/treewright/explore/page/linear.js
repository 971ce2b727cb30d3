// Leaves that say equations: missing cells are filled as in training, and the equations of the leaves a row ends in are mixed by share.

export function linear({ fill, rank, leaves }) {
  function filled(cells) {
    return cells.map((x, j) => (x === null || x === undefined || (rank[j].length > 0 && !(x < rank[j].length)) ? fill[j] : x));
  }

  function term(cells, [column, place, coefficient]) {
    const x = cells[column];
    return coefficient * (place < 0 ? x : rank[column][x] > place ? 1 : 0);
  }

  // `ends`: leaves with their shares; cells are filled.
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
