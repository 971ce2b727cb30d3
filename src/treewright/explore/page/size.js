// The size of the tree: a slider along the pruning path, whose track is the curve of errors.
import { canvasOf, make, onFrame } from "./dom.js";
import { canvasPen } from "./pen.js";
import { curveText, errorText, exactError } from "./quality.js";
import { leaves } from "./words.js";

const PAD = { right: 18, top: 14, bottom: 20 };

export function sizeSlider(box, app) {
  const { model, store } = app;
  const path = withBands(model.doc.path);
  const n = path.leaves.length;
  const fractions = model.hasFractions();
  const curves = [["training", "training rows", false], ["validation", "test rows", true], ["cv", "cross-validation", true]].filter(([name]) => path[name]);
  const track = make("div", {
    class: "track", role: "slider", tabindex: 0, "aria-label": "size of the tree", "aria-valuemin": 1, "aria-valuemax": path.leaves[0],
  });
  box.append(track);
  const draw = onFrame(paint);
  const size = canvasOf(track, draw);
  const worst = Math.max(...curves.flatMap(([name]) => (path.bands[name] ?? []).map(([, high]) => high).concat(path[name])), 1e-12);
  // Where the smallest trees err far more than most, the curve comes from above, so that its least is seen.
  const half = curves.map(([name]) => path[name]).pop().slice().sort((a, b) => a - b)[Math.floor(n / 2)];
  const highest = n > 2 && curves.length > 1 && worst > 3 * half && half > 0 ? 2 * half : worst;
  const least = Math.min(...curves.flatMap(([name]) => path[name]), path.bound ?? Infinity);
  // Errors that hardly differ fill the track; of rows the tree was not grown from half of it, so that their least is seen: those of the training
  // rows may fall below it.
  const judged = curves.filter(([name]) => name !== "training").flatMap(([name]) => path[name]);
  const low = judged.length > 0 ? Math.min(...judged) : least;
  const lowest = judged.length > 0 ? Math.max(0, low - 0.8 * (highest - low)) : least > 0.4 * highest ? Math.max(0, least - 0.15 * (highest - least)) : 0;
  const base = path.bound < lowest ? Math.max(0, path.bound - 0.05 * (highest - path.bound)) : lowest;
  const most = Math.log(path.leaves[0]) || 1;
  const left = Math.max(46, 16 + 6 * Math.max(errorText(path, highest).length, base > 0 ? errorText(path, base).length : 0));

  store.on(["size", "theme"], () => {
    announce();
    draw();
  });

  const x = (step) => left + (Math.log(path.leaves[step]) / most) * (size.width - left - PAD.right);
  const y = (error) => size.height - PAD.bottom - ((error - base) / (highest - base)) * (size.height - PAD.top - PAD.bottom);

  function announce() {
    const step = store.state.size;
    track.setAttribute("aria-valuenow", path.leaves[step]);
    track.setAttribute("aria-valuetext", `${leaves(path.leaves[step])}, ${curves.map(([name, text]) => `${path.error} on ${text} ${errorAt(name, step)}`).join(", ")}`);
  }

  // What is shown in words: how many leaves, and how much they err on rows they were not grown from, if such are known.
  function chosenText(step) {
    const [name, text] = ["cv", "validation", "training"].map((one) => curves.find(([each]) => each === one)).find(Boolean);
    return `chosen: ${leaves(path.leaves[step])}, ${errorText(path, path[name][step])} ${path.error} (${text})`;
  }

  // The error at a size: at the full one the exact count of the page's head, and beside it that of the curve.
  function errorAt(name, step) {
    const drawn = `${errorText(path, path[name][step])}${fractions ? " with missing cells in parts" : ""}`;
    const error = exactError(path, exactly(name, step));
    return !fractions || error === null ? drawn : `${errorText(path, error)}, ${drawn}`;
  }

  // How good answers are, where that was counted row by row.
  function exactly(name, step) {
    const { quality } = model.doc;
    return step === 0 && quality && name === (quality.training ? "training" : "validation") ? quality : null;
  }

  function paint() {
    if (size.width === 0) return;
    const { theme } = app;
    const context = size.pen;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    context.textBaseline = "alphabetic";
    const pen = canvasPen(context, theme.font);
    const floor = size.height - PAD.bottom;
    pen.text(left - 8, y(highest) + 4, errorText(path, highest), { size: 11, fill: theme.grey, anchor: "end" });
    pen.text(left - 8, floor + 1, base > 0 ? errorText(path, base) : "0", { size: 11, fill: theme.grey, anchor: "end" });
    pen.rect(left, floor, size.width - left - PAD.right, 1, { fill: theme.edge });
    ticks(pen, theme, floor);
    context.save();
    context.beginPath();
    context.rect(left - 4, PAD.top - 6, size.width - left + 4, floor - PAD.top + 6);
    context.clip();
    for (const [name, , solid] of curves) {
      const ids = thinned();
      const points = ids.map((i) => [x(i), y(path[name][i])]);
      const spread = path.bands[name];
      if (spread) {
        const band = [...ids.map((i) => [x(i), y(spread[i][1])]), ...ids.slice().reverse().map((i) => [x(i), y(spread[i][0])])];
        pen.shape(band, `${theme.grey}2e`);
      }
      context.setLineDash(solid ? [] : [4, 3]);
      pen.shape(points, null, solid ? theme.ink : theme.grey, solid ? 1.6 : 1.3);
      context.setLineDash([]);
    }
    context.restore();
    if (highest < worst) pen.text(left + 4, PAD.top + 8, `↑ ${errorText(path, worst)}`, { size: 11, fill: theme.grey });
    marks(pen, theme, floor);
    bound(pen, theme);
    const step = store.state.size;
    pen.rect(x(step) - 0.75, PAD.top - 6, 1.5, floor - PAD.top + 6, { fill: theme.ink });
    for (const [name] of curves) if (path[name][step] >= base && path[name][step] <= highest) pen.dot(x(step), y(path[name][step]), 3, theme.ink);
    pen.dot(x(step), floor, 7, theme.ink);
    pen.dot(x(step), floor, 4.5, theme.card);
  }

  // One point per pixel is enough.
  function thinned() {
    const out = [];
    let last = Infinity;
    for (let i = 0; i < n; i += 1) {
      if (Math.abs(x(i) - last) < 0.7 && i < n - 1) continue;
      out.push(i);
      last = x(i);
    }
    return out;
  }

  function ticks(pen, theme, floor) {
    let last = Infinity;
    for (let i = 0; i < n; i += 1) {
      const at = x(i);
      const text = String(path.leaves[i]);
      if (last - at < 14 + text.length * 6) continue;
      pen.rect(at - 0.5, floor, 1, 4, { fill: theme.grey });
      pen.text(at, floor + 15, text, { size: 11, fill: theme.grey, anchor: "middle" });
      last = at;
    }
  }

  // What no tree within the limits of the search can beat on the training rows, whatever its size. Its mark stands beside the curves, so
  // that the handle never hides it.
  function bound(pen, theme) {
    if (path.bound === undefined) return;
    const [at, up] = [size.width - PAD.right + 13, y(path.bound)];
    pen.rect(left, up - 0.5, at - left, 1, { fill: `${theme.mark}80` });
    pen.shape([[at, up - 4], [at + 4, up], [at, up + 4], [at - 4, up]], theme.mark);
  }

  function marks(pen, theme, floor) {
    if (path.best === undefined) return;
    const same = path.best === path.one_se;
    const named = same ? [[path.best, "best, 1 se"]] : [[path.best, "best"], [path.one_se, "1 se"]];
    const last = x(path.best) > size.width - 44; // no room on the right
    const near = !same && Math.abs(x(path.best) - x(path.one_se)) < (last ? 66 : 44);
    const edge = near && last; // both names stand before the marks
    named.forEach(([step, text], k) => {
      pen.shape([[x(step) - 4, PAD.top - 9], [x(step) + 4, PAD.top - 9], [x(step), PAD.top - 2]], theme.mark);
      if (edge && k === 0) return;
      const before = (near && k === 1) || x(step) > size.width - (same ? 66 : 44);
      pen.text(x(step) + (before ? -7 : 7), PAD.top - 3, edge ? "1 se, best" : text, { size: 11, fill: theme.grey, anchor: before ? "end" : "start" });
    });
  }

  function nearest(px) {
    let best = 0;
    for (let i = 1; i < n; i += 1) if (Math.abs(x(i) - px) < Math.abs(x(best) - px)) best = i;
    return best;
  }

  let dragging = false;
  const to = (event) => app.resize(nearest(event.clientX - track.getBoundingClientRect().left));
  track.addEventListener("pointerdown", (event) => {
    dragging = true;
    track.setPointerCapture(event.pointerId);
    to(event);
  });
  track.addEventListener("pointermove", (event) => dragging && to(event));
  track.addEventListener("pointerup", () => {
    dragging = false;
  });
  track.addEventListener("keydown", (event) => {
    const step = store.state.size;
    const jump = Math.max(1, Math.round(n / 10));
    const next = { ArrowRight: step - 1, ArrowUp: step - 1, ArrowLeft: step + 1, ArrowDown: step + 1, PageUp: step - jump, PageDown: step + jump, Home: n - 1, End: 0 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    app.resize(Math.min(n - 1, Math.max(0, next)));
  });

  const legend = make("div", { class: "legend" }, make("span", { class: "quiet" }, `${path.error} by number of leaves${fractions ? ", missing cells in parts" : ""}`), ...curves.map(([, text, solid]) => make("span", { class: solid ? "solid" : "dashed" }, text)));
  const chosen = make("span", { class: "chosen" });
  legend.prepend(chosen);
  const buttons = path.best === undefined ? [] : [["best", path.best], ["1 se", path.one_se]];
  legend.append(...buttons.map(([text, step]) => make("button", { type: "button", title: text === "best" ? "the least error" : "the smallest tree within one standard error of the best", click: () => app.resize(step) }, text)));
  legend.append(make("button", { type: "button", title: "the tree as it was grown", click: () => app.resize(0) }, "all"));
  if (path.bound !== undefined) legend.append(make("span", { class: "proven" }, boundText(path)));
  box.append(legend);
  const tell = () => { chosen.textContent = chosenText(store.state.size); };
  store.on(["size"], tell);
  tell();
  announce();
  return {
    facts(step) {
      const { given } = model.doc;
      return curves.map(([name, text]) => {
        const rows = name === "validation" ? (given?.weight?.[0] ?? 0) : model.weight[0];
        return curveText(path, text, path[name][step], rows, { exact: exactly(name, step), fractions, folds: name === "cv" });
      });
    },
  };
}

// What the search has proven of all trees within its limits, which says nothing where it ended with no bound.
function boundText(path) {
  if (path.proven) return `proven: no tree ${path.bounds} has less`;
  return path.bound > 0 ? `ended early; proven: none has less than ${errorText(path, path.bound)}` : "ended early: nothing is proven yet";
}

// The curves with their bands, one standard error down and up. Squared errors are shown by their root, in the target's own unit, and the
// ends of their bands as well.
function withBands(path) {
  const squared = path.error === "mean squared error";
  const shown = squared ? Math.sqrt : (error) => error;
  const out = { ...path, error: squared ? "root mean square error" : path.error, bands: {} };
  for (const name of ["training", "validation", "cv"]) {
    if (!path[name]) continue;
    out[name] = path[name].map(shown);
    const spread = path[`${name}_se`];
    if (spread) out.bands[name] = spread.map((se, i) => [Math.max(0, path[name][i] - se), path[name][i] + se].map(shown));
  }
  if (path.bound !== undefined) out.bound = shown(path.bound);
  return out;
}
