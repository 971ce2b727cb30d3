// Rules as sentences, what is known of their rows, and what is said aloud of the row that is followed.
import { count, grouped, number, rows, share } from "./words.js";

export function sentences(model) {
  const { doc } = model;

  // The share of a node's rows that are told their class; null where that is not known: scores may tell each row another one.
  function right(id) {
    if (model.weight[id] <= 0) return null;
    if (model.equations?.[id]) return doc.right?.[id] === undefined ? null : doc.right[id] / model.weight[id];
    const held = model.mix(id);
    const own = held.find(([k]) => k === model.label[id]);
    return own ? own[1] / held.reduce((sum, [, weight]) => sum + weight, 0) : 0;
  }

  function figures(id) {
    if (model.classes === null) return [rows(model.weight[id]), model.deviation(id)].filter(Boolean).join(", ");
    const part = right(id);
    return `${rows(model.weight[id])}${part === null ? "" : `, ${share(part)} right`}`;
  }

  // What a node says, an equation in full.
  function saying(id) {
    const found = model.equations?.[id];
    if (!found) return `${model.target} = ${model.answer(id)}`;
    const texts = found.slice(1).map(model.whole);
    return model.classes === null ? `${model.target} = ${texts[0]}` : `${model.target} by ${texts.join("; ")}`;
  }

  // Of a list the sentence stands in the document: rule r is node 2 r, and its answer the node behind it.
  function sentence(id) {
    if (model.ladder) return model.whole(doc.says.sentences[id >> 1]);
    const when = model.rule(id).join(" and ");
    return `${when ? `if ${when} then ` : ""}${saying(id)}  (${figures(id)})`;
  }

  const name = (id) => (id >> 1 === (model.n - 1) >> 1 ? "default" : `rule ${id >> 1}`);

  // What leads from what stands before a rule to it.
  function begins(id) {
    const at = id >> 1;
    if (name(id) === "default") return model.voting ? "otherwise" : at > 0 ? "else" : "always";
    const when = model.rule(id).join(" and ") || "always";
    return at > 0 && !model.voting ? `else if ${when}` : model.voting ? `if ${when}` : when;
  }

  // Where a row goes, for those who do not see it.
  function spoken(row, found, says) {
    if (found.ends.length !== 1) return `the row goes to ${found.ends.length} ${model.ladder ? "rules" : "leaves"} in parts: ${says}`;
    const [[id]] = found.ends;
    const up = model.parent[id];
    const own = model.classes === null || model.equations?.[id] ? null : model.mix(id).find(([k]) => k === model.label[id]);
    const held = own === null ? "" : ` ${count(own ? own[1] : 0)} of ${count(model.weight[id])}`;
    if (model.ladder) return `${name(id)} decides the row: ${says}${held}`;
    return `${up < 0 ? "the row ends in" : `the row goes ${model.branch(up, id - model.first[up])} at ${model.question(up, row[model.column(up)] ?? null).replace(/\?$/, "")},`} leaf ${id}: ${says}${held}`;
  }

  return { right, figures, saying, sentence, ruleNumber: name, begins, spoken };
}

// The mean of a node with its spread; nothing where it is not known.
export function meanText(model, id) {
  if (Number.isNaN(model.value[id])) return "";
  const spread = model.spread[id];
  if (!(spread > 0)) return `mean ${grouped(number(model.value[id]))}${spread === 0 ? " ± 0" : ""}`;
  // As many decimals as the spread is told with, and four digits at least.
  const least = 1 + Math.floor(Math.log10(Math.abs(model.value[id]) || 1));
  const digits = Math.min(15, Math.max(4, least + 2 - Math.floor(Math.log10(spread))));
  return `mean ${grouped(number(model.value[id], digits))} ± ${grouped(number(spread, 3))}`;
}
