// What joins the cards of the close-up: the lines of a list, the labels of branches, the knobs that open and close.
import { share } from "./words.js";

const PIXELS = 11; // no text is smaller on the screen

export function joints(app, cards, measure, gap) {
  const { model } = app;

  function knob(pen, x, y, open) {
    const { theme } = app;
    pen.dot(x, y, 7.5, theme.line);
    pen.dot(x, y, 6.5, theme.card);
    pen.rect(x - 3.5, y - 0.6, 7, 1.2, { fill: theme.grey });
    if (!open) pen.rect(x - 0.6, y - 3.5, 1.2, 7, { fill: theme.grey });
  }

  // The label of a branch, as large as it can be read from far away.
  function edgeLabel(pen, id, place, passed, scale) {
    const size = Math.max(12, Math.ceil((10 * PIXELS) / scale) / 10);
    const up = model.parent[id];
    const b = id - model.first[up];
    const routes = model.missing(up);
    const missing = routes[b] > 0 ? ` ∅${routes[b] < 1 ? ` ${share(routes[b])}` : ""}` : "";
    const note = `${passed > 0 && passed < 1 ? ` · ${share(passed)}` : missing}`;
    // No wider than its card and the gap beside it, so that neighbours keep apart.
    const text = cards.shortened(model.branch(up, b), Math.max(40, place.card.width + gap - 18 - measure(note, size, passed > 0)), size, passed > 0) + note;
    const wide = measure(text, size, passed > 0) + 10;
    const { theme } = app;
    pen.rect(place.x - wide / 2, place.y - 5 - size * 1.25, wide, size * 1.3, { fill: theme.paper, round: 7 });
    pen.text(place.x, place.y - 6 - size * 0.15, text, { size, fill: passed > 0 ? theme.ink : theme.grey, anchor: "middle", bold: passed > 0 });
  }

  // From a rule to its answer at its side, or down to the next rule.
  function ruleLine(pen, id, up, place, width, color, passed) {
    const { theme } = app;
    const style = { size: 12, fill: passed > 0 ? theme.ink : theme.grey, bold: passed > 0 };
    if (id === model.first[model.parent[id]]) {
      const [x0, x1, y] = [up.x + up.card.width / 2, place.x - place.card.width / 2, up.y + up.card.height / 2];
      pen.shape([[x0, y], [x1 - 3, y]], null, color, width);
      pen.shape([[x1, y], [x1 - 8, y - 4.5], [x1 - 8, y + 4.5]], passed > 0 ? theme.ink : theme.grey);
      pen.text((x0 + x1) / 2 - 4, y - 6, "then", { ...style, anchor: "middle" });
    } else {
      pen.shape([[up.x, up.y + up.card.height], [up.x, place.y]], null, color, width);
      pen.text(up.x + 8, place.y - 10, model.voting ? "and" : "else", style);
    }
  }

  return { knob, edgeLabel, ruleLine };
}
