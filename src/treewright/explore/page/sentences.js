// Rules as sentences, the figures of their rows, and the text that screen readers announce for the row that is followed.
import { count, grouped, number, rows, share } from "./words.js";

export function sentences(model) {
  const { doc } = model;

  // The share of a node's rows that are classified correctly; null where that is unknown: scores may predict another class for each row.
  function right(id) {
    if (model.weight[id] <= 0) return null;
    if (model.equations?.[id]) return doc.right?.[id] === undefined ? null : doc.right[id] / model.weight[id];
    const counts = model.mix(id);
    const own = counts.find(([k]) => k === model.label[id]);
    return own ? own[1] / counts.reduce((sum, [, weight]) => sum + weight, 0) : 0;
  }

  function figures(id) {
    if (model.classes === null) return [rows(model.weight[id]), model.deviationText(id)].filter(Boolean).join(", ");
    const correct = right(id);
    return `${rows(model.weight[id])}${correct === null ? "" : `, ${share(correct)} right`}`;
  }

  // The answer of a node, an equation in full.
  function conclusion(id) {
    const found = model.equations?.[id];
    if (!found) return `${model.target} = ${model.answer(id)}`;
    const texts = found.slice(1).map(model.fullText);
    return model.classes === null ? `${model.target} = ${texts[0]}` : `${model.target} by ${texts.join("; ")}`;
  }

  // For a list the sentence is in the document: rule r is node 2 r, and its answer the next node.
  function sentence(id) {
    if (model.isRuleList) return model.fullText(doc.says.sentences[id >> 1]);
    const when = model.rule(id).join(" and ");
    return `${when ? `if ${when} then ` : ""}${conclusion(id)}  (${figures(id)})`;
  }

  const name = (id) => (id >> 1 === (model.n - 1) >> 1 ? "default" : `rule ${id >> 1}`);

  // A rule's conditions with the connective before them.
  function connective(id) {
    const at = id >> 1;
    if (name(id) === "default") return model.voting ? "otherwise" : at > 0 ? "else" : "always";
    const when = model.rule(id).join(" and ") || "always";
    return at > 0 && !model.voting ? `else if ${when}` : model.voting ? `if ${when}` : when;
  }

  // Where a row goes, for screen readers.
  function spoken(row, found, answer) {
    if (found.ends.length !== 1) return `the row goes to ${found.ends.length} ${model.isRuleList ? "rules" : "leaves"} in parts: ${answer}`;
    const [[id]] = found.ends;
    const up = model.parent[id];
    const own = model.classes === null || model.equations?.[id] ? null : model.mix(id).find(([k]) => k === model.label[id]);
    const counted = own === null ? "" : ` ${count(own ? own[1] : 0)} of ${count(model.weight[id])}`;
    if (model.isRuleList) return `${name(id)} decides the row: ${answer}${counted}`;
    return `${up < 0 ? "the row ends in" : `the row goes ${model.branch(up, id - model.first[up])} at ${model.question(up, model.testedCell(up, row)).replace(/\?$/, "")},`} leaf ${id}: ${answer}${counted}`;
  }

  return { right, figures, conclusion, sentence, ruleNumber: name, connective, spoken };
}

// The mean of a node with its spread; empty where it is unknown.
export function meanText(model, id) {
  if (Number.isNaN(model.value[id])) return "";
  const spread = model.spread[id];
  if (!(spread > 0)) return `mean ${grouped(number(model.value[id]))}${spread === 0 ? " ± 0" : ""}`;
  // As many decimals as the spread has, and four digits at least.
  const least = 1 + Math.floor(Math.log10(Math.abs(model.value[id]) || 1));
  const digits = Math.min(15, Math.max(4, least + 2 - Math.floor(Math.log10(spread))));
  return `mean ${grouped(number(model.value[id], digits))} ± ${grouped(number(spread, 3))}`;
}
