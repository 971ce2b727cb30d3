// A node as a card: the question or the answer, a histogram of its rows on what it tests, class counts or mean, number of rows.
import { OTHERS, classColor, nodeFill } from "./color.js";
import { plotMaker } from "./plots.js";
import { leaves, number, rows, share } from "./words.js";

const PAD = 10;
const TITLE = 13;
const SMALL = 12;
const LEAST = 88;
const MOST = 250;
const RULE = 430; // width of a card that holds conditions
const BAR = 7;
const LINES = 5;
const DOT = 4; // pixels of a card that is seen from far away
const HATCH = 18; // width of the mark of leaves that do worse on other rows
const PIXELS = 11; // no text is smaller on the screen
const READ = PIXELS / SMALL; // the scale below which text is larger than in its card
export const FAR = 0.75; // the scale below which cards show less
export const OUTLINE = 0.45; // the scale below which they are boxes, with labels beside each other
const COMPARISON = /^(.*)( (?:≤|<|≥|>|=|≠) .*)$/; // a name and what it is compared with, which stays where the name is cut

export function cardMaker(model, measure) {
  const made = new Map();
  const dotted = model.classes !== null && !model.equations; // leaves predict a class
  const given = model.doc.given && !model.doc.given.training ? model.doc.given : null;
  const plots = plotMaker(model, measure, shortened);

  // `below`: leaves of a node that is closed; 0 for one that is open, or a leaf.
  function cardOf(id, ends, below) {
    const key = `${id}:${ends ? 1 : 0}:${below}`;
    if (!made.has(key)) made.set(key, ends ? leaf(id) : inner(id, below));
    return made.get(key);
  }

  function inner(id, below) {
    const title = model.isRuleList ? wrapped(model.rule(model.first[id]).map((condition, k) => (k === 0 ? condition : `and ${condition}`))) : asked(id);
    const plot = below === 0 && model.doc.histograms[id] ? model.doc.histograms[id] : null;
    const whole = model.isRuleList || title.join("") === model.question(id); // the question is all there
    const foot = model.voting ? ["", ""] : below > 0 ? [`▸ ${leaves(below)}`, rows(model.weight[id])] : [rows(model.weight[id]), ""];
    return sized({ id, leaf: false, stub: below > 0, title, plot, whole, foot });
  }

  // The question of a node: one line, or several where it is a sum that needs them, broken before its terms.
  function asked(id, x = null, room = MOST - 2 * PAD, most = LINES) {
    const text = model.question(id, x);
    if (measure(text, TITLE, true) <= room) return [text];
    if (!model.tested(id).whole) return [fitted(levelsCounted(id) ?? text, room, TITLE, true)];
    const lines = [];
    for (const term of text.split(/ (?=[+-] )/)) {
      const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${term}` : term;
      if (lines.length > 0 && (lines.length === most || measure(longer, TITLE, true) <= room)) lines[lines.length - 1] = longer;
      else lines.push(term);
    }
    return lines.map((line) => fitted(line, room, TITLE, true));
  }

  // A question of many levels in short; null where it names few.
  function levelsCounted(id) {
    if (model.tested(id).kind !== "nominal" || model.branches[id] !== 2 || !model.doc.says.questions[id]) return null;
    const [yes, no] = [0, 1].map((b) => model.levelsTo(id, b).length);
    return yes > 1 ? `${model.tested(id).name}: ${yes} of ${yes + no} levels?` : null;
  }

  function leaf(id) {
    const whole = model.equations ? model.equations[id] : null;
    const title = wrapped(whole && model.classes === null && whole[1].length > 36 ? equation(whole) : [model.answer(id)]);
    const correct = model.classes === null ? null : model.right(id);
    const right = model.classes === null ? model.deviationText(id) : correct === null ? "" : share(correct);
    return sized({ id, leaf: true, stub: false, title, plot: null, whole: true, foot: [rows(model.weight[id]), right] });
  }

  // A linear model, one term per line.
  function equation([short, text]) {
    const terms = text.split(/ (?=[+-] )/);
    const lines = [`${short}: ${terms[0]}`, ...terms.slice(1)].map(model.pretty);
    return lines.length <= LINES ? lines : [...lines.slice(0, LINES - 1), `… ${lines.length - LINES + 1} more terms`];
  }

  function wrapped(texts) {
    return texts.slice(0, LINES).map((text) => fitted(text, (model.isRuleList ? RULE : MOST) - 2 * PAD, TITLE, true));
  }

  function fitted(text, room, size, bold) {
    if (measure(text, size, bold) <= room) return text;
    const [, name, rest] = COMPARISON.exec(text) ?? [];
    if (name && measure(rest, size, bold) <= room * 0.7) return shortened(name, room - measure(rest, size, bold), size, bold) + rest;
    return shortened(text, room, size, bold);
  }

  function shortened(text, room, size, bold) {
    let keep = text.length;
    let shown = text;
    while (keep > 2 && measure(shown, size, bold) > room) {
      keep -= Math.max(1, Math.floor(keep / 12));
      shown = `${text.slice(0, Math.ceil(keep * 0.65))}…${text.slice(text.length - Math.floor(keep * 0.35))}`;
    }
    return shown;
  }

  function sized(card) {
    const test = card.leaf && given && given.weight[card.id] > 0 ? testResult(card.id) : null;
    const marked = model.marked(card.id).length > 0 ? `✎ ${model.marked(card.id).join(", ")}` : null;
    const feet = measure(card.foot[0], SMALL, false) + measure(card.foot[1], SMALL, false) + 14;
    const dot = card.leaf && dotted ? 15 : 0;
    const tested = test ? measure(test.text, SMALL, false) + (test.worse ? HATCH + 8 : 0) : 0;
    const wide = Math.max(...card.title.map((text) => measure(text, PIXELS / FAR, true) + dot), feet, tested, marked ? measure(marked, SMALL, false) : 0, card.plot ? 120 : 0, card.plot && !card.whole ? 190 : 0);
    const width = Math.min(model.isRuleList ? RULE : MOST, Math.max(LEAST, wide + 2 * PAD));
    const height = PAD + card.title.length * 17 + (card.plot ? plots.height(card.id, card.plot, card.whole) + 2 : 0) + BAR + 20 + (test ? 16 : 0) + (marked ? 16 : 0);
    return { ...card, test, marked, width, height };
  }

  // A leaf on other rows: for classes how many are right, for numbers their error.
  function testResult(id) {
    const weight = given.weight[id];
    if (model.classes === null) {
      const worse = weight >= 5 && model.deviationOf(id) !== null && given.off[id] > 2 * model.deviationOf(id);
      return { text: `test: ${rows(weight)}, off by ${number(given.off[id], 2)}`, worse, how: "more than twice as far as in training" };
    }
    const right = 1 - given.loss[id] / weight;
    const expected = model.right(id) ?? 0;
    const doubt = Math.sqrt(Math.max(expected * (1 - expected), 0.25 / (weight + 1)) / weight);
    return { text: `test: ${share(right)} of ${rows(weight)}`, worse: weight >= 5 && right < expected - 2 * doubt, how: "worse than in training by more than two standard errors" };
  }

  // The question of a node as it holds for the cell of a row; null where that is the card's own.
  function questionFor({ id, width, title }, row) {
    if (model.isRuleList || model.branches[id] === 0) return null;
    const x = model.testedCell(id, row);
    return model.question(id, x) === model.question(id) ? null : asked(id, x, width - 2 * PAD, title.length);
  }

  function draw(pen, theme, card, x, y, { selected = false, passed = 0, found = false, hidden = 0, dim = false, scale = 1, title = null } = {}) {
    const { id, width, height } = card;
    const line = selected || passed > 0 ? theme.ink : found || hidden > 0 ? theme.mark : theme.edge;
    const far = scale < OUTLINE;
    const fill = nodeFill(model, id, theme.card, model.classes === null ? 0.05 : far ? 0.15 : 0, model.classes === null ? 0.62 : far ? 0.75 : 0.34);
    if (far && width * scale < DOT) {
      pen.rect(x + width / 2 - DOT / scale / 2, y, DOT / scale, Math.max(height, DOT / scale), { fill, line: passed > 0 ? theme.ink : null, width: 1 / scale });
      return;
    }
    if (card.stub) pen.rect(x + 4, y + 4, width - 2, height, { fill: theme.card, line: theme.edge, round: 7 });
    pen.rect(x, y, width, height, { fill, line, width: selected || found ? 2.5 : passed > 0 || hidden > 0 ? 1.75 : 1, round: card.leaf ? 13 : 7 });
    if (found && line === theme.ink) pen.rect(x - 3, y - 3, width + 6, height + 6, { line: theme.mark, width: 2, round: card.leaf ? 15 : 9 });
    if (passed > 0) pen.dot(x + width / 2, y, 5, theme.ink);
    if (far) {
      if (model.classes !== null && height * scale > 4) bar(pen, theme, id, x + 2, y + height - 4 / scale - 2, width - 4, 4 / scale);
    } else if (scale < READ) brief(pen, theme, card, x, y, scale, title);
    else full(pen, theme, card, x, y, title);
    if (hidden > 0 && scale >= READ) pen.text(x + width, y + height + 16, `${hidden} found below`, { size: SMALL, fill: theme.mark, anchor: "end" });
    if (dim) pen.rect(x - 1, y - 1, width + 2, height + 2, { fill: `${theme.paper}a6`, round: 7 });
  }

  function full(pen, theme, card, x, y, title) {
    const { id, width } = card;
    const grey = card.leaf || model.classes === null ? theme.ink : theme.grey; // on a ground of colour grey is hard to read
    let at = y + PAD + 10;
    for (const text of title ?? card.title) {
      const dot = card.leaf && dotted;
      if (dot) pen.dot(x + PAD + 4.5, at - 4.5, 4.5, classColor(model.label[id]));
      pen.text(x + PAD + (dot ? 15 : 0), at, text, { size: TITLE, bold: true, fill: theme.ink });
      at += 17;
    }
    at -= 10;
    if (card.plot) {
      plots.draw(pen, theme, card, x + PAD, at + 2, width - 2 * PAD, SMALL);
      at += plots.height(id, card.plot, card.whole) + 2;
    }
    bar(pen, theme, id, x + PAD, at, width - 2 * PAD);
    at += BAR + 14;
    pen.text(x + PAD, at, card.foot[0], { size: SMALL, fill: grey });
    pen.text(x + width - PAD, at, card.foot[1], { size: SMALL, fill: grey, anchor: "end" });
    if (card.marked) pen.text(x + PAD, at + (card.test ? 31 : 15), card.marked, { size: SMALL, fill: theme.mark });
    if (!card.test) return;
    pen.text(x + PAD, at + 15, card.test.text, { size: SMALL, fill: grey });
    if (card.test.worse) hatch(pen, theme, x + width - PAD - HATCH, at + 5, HATCH, 10);
  }

  // From further away: the question or the answer and the number of rows as large as they can be read, as far as there is room for them.
  function brief(pen, theme, card, x, y, scale, title) {
    const { id, width, height } = card;
    const [size, room] = [Math.ceil((10 * PIXELS) / scale) / 10, width - PAD];
    const [line, floor] = [size * 1.22, y + height - BAR - 5];
    const left = x + PAD / 2;
    bar(pen, theme, id, left, floor, room);
    const titles = title ?? card.title;
    let at = y + size + 2;
    titles.forEach((text) => {
      if (at > floor - 2) return;
      const dot = card.leaf && dotted ? size * 0.9 : 0;
      if (dot) pen.dot(left + size * 0.35, at - size * 0.35, size * 0.35, classColor(model.label[id]));
      pen.text(left + dot, at, fitted(text, room - dot, size, true), { size, bold: true, fill: theme.ink });
      at += line;
    });
    const fits = (whole) => card.plot && at - size + plots.height(id, card.plot, whole) + line < floor + 2;
    const whole = fits(card.whole) ? card.whole : true; // without the names of levels, if there is no room for them
    if (fits(whole)) {
      plots.draw(pen, theme, { ...card, whole }, left, at - size + 2, room, size);
      at += plots.height(id, card.plot, whole);
    }
    if (card.foot[0] && at < floor - 2) pen.text(left, at, fitted(card.foot[0], room, size, false), { size, fill: theme.ink });
  }

  function hatch(pen, theme, x, y, width, height) {
    for (let k = 0; k < width; k += 4) pen.shape([[x + k, y + height], [x + k + 4, y]], null, theme.mark, 1.2);
  }

  // The rows of a node: the classes side by side, or the mean and its spread on the scale of the whole tree.
  function bar(pen, theme, id, x, y, width, tall = BAR) {
    if (model.classes === null) {
      const place = (value) => x + (width * (value - model.least)) / (model.most - model.least);
      if (Number.isNaN(model.value[id])) return;
      const spread = model.spread[id] ?? 0;
      const [a, b] = [place(model.value[id] - spread), place(model.value[id] + spread)];
      pen.rect(x, y + tall / 2 - 0.5, width, 1, { fill: `${theme.ink}66` });
      pen.rect(a, y + 1.5, Math.max(1, b - a), tall - 3, { fill: theme.card, line: `${theme.ink}99`, round: 2 });
      pen.rect(place(model.value[id]) - 1, y - 1, 2, tall + 2, { fill: theme.ink });
      return;
    }
    const mix = model.mix(id);
    const total = mix.reduce((sum, [, weight]) => sum + weight, 0);
    let at = x;
    let rest = 0;
    for (const [k, weight] of mix) {
      if (classColor(k) === OTHERS) rest += weight;
      else at = piece(pen, at, y, (width * weight) / total, classColor(k), tall);
    }
    if (rest > 0) piece(pen, at, y, (width * rest) / total, OTHERS, tall);
  }

  function piece(pen, x, y, width, color, tall) {
    if (width > 0) pen.rect(x, y, Math.max(0.5, width - 0.75), tall, { fill: color });
    return x + width;
  }

  return { cardOf, shortQuestion: (id) => levelsCounted(id) ?? model.question(id), questionFor, shortened, draw, testResult: given ? testResult : null };
}
