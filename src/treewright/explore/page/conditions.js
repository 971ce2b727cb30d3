// The conditions that lead to a node, combined by column, and their texts.
import { share } from "./words.js";

const ROUNDING = 2 ** -50; // decimal fractions and the middle of two of them are off by less

export function conditions(model, program, says) {
  const cutBegin = new Int32Array(model.n + 1);
  for (let id = 0; id < model.n; id += 1) cutBegin[id + 1] = cutBegin[id] + (nominal(id) ? 0 : cutsOf(id));

  function nominal(id) {
    return model.isRuleList || model.branches[id] === 0 || model.tested(id).kind === "nominal";
  }

  function cutsOf(id) {
    const at = model.placeOf(id);
    return program.cut_begin[at + 1] - program.cut_begin[at];
  }

  // A threshold as it is written, and whether cells must be less than it. Where the cell of a row lies between the threshold and its short
  // text, the comparison is the other one if rounding alone sets them apart, or the text has as many digits as it takes.
  function cutText(id, k, x = null) {
    const text = says.cuts[cutBegin[id] + k];
    const [at, less] = [cutAt(id, k), program.less[model.placeOf(id)] === 1];
    const below = (cut, strictly = less) => (strictly ? x < cut : x <= cut);
    if (x === null || model.tested(id).kind !== "number" || below(Number(text)) === below(at)) return { text, less };
    if (Math.abs(Number(text) - at) <= Math.abs(at) * ROUNDING && below(Number(text), !less) === below(at)) return { text, less: !less };
    const digits = Array.from({ length: 17 }, (_, k) => String(Number(at.toPrecision(k + 1))));
    return { text: digits.find((one) => one.length >= text.length && below(Number(one)) === below(at)) ?? String(at), less };
  }

  function cutAt(id, k) {
    return program.cut[program.cut_begin[model.placeOf(id)] + k];
  }

  // Levels of a nominal column that a branch lists; null: all that no other lists.
  function listed(id, b) {
    const mine = says.levels[id].filter(([, branch]) => branch === b).map(([code]) => code);
    return mine.length > 0 ? mine : null;
  }

  // Levels that go to a child, by the program.
  function levelsTo(id, b) {
    const at = model.placeOf(id);
    const codes = program.columns[program.column[at]][3].map(([code]) => code);
    return codes.filter((code) => {
      let k = program.cut_begin[at];
      while (k < program.cut_begin[at + 1] && code > program.cut[k]) k += 1;
      const to = program.to[program.to_begin[at] + k - program.cut_begin[at]];
      return to >= 0 && model.originOf(to) === model.first[id] + b;
    });
  }

  // Whether present cells take a branch at all.
  function takesPresent(id, b) {
    return nominal(id) ? listed(id, b) !== null || levelsTo(id, b).length > 0 : b <= cutsOf(id);
  }

  // The condition under which a row goes from a node to its branch b.
  function step(id, b, x = null) {
    const at = model.placeOf(id);
    const out = { column: model.column(id), low: null, high: null, levels: null, listed: null, present: takesPresent(id, b), missing: 0, seen: Boolean(model.doc.nodes.missing_seen[id]) };
    const missingTo = program.missing[at];
    if (missingTo === -2) {
      for (let w = program.way_begin[at]; w < program.way_begin[at + 1]; w += 1) {
        if (model.originOf(program.way_to[w]) === model.first[id] + b) out.missing = program.way_share[w];
      }
    } else if (missingTo >= 0) out.missing = model.originOf(missingTo) === model.first[id] + b ? 1 : 0;
    if (!out.present) return out;
    if (nominal(id)) {
      out.levels = levelsTo(id, b);
      out.listed = listed(id, b);
      return out;
    }
    if (b > 0 && cutsOf(id) > 0) out.low = bound(b - 1, true);
    if (b < cutsOf(id)) out.high = bound(b, false);
    return out;

    function bound(k, low) {
      const { text, less } = cutText(id, k, x);
      return { at: cutAt(id, k), text, holds: less === low };
    }
  }

  // Of two bounds the one that leaves less; of two at one number that which leaves the number out.
  function tighter(one, other, way) {
    if (one === null || other === null) return one ?? other;
    const further = (other.at - one.at) * way;
    return further > 0 || (further === 0 && !other.holds) ? other : one;
  }

  function both(a, b) {
    const low = tighter(a.low, b.low, 1);
    const high = tighter(a.high, b.high, -1);
    const inside = (mine, theirs) => (mine === null ? theirs : theirs === null ? mine : mine.filter((code) => theirs.includes(code)));
    return { ...a, low, high, levels: inside(a.levels, b.levels), listed: inside(a.listed, b.listed), present: a.present && b.present, missing: a.missing * b.missing, seen: a.seen || b.seen };
  }

  // The path to a node: [node above, branch] from the root on.
  function way(id) {
    const out = [];
    for (let at = id; model.parent[at] >= 0; at = model.parent[at]) out.push([model.parent[at], at - model.first[model.parent[at]]]);
    return out.reverse();
  }

  function pathTo(id) {
    const byColumn = new Map();
    for (const [node, b] of way(id)) {
      const one = step(node, b);
      byColumn.set(one.column, byColumn.has(one.column) ? both(byColumn.get(one.column), one) : one);
    }
    return [...byColumn.values()];
  }

  function text(one) {
    const column = model.sources[one.column];
    if (!one.present) return `${column.name} is missing`;
    if (one.low === null && one.high === null && one.levels === null) return `${column.name} is known`;
    const body = one.levels === null ? interval(column, one) : levelsText(column, one);
    if (!one.seen || one.missing === 0) return body;
    return one.missing === 1 ? `(${body} or missing)` : `(${body} or ${share(one.missing)} of missing)`;
  }

  function interval(column, { low, high }) {
    if (column.kind === "bool") return `${column.name} = ${low !== null ? "True" : "False"}`;
    if (column.kind === "ordered") return ordered(column, low, high);
    if (low === null) return `${column.name} ${high.holds ? "≤" : "<"} ${high.text}`;
    if (high === null) return `${column.name} ${low.holds ? "≥" : ">"} ${low.text}`;
    return `${low.text} ${low.holds ? "≤" : "<"} ${column.name} ${high.holds ? "≤" : "<"} ${high.text}`;
  }

  function ordered(column, low, high) {
    const last = column.levels.length - 1;
    const begin = low === null ? 0 : low.holds ? Math.ceil(low.at) : Math.floor(low.at) + 1;
    const end = high === null ? last : high.holds ? Math.floor(high.at) : Math.ceil(high.at) - 1;
    if (begin === end) return `${column.name} = ${column.levels[begin]}`;
    if (begin === 0) return `${column.name} ≤ ${column.levels[end]}`;
    if (end === last) return `${column.name} ≥ ${column.levels[begin]}`;
    return `${column.levels[begin]} ≤ ${column.name} ≤ ${column.levels[end]}`;
  }

  function levelsText(column, { levels, listed: shown }) {
    const codes = shown && shown.length > 0 ? shown : levels;
    if (codes.length === 1) return `${column.name} = ${column.levels[codes[0]]}`;
    const rest = column.levels.map((_, code) => code).filter((code) => !levels.includes(code));
    if (shown === null && rest.length === 1) return `${column.name} ≠ ${column.levels[rest[0]]}`;
    return `${column.name} in {${codes.map((code) => column.levels[code]).join(", ")}}`;
  }

  // The rule of a node: its conditions as texts.
  function rule(id) {
    if (!model.isRuleList) return pathTo(id).map(text);
    const texts = says.rules[id - (id % 2)]; // rule r is node 2 r, its answer the next node
    return texts ? texts.map(model.pretty) : [model.voting ? "no rule holds" : "no earlier rule applies"];
  }

  function ruleName(id) {
    return says.rules[id].map(model.pretty).join(" and ") || "always";
  }

  return { cutText, cutAt, cutsOf, takesPresent, levelsTo, way, pathTo, conditionText: text, branchText: (id, b, x = null) => text({ ...step(id, b, x), ...(x === null ? {} : { missing: 0 }) }), rule, ruleName };
}
