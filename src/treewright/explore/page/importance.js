// Which columns matter in the tree of a size: the impurity that the splits of each take away, as a share of all.

// [column, share], those that matter most first.
export function importances(model, used, size) {
  const sums = new Map();
  if (size === 0 || model.derived.any || model.isRuleList) used.forEach((j) => sums.set(j, model.columns[j].importance ?? 0));
  else {
    for (let id = 0; id < model.n; id += 1) {
      if (!model.shown(id, size) || model.count(id, size) === 0) continue;
      sums.set(model.column(id), (sums.get(model.column(id)) ?? 0) + model.weight[id] * model.doc.nodes.gain[id]);
    }
  }
  const total = [...sums.values()].reduce((a, b) => a + b, 0) || 1;
  return [...sums].map(([j, sum]) => [j, sum / total]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}
