// The first view: which nodes are open, the heaviest first, as long as what is open can be read in the space it has.

const MOST = 31; // nodes that are open at the start
const RULES = 401; // the same of a list of rules

// `fits(open)`: whether what is open can be read; nodes that would make it too small stay closed. The root is always open.
export function openAtStart(model, size, fits) {
  const open = new Uint8Array(model.n);
  const most = model.isRuleList ? RULES : MOST;
  const waiting = [0];
  let shown = 1;
  while (waiting.length > 0) {
    let best = 0;
    for (let i = 1; i < waiting.length; i += 1) if (model.weight[waiting[i]] > model.weight[waiting[best]]) best = i;
    const [id] = waiting.splice(best, 1);
    const branches = model.count(id, size);
    if (branches === 0) continue;
    if (shown + branches > most && shown > 1) break;
    open[id] = 1;
    if (shown > 1 && !model.isRuleList && !fits(open)) {
      open[id] = 0;
      continue;
    }
    shown += branches;
    waiting.push(...model.children(id));
  }
  return open;
}
