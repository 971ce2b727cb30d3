// Names of nodes seen from far away, as on a map: those with most rows first, each where it hides no other, large enough to be read.
const SIZE = 11; // pixels on the screen
const MOST = 80;
const WIDE = 170;
const TRIED = 1500; // nodes that are looked at for a label

// `nodes`: [id, x (middle), y (top), width, height] of the cards in view, in the picture's units; a list is drawn from above.
export function drawLabels(pen, theme, model, scale, nodes, { size, passed, cards, measure, from, to }) {
  const taken = [];
  const heaviest = nodes.slice().sort((a, b) => (passed(b[0]) > 0) - (passed(a[0]) > 0) || model.weight[b[0]] - model.weight[a[0]] || a[0] - b[0]);
  for (const [id, x, y, , height] of heaviest.slice(0, TRIED)) {
    if (taken.length >= MOST) return;
    const inner = model.count(id, size) > 0;
    const text = cards.shortened(inner ? cards.shortQuestion(id) : model.answer(id), WIDE, SIZE, !inner);
    const [wide, tall] = [(measure(text, SIZE, !inner) + 10) / scale, (SIZE + 6) / scale];
    const middle = Math.max(from + wide / 2, Math.min(to - wide / 2, x)); // whole, at the edge as well
    const box = [middle - wide / 2, y + height / 2 - tall / 2, middle + wide / 2, y + height / 2 + tall / 2];
    if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
    taken.push(box);
    pen.rect(box[0], box[1], wide, tall, { fill: theme.card, line: passed(id) > 0 ? theme.ink : theme.line, width: 1 / scale, round: 4 / scale });
    pen.text(middle, box[3] - (tall - (SIZE / scale) * 0.72) / 2, text, { size: SIZE / scale, bold: !inner, fill: theme.ink, anchor: "middle" });
  }
}
