// The layout of an ordered list of rules: one below the other, each with its answer at its side.

const ASIDE = 74;
const DROP = 30;

export function ruleListLayout(ids, cards, places, model) {
  const byId = new Map(ids.map((id, i) => [id, cards[i]]));
  const widest = Math.max(...ids.filter((id) => model.branches[id] > 0).map((id) => byId.get(id).width), 0);
  let y = 0;
  for (const id of ids) {
    const up = model.parent[id];
    const card = byId.get(id);
    if (up >= 0 && id === model.first[up]) {
      const rule = places.get(up);
      places.set(id, { card, x: widest / 2 + ASIDE + card.width / 2, y: rule.y + (rule.card.height - card.height) / 2 });
      continue;
    }
    // A rule is as high as its answer, so that neighbours stay apart.
    const tall = model.branches[id] > 0 ? Math.max(card.height, byId.get(model.first[id])?.height ?? 0) : card.height;
    places.set(id, { card, x: 0, y: y + (tall - card.height) / 2 });
    y += tall + DROP;
  }
}
