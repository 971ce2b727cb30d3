// Numbers of nodes change with an edit, the branches that lead to them hardly: by these a node is found again.

// The branches from the root to a node.
export function pathOf(model, id) {
  const out = [];
  for (let at = id; model.parent[at] >= 0; at = model.parent[at]) out.push(at - model.first[model.parent[at]]);
  return out.reverse();
}

// The node at the end of a path, or the last one on it that is there.
export function nodeAt(model, path) {
  let at = 0;
  for (const branch of path) {
    if (branch >= model.branches[at]) break;
    at = model.first[at] + branch;
  }
  return at;
}

// The nodes of another tree that stand where those of this one are open.
export function reopened(before, open, model) {
  const out = new Uint8Array(model.n);
  const waiting = [[0, 0]];
  while (waiting.length > 0) {
    const [old, now] = waiting.pop();
    if (!open[old] || model.branches[now] === 0) continue;
    out[now] = 1;
    for (let k = 0; k < Math.min(before.branches[old], model.branches[now]); k += 1) waiting.push([before.first[old] + k, model.first[now] + k]);
  }
  return out;
}
