// The document as a model: nodes as typed columns, their texts, and the predictor for every size of the tree.
import { predictor } from "./predictor.js";
import { conditions } from "./conditions.js";
import { derivedNumbers } from "./derived.js";
import { linear } from "./linear.js";
import { sentences } from "./sentences.js";
import { voter } from "./votes.js";
import { cut, isolated, number, shortSum, visible } from "./words.js";

const WIDE = 80; // characters of a name
const TENTH = 2.1972245773362196; // the logistic function is a tenth at minus this

const named = (text) => isolated(cut(visible(text), WIDE));

export function modelOf(doc) {
  const { nodes, program, says } = doc;
  const n = nodes.first.length;
  const ints = (values) => Int32Array.from(values);
  const first = ints(nodes.first);
  const branches = ints(nodes.count);
  const weight = Float64Array.from(nodes.weight);
  const parent = new Int32Array(n).fill(-1);
  const depth = new Int32Array(n);
  for (let id = 0; id < n; id += 1) {
    for (let child = first[id]; child < first[id] + branches[id]; child += 1) {
      parent[child] = id;
      depth[child] = depth[id] + 1;
    }
  }
  // Where surrogates have nodes of their own in the program, node numbers differ.
  const origin = doc.origin.length > 0 ? ints(doc.origin) : null;
  const place = origin === null ? null : new Int32Array(n);
  if (place !== null) for (let at = origin.length - 1; at >= 0; at -= 1) place[origin[at]] = at;
  const placeOf = (id) => (place === null ? id : place[id]);
  const originOf = (at) => (origin === null ? at : origin[at]);

  const names = doc.columns.map((column) => named(column.label));
  const columns = doc.columns.map((column, j) => ({ ...column, name: names[j], levels: column.levels?.map((level) => named(level)), plain: column.levels?.map((level, code) => named(column.plain?.[code] ?? level)) }));
  const derived = derivedNumbers(program);
  const classes = doc.classes === null ? null : doc.classes.map((name) => named(name));
  const value = nodes.value ? Float64Array.from(nodes.value, (x) => x ?? NaN) : null; // unknown where rules have equations and no rows were given
  const means = value ? value.filter((x) => !Number.isNaN(x)) : [];
  const label = nodes.label ? ints(nodes.label) : null;
  const step = doc.path ? ints(doc.path.step) : null;

  const slopes = new Map(program.soft.filter(([, , shares]) => shares.length === 0).map(([at, , , [slope]]) => [originOf(at), slope])); // of gates along the logistic function
  const model = {
    smooth: slopes.size > 0,
    doc, n, first, branches, weight, parent, depth, classes, value, label, names, placeOf, originOf,
    columns, derived,
    sources: [...columns, ...derived.labels.map((label, k) => ({ ...numbered(derived.scores[k]), name: named(shortSum(label, WIDE)), whole: fullText(label) }))], // what nodes test
    target: named(doc.target),
    outputs: (doc.outputs ?? []).map(named),
    title: isolated(visible(doc.title)),
    spread: nodes.spread ?? null,
    lowest: means.length > 0 ? means.reduce((a, b) => Math.min(a, b)) : 0,
    highest: means.length > 0 ? means.reduce((a, b) => Math.max(a, b)) : 0,
    ...scaleOf(),
    deepest: depth.reduce((a, b) => Math.max(a, b)),
    equations: says.equations ?? null,
    isRuleList: doc.kind === "rules",
    voting: Boolean(doc.votes?.all), // all rules that hold decide, not the first alone
    lines: doc.linear ? linear(doc.linear) : null,
    count, children, below, purity, question, branch, answer, steps: doc.path ? doc.path.leaves.length : 1,
    column: (id) => program.column[placeOf(id)],
    tested: (id) => model.sources[model.column(id)],
    testedCell: (id, cells) => derived.value(model.tested(id).whole && model.lines ? model.lines.filled(cells) : cells, model.column(id)),
    missing, deviationText, deviationOf,
    marked: (id) => [doc.by_hand?.[id], doc.locked?.includes(id) ? "locked" : null].filter(Boolean), // what a person did to a node
    hasFractions: () => program.missing.includes(-2) && nodes.missing_seen.includes(1), // rows count in several leaves
  };
  Object.assign(model, conditions(model, program, says));

  // What a derived number is: a number, or which of so many scores is the largest.
  function numbered(scores) {
    return scores === 1 ? { kind: "number" } : { kind: "ordered", levels: Array.from({ length: scores }, (_, k) => `${k + 1}`) };
  }

  // The range of means with their spreads, so that every bar lies inside.
  function scaleOf() {
    let [least, most] = [Infinity, -Infinity];
    if (value !== null) value.forEach((mean, id) => {
      if (Number.isNaN(mean)) return;
      least = Math.min(least, mean - (nodes.spread?.[id] ?? 0));
      most = Math.max(most, mean + (nodes.spread?.[id] ?? 0));
    });
    return least < most ? { least, most } : { least: 0, most: 1 };
  }

  // How many branches a node has in the tree of a size; step 0 is the whole one.
  function count(id, size) {
    return step !== null && size > 0 && step[id] <= size ? 0 : branches[id];
  }

  function children(id) {
    return Array.from({ length: branches[id] }, (_, k) => first[id] + k);
  }

  // The deviation of targets from the answer: null where it is unknown, as for equations in old files.
  function deviationOf(id) {
    return model.equations?.[id] ? (nodes.deviation?.[id] ?? null) : model.spread[id];
  }

  function deviationText(id) {
    return deviationOf(id) === null ? "" : `± ${number(deviationOf(id), 2)}${doc.vectors ? " together" : ""}`; // for several numbers the root of the sum of squares
  }

  // Leaves below every node, in the tree of a size.
  function below(size) {
    const out = new Int32Array(n);
    for (let id = n - 1; id >= 0; id -= 1) {
      if (count(id, size) === 0) out[id] = 1;
      else for (let child = first[id]; child < first[id] + branches[id]; child += 1) out[id] += out[child];
    }
    return out;
  }

  // Classes of a node with their weights, in declared order.
  function mixOf(counts, id) {
    const out = [];
    for (let at = counts.class_begin[id]; at < counts.class_begin[id + 1]; at += 1) out.push([counts.class_id[at], counts.class_weight[at]]);
    return out;
  }
  const mix = (id) => mixOf(nodes, id);

  // Whether a node is there in the tree of a size.
  function shown(id, size) {
    return id === 0 || count(parent[id], size) > 0;
  }

  function largest(id) {
    let most = 0;
    let total = 0;
    for (let at = nodes.class_begin[id]; at < nodes.class_begin[id + 1]; at += 1) {
      total += nodes.class_weight[at];
      most = Math.max(most, nodes.class_weight[at]);
    }
    return total > 0 ? most / total : 0;
  }

  // 0 where all classes are as frequent, 1 where there is one only.
  function purity(id) {
    const k = Math.max(2, classes.length);
    return weight[id] > 0 ? Math.max(0, (largest(id) - 1 / k) / (1 - 1 / k)) : 0;
  }

  // The test of a node as a question; with the cell of a row, thresholds that are written alike may be told apart.
  function question(id, x = null) {
    if (model.isRuleList) return model.ruleName(id);
    const given = says.questions[id];
    if (given !== undefined) return pretty(given);
    if (says.branches[id]) return `${model.tested(id).name}?`;
    const { text, less } = model.cutText(id, 0, x);
    return `${model.tested(id).name} ${less ? "<" : "≤"} ${text}${slopes.has(id) ? ` ± ${Number((TENTH / slopes.get(id)).toPrecision(2))}` : ""}?`;
  }

  // The label of a branch: yes or no to a question, else the value.
  function branch(id, b) {
    if (model.isRuleList) return b === 0 ? "then" : model.voting ? "and" : "else";
    const given = says.branches[id];
    const levels = given ? (says.levels[id] ?? []).filter(([, to]) => to === b) : [];
    if (levels.length === 1 && given[b] === doc.columns[model.column(id)].levels[levels[0][0]]) return model.columns[model.column(id)].plain[levels[0][0]];
    return given ? pretty(given[b]) : ["yes", "no", "missing"][b];
  }

  function answer(id) {
    if (model.equations && model.equations[id]) {
      const [short, whole] = model.equations[id];
      return classes === null && whole.length <= 36 ? pretty(whole) : short;
    }
    if (classes !== null) return classes[label[id]];
    return doc.vectors ? vectorText(doc.vectors[id]) : number(value[id]);
  }

  const vectorText = (values) => `(${values.map((one) => number(one, 4)).join(", ")})`;

  // The answer for a row that ends in several leaves by shares, where answers are several numbers.
  function meanVector(ends) {
    return doc.vectors[0].map((_, k) => ends.reduce((sum, [id, share]) => sum + share * doc.vectors[id][k], 0));
  }
  Object.assign(model, { vectorText, meanVector, mix, mixOf, shown });

  // The share of missing cells per branch; empty where training had none at the node, or the test is on being missing.
  function missing(id) {
    const at = placeOf(id);
    if (model.isRuleList || branches[id] === 0 || !nodes.missing_seen[id] || doc.surrogates[id]) return [];
    if (program.cut_begin[at + 1] === program.cut_begin[at] && branches[id] === 2 && model.tested(id).kind !== "nominal") return [];
    const missingTo = program.missing[at];
    const shares = new Array(branches[id]).fill(0);
    if (missingTo === -2) {
      for (let w = program.way_begin[at]; w < program.way_begin[at + 1]; w += 1) shares[originOf(program.way_to[w]) - first[id]] = program.way_share[w];
    } else if (missingTo >= 0 && model.takesPresent(id, originOf(missingTo) - first[id])) shares[originOf(missingTo) - first[id]] = 1;
    return shares;
  }

  // The predictor of the tree of a size: the same program, in which the nodes that are leaves there answer.
  let made = { size: -1 };
  function sized(size) {
    if (made.size !== size) {
      const own = size === 0 || step === null ? program : cutBack(size);
      made = { size, own, answers: doc.votes ? voter(own, doc.votes, predictor(own)) : predictor(own) };
    }
    return made;
  }
  const predict = (size) => sized(size).answers;
  const programAt = (size) => sized(size).own;

  function cutBack(size) {
    const column = program.column.slice();
    const answerOf = program.answer.slice();
    const answers = program.answers.slice();
    const listed = program.listed?.slice(); // of many classes those are listed whose shares are not 0
    for (let id = 0; id < n; id += 1) {
      if (branches[id] === 0 || step[id] > size) continue;
      const counts = classes === null ? [] : mix(id);
      const total = counts.reduce((sum, [, w]) => sum + w, 0);
      const shares = classes === null ? [value[id]] : new Array(listed ? counts.length : classes.length).fill(0);
      counts.forEach(([k, w], at) => (shares[listed ? at : k] = w / total));
      if (listed) listed.push(counts.map(([k]) => k));
      const at = placeOf(id);
      column[at] = -1;
      answerOf[at] = answers.length;
      answers.push([classes === null ? -1 : label[id], ...shares]);
    }
    return { ...program, column, answer: answerOf, answers, listed };
  }

  // An equation is shown in full.
  function fullText(text) {
    return isolated(cut(comparing(visible(text)), 4000));
  }

  function comparing(text) {
    return text.replaceAll(" <= ", " ≤ ").replaceAll(" >= ", " ≥ ");
  }

  function pretty(text) {
    return isolated(cut(comparing(visible(text)), 2 * WIDE));
  }
  Object.assign(model, { pretty, fullText, predict, programAt });
  Object.assign(model, sentences(model));
  return model;
}
