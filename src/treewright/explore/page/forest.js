// A forest: all members as a strip of small pictures, how they vote about a row, and below it the explorer of the one that is open.
import { NUMBERS, blend, classColor } from "./color.js";
import { button, fill, make } from "./dom.js";
import { predictor } from "./predictor.js";
import { swatch } from "./panels.js";
import { exactText } from "./quality.js";
import { cut, grouped, isolated, number, share, visible } from "./words.js";

const [WIDE, HIGH] = [74, 40]; // pixels of a small picture
const NAMED = 8; // classes in the line of votes

// `explorer` opens one member; `hash`: the open member and the row are in the address of the page.
export function forestPage(root, doc, explorer, { hash = false, changed = () => {} } = {}) {
  const answers = predictor(doc.program);
  const classes = doc.classes?.map((name) => isolated(cut(visible(name), 60))) ?? null;
  const order = doc.program.order;
  const adds = doc.program.combine === "scores"; // members say numbers, which add up to scores
  const labelled = classes !== null && !adds;
  const known = Object.fromEntries(["columns", "rows", "n_rows", "target", "classes"].map((name) => [name, doc[name]]));
  const state = { member: -1, row: null, theme: undefined, inside: null };
  const range = numberRange(doc.members);

  const facts = [isolated(visible(doc.about)), ...(doc.quality ? [`rows given: ${exactText(doc.quality, doc.outputs)}`] : [])].join(" · ");
  const small = doc.members.map((member, k) => smallPicture(member, k));
  const beyond = doc.program.members.length - doc.members.length;
  const more = beyond > 0 ? make("span", { class: "quiet more" }, `${beyond} more vote, but are not in this page`) : null;
  const strip = make("div", { class: "strip", role: "group", "aria-label": "members" }, ...small.map(({ element }) => element), more);
  const vote = make("div", { class: "vote", role: "status", "aria-label": "how the members vote" });
  const holder = make("div", { class: "holder" });
  fill(root, make("section", { class: "forest", "aria-label": "forest" },
    make("div", { class: "about" }, make("h1", {}, isolated(cut(visible(doc.title), 120))), make("p", { class: "facts" }, facts)), vote, strip), holder);

  function smallPicture(member, k) {
    const canvas = make("canvas", { width: 2 * WIDE, height: 2 * HIGH, "aria-hidden": "true" });
    const says = make("span", { class: "says" });
    const element = button("", `open member ${k}`, () => open(k), { class: "small", "aria-pressed": "false" });
    element.append(canvas, make("span", { class: "number" }, String(k)), says);
    return { element, says, draw: () => drawSmall(canvas, member, labelled, range, root) };
  }

  function open(k) {
    if (k < 0 || k >= doc.members.length) return;
    const box = make("div", { class: "tw member" });
    const before = state.inside;
    state.member = k;
    fill(holder, box);
    const inside = explorer(box, { ...known, ...doc.members[k] }, { theme: state.theme, changed: follow });
    state.inside = inside;
    small.forEach(({ element }, at) => element.setAttribute("aria-pressed", String(at === k)));
    small[k].element.scrollIntoView({ block: "nearest", inline: "nearest" });
    inside.app.store.on(["theme"], themed);
    themed(inside.app.store.state);
    if (before) inside.app.store.set({ tab: before.app.store.state.tab });
    if (state.row) inside.app.follow(state.row);
    remember();
  }

  function themed({ theme }) {
    if (state.theme === theme) return;
    state.theme = root.dataset.theme = theme;
    for (const { draw } of small) draw();
  }

  function follow(now) {
    if (now.row !== state.row) {
      state.row = now.row;
      show();
      remember();
    }
    changed(now);
  }

  // What the members say of the row that is followed, and what becomes of it.
  function show() {
    let told = null;
    if (state.row) {
      try {
        told = answers.explain(state.inside.tools.predictorRow(state.row));
      } catch (error) {
        fill(vote, make("span", { class: "quiet" }, error.message));
        return;
      }
    }
    small.forEach(({ element, says }, k) => {
      const color = told ? colorOf(told.members[k].says, k) : "";
      says.textContent = told ? textOf(told.members[k].says) : "";
      element.style.boxShadow = told ? `inset 0 -4px 0 ${color}` : "";
      element.setAttribute("aria-label", told ? `open member ${k}, which ${saidBy(k, told.members[k].says)}` : `open member ${k}`);
    });
    fill(vote, ...(told ? (adds ? scoreSums(told) : classes ? classVotes(told) : numberVotes(told)) : [make("span", { class: "quiet" }, "Follow a row (Row, or press r) to see how the members vote.")]));
  }

  const codeOf = (label) => order[answers.classes.indexOf(label)];
  const colorOf = (says, k) => (labelled ? classColor(codeOf(says)) : classes ? classColor(doc.program.adds_to[k]) : doc.outputs.length > 0 ? NUMBERS : blend("#ffffff", NUMBERS, 0.15 + 0.85 * placed(says)));
  const named = (score) => classes?.[score] ?? (doc.outputs.length > 0 ? isolated(visible(doc.outputs[score])) : "the sum");
  const saidBy = (k, says) => (adds ? `adds ${textOf(says)} to ${named(doc.program.adds_to[k])}` : `says ${textOf(says)}`);
  const textOf = (says) => (labelled ? classes[codeOf(says)] : Array.isArray(says) ? `(${says.map((one) => number(one, 4)).join(", ")})` : number(says, 4));
  const placed = (value) => (range.high > range.low ? Math.max(0, Math.min(1, (value - range.low) / (range.high - range.low))) : 0.5);

  function classVotes(told) {
    const counts = new Map();
    let total = 0;
    for (const { says, weight } of told.members) {
      const [n, w] = counts.get(says) ?? [0, 0];
      counts.set(says, [n + 1, w + weight]);
      total += weight;
    }
    const ranked = [...counts].sort((a, b) => b[1][1] - a[1][1] || codeOf(a[0]) - codeOf(b[0]));
    const bar = make("span", { class: "votes", "aria-hidden": "true" });
    for (const [label, [, weight]] of ranked) {
      const piece = make("span");
      piece.style.width = `${(100 * weight) / total}%`;
      piece.style.background = classColor(codeOf(label));
      bar.append(piece);
    }
    const named = ranked.slice(0, NAMED).map(([label, [n]]) => make("span", {}, swatch(classColor(codeOf(label))), `${classes[codeOf(label)]} ${n} of ${told.members.length}`));
    const answered = told.shares[answers.classes.indexOf(told.says)];
    return [bar, ...named, make("b", {}, `→ ${textOf(told.says)}`), make("span", { class: "quiet" }, `${share(answered)} by the ${doc.program.combine === "vote" ? "votes" : "mean of their shares"}`)];
  }

  // What members add up to: scores, and what becomes of them.
  function scoreSums(told) {
    const about = make("span", { class: "quiet" }, `scores added up by ${grouped(String(told.members.length))} members`);
    if (classes === null) {
      const sums = told.scores.map((score, k) => make("span", {}, `${doc.outputs.length > 0 ? `${named(k)} ` : "score "}${grouped(number(score))}`));
      return [...sums, make("b", {}, `→ ${textOf(told.says)}`), about];
    }
    const bar = make("span", { class: "votes", "aria-hidden": "true" });
    const ranked = told.shares.map((part, at) => [order[at], part]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    for (const [k, part] of ranked) {
      const piece = make("span");
      piece.style.width = `${100 * part}%`;
      piece.style.background = classColor(k);
      bar.append(piece);
    }
    const texts = ranked.slice(0, NAMED).map(([k, part]) => make("span", {}, swatch(classColor(k)), `${classes[k]} ${share(part)} (score ${grouped(number(told.scores[k]))})`));
    return [bar, ...texts, make("b", {}, `→ ${classes[codeOf(told.says)]}`), about];
  }

  function numberVotes(told) {
    if (doc.outputs.length > 0) return [make("b", {}, `→ ${textOf(told.says)}`), make("span", { class: "quiet" }, `mean of ${told.members.length} members`)];
    const numbers = told.members.map(({ says }) => says);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const bar = make("span", { class: "votes ticks", "aria-hidden": "true" });
    const at = (value) => `${high > low ? (100 * (value - low)) / (high - low) : 50}%`;
    for (const value of numbers) {
      const tick = make("span");
      tick.style.left = at(value);
      bar.append(tick);
    }
    const answer = make("span", { class: "answered" });
    answer.style.left = at(told.says);
    bar.append(answer);
    const name = doc.program.combine === "median" ? "weighted median" : "mean";
    return [bar, make("span", {}, `${numbers.length} members say ${grouped(number(low, 4))} to ${grouped(number(high, 4))}`), make("b", {}, `→ ${grouped(number(told.says))}`), make("span", { class: "quiet" }, name)];
  }

  // -- the address ---------------------------------------------------------------------------------------------------

  function remember() {
    if (!hash) return;
    const now = new URLSearchParams();
    now.set("member", state.member);
    if (state.row) now.set("row", state.inside.tools.used.map((j) => state.row[j] ?? "").join(","));
    try {
      history.replaceState(null, "", `#${now}`);
    } catch { /* a page inside another may have no address of its own */ }
  }

  // Keys are the open member's wherever on the page the focus is; inside the member it hears them itself.
  (hash ? document : root).addEventListener("keydown", (event) => {
    if (!holder.contains(event.target)) state.inside?.keys(event);
  });

  const wanted = new URLSearchParams(hash ? location.hash.slice(1) : "");
  const first = Number(wanted.get("member") ?? 0);
  const cells = wanted.get("row")?.split(",").map((text) => (text === "" || Number.isNaN(Number(text)) ? null : Number(text)));
  show();
  open(Number.isInteger(first) && first >= 0 && first < doc.members.length ? first : 0);
  if (cells) {
    const { tools, app } = state.inside;
    app.follow(tools.used.reduce((row, j, i) => tools.changed(row, j, cells[i] ?? null), doc.columns.map(() => null)));
    app.store.set({ tab: "row" });
  }

  return {
    predict: (given) => given.map((row) => answers.predict(row)),
    leaf: (given) => given.map((row) => answers.leaf(row)),
    votes: (given) => given.map((row) => answers.explain(row).members.map(({ says }) => says)),
    open,
    get member() { return state.member; },
    get app() { return state.inside.app; },
    get model() { return state.inside.model; },
    get tools() { return state.inside.tools; },
  };
}

// The least and the largest number that any node of any member stands for.
function numberRange(members) {
  const out = { low: Infinity, high: -Infinity };
  for (const { nodes } of members) {
    for (const value of nodes.value ?? []) {
      if (value === null) continue;
      out.low = Math.min(out.low, value);
      out.high = Math.max(out.high, value);
    }
  }
  return out;
}

// Every node as a box as wide as its share of the rows, children below their parent.
function drawSmall(canvas, { nodes }, hasClasses, range, root) {
  const pen = canvas.getContext("2d");
  const ground = getComputedStyle(root).getPropertyValue("--card").trim() || "#ffffff";
  const { first, count, weight } = nodes;
  const n = first.length;
  const depth = new Int32Array(n);
  const begin = new Float64Array(n);
  let deepest = 0;
  for (let id = 0; id < n; id += 1) {
    let at = begin[id];
    for (let child = first[id]; child < first[id] + count[id]; child += 1) {
      depth[child] = depth[id] + 1;
      begin[child] = at;
      at += weight[child];
      deepest = Math.max(deepest, depth[child]);
    }
  }
  const scale = weight[0] > 0 ? canvas.width / weight[0] : 0;
  const high = canvas.height / (deepest + 1);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  for (let id = 0; id < n; id += 1) {
    const wide = weight[id] * scale;
    if (wide < 0.3) continue;
    pen.fillStyle = hasClasses ? blend(ground, classColor(nodes.label[id]), 0.15 + 0.7 * purest(nodes, id)) : blend(ground, NUMBERS, range.high > range.low && nodes.value[id] !== null ? 0.1 + 0.75 * ((nodes.value[id] - range.low) / (range.high - range.low)) : 0.2);
    pen.fillRect(begin[id] * scale, depth[id] * high, Math.max(0.5, wide - (wide > 6 ? 1 : 0)), Math.max(0.5, high - (high > 6 ? 1 : 0)));
  }
}

function purest({ class_begin: begins, class_weight: weights }, id) {
  let [most, total] = [0, 0];
  for (let at = begins[id]; at < begins[id + 1]; at += 1) {
    most = Math.max(most, weights[at]);
    total += weights[at];
  }
  return total > 0 ? most / total : 0;
}
