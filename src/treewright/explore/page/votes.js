// Rules that are evaluated one by one: all that hold vote, or each takes its share of what those before it left of a row.
// Answers have the form of the predictor's.

export function voter(program, { all, spans }, base) {
  const last = program.column.length - 1; // the default

  // The share of a row that a rule takes; the conditions tested are added to `steps`.
  function shareOf(row, [begin, end], steps) {
    let share = 1;
    let node = begin;
    while (node < end) {
      const interval = base.found(node, row);
      const to = interval < 0 ? program.missing[node] : program.to[program.to_begin[node] + interval];
      steps.push({ node, share, missing: interval < 0 });
      if (to === -2) {
        share *= program.way_share[program.way_begin[node]];
        node = program.way_to[program.way_begin[node]];
      } else node = to;
    }
    return node === end ? share : 0;
  }

  // The rules a row ends in, with their shares.
  function walk(row, steps = []) {
    const ends = [];
    let left = 1;
    for (const span of spans) {
      if (left <= 0) break;
      const share = shareOf(row, span, steps);
      if (share === 0) continue;
      ends.push([span[1], all ? share : left * share]);
      if (!all) left = share === 1 ? 0 : left - left * share;
    }
    if (all) {
      const total = ends.reduce((sum, [, share]) => sum + share, 0);
      return total > 0 ? ends.map(([end, share]) => [end, share / total]) : [[last, 1]];
    }
    return left > 0 ? [...ends, [last, left]] : ends;
  }

  function explain(row) {
    const steps = [];
    const ends = walk(row, steps);
    return { steps, ends: ends.map(([leaf, share]) => ({ leaf, share })), ...base.said(ends, row) };
  }

  function leaf(row) {
    return walk(row).reduce((best, end) => (end[1] > best[1] ? end : best))[0];
  }

  return { ...base, explain, leaf, parts: walk, predict: (row) => explain(row).says, predictProba: (row) => explain(row).shares };
}
