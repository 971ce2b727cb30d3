"""Contenders of the group show: pictures, text and the explorer's page of trees that were grown before the clock starts."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.contender import Contender
from bench.workloads import Array, Workload

_LEAVES = 500  # of the trees that are drawn: 999 nodes
_WINDOW = {"width": 1280, "height": 800}
_CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def sklearn_plot_tree(workload: Workload) -> Contender:
    """scikit-learn's picture of a tree, drawn on matplotlib axes and written as SVG, which is what ours is."""
    import io

    import matplotlib as mpl
    from sklearn.tree import DecisionTreeClassifier, plot_tree

    mpl.use("agg")
    import matplotlib.pyplot as plt

    num, _, y = workload.train
    grown = DecisionTreeClassifier(max_leaf_nodes=_LEAVES, random_state=0).fit(num, y)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        figure, axes = plt.subplots()
        plot_tree(grown, max_depth=2 if len(y) < len(workload.train[2]) else None, ax=axes)  # before the clock a small one
        figure.savefig(io.BytesIO(), format="svg")
        plt.close(figure)
        return grown

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.get_n_leaves()))


def drawn(workload: Workload, draw: Callable[[Any], Any], **settings: Any) -> Contender:
    """Our picture or text of a tree."""
    import treewright as tw

    num, _, y = workload.train
    grown = tw.CARTClassifier(n_jobs=1, **settings).fit(num, y)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        draw(grown.tree_)
        return grown

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.tree_.n_leaves))


svg = partial(drawn, draw=lambda tree: tree.to_svg(kind="tree"), max_leaf_nodes=_LEAVES)
text = partial(drawn, draw=lambda tree: tree.to_text())


def _as_csv(num: Array, y: Array, folder: str) -> Path:
    import pyarrow as pa
    import pyarrow.csv

    path = Path(folder) / "table.csv"
    columns = {f"x{j}": column for j, column in enumerate(np.asarray(num, np.float64).T)}
    pyarrow.csv.write_csv(pa.table({**columns, "y": np.where(y > 0, "yes", "no")}), path)
    return path


def arrow_and_fit(workload: Workload) -> Contender:
    """What reading a CSV and growing its tree costs at least: Arrow's reader, then our fit."""
    import pyarrow.csv

    import treewright as tw

    folder = tempfile.mkdtemp()
    whole = _as_csv(*workload.train[::2], folder)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        path = whole if len(y) == len(workload.train[2]) else _as_csv(num, y, tempfile.mkdtemp())
        table = pyarrow.csv.read_csv(path)
        return tw.CARTClassifier(n_jobs=1, max_depth=8).fit(table.drop_columns(["y"]), np.asarray(table["y"]))

    return Contender(fit, _said, lambda model: int(model.tree_.n_leaves))


def command_fit(workload: Workload) -> Contender:
    """`treewright fit` of the same CSV, in a process whose seconds count."""
    import treewright as tw

    folder = tempfile.mkdtemp()
    whole = _as_csv(*workload.train[::2], folder)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        path = whole if len(y) == len(workload.train[2]) else _as_csv(num, y, tempfile.mkdtemp())
        model = Path(folder) / "model.json"
        options = ["--target", "y", "--max-depth", "8", "-j", "1", "-o", str(model), "--force"]
        subprocess.run([sys.executable, "-m", "treewright", "fit", str(path), *options], check=True, capture_output=True)
        return tw.load(model)

    return Contender(fit, _said, lambda model: int(model.tree_.n_leaves))


def _said(model: Any, num: Array, nom: Array) -> Array:
    import pyarrow as pa

    table = pa.table({f"x{j}": column for j, column in enumerate(np.asarray(num, np.float64).T)})
    return np.asarray(model.predict(table) == "yes").astype(int)


def has_browser() -> bool:
    """Whether Chromium and Playwright are there."""
    return shutil.which("chromium") is not None and find_spec("playwright") is not None


def page(workload: Workload, look: Callable[[Path, int], float]) -> Contender:
    """The explorer's page of a tree, and one figure of it, per 10,000 nodes where it is a size."""
    import treewright as tw

    num, _, y = workload.train
    grown = tw.CARTClassifier(n_jobs=1).fit(num, y)
    path = Path(tempfile.mkdtemp()) / "page.html"

    def fit(num: Array, nom: Array, y: Array) -> Any:
        grown.explore(path, *workload.train[::2])
        return grown

    return Contender(
        fit,
        lambda model, num, nom: model.predict(num),
        lambda model: int(model.tree_.n_leaves),
        told=lambda model: look(path, model.tree_.n_nodes),
    )


def size(path: Path, n_nodes: int) -> float:
    """Megabytes of the page of 10,000 nodes."""
    return path.stat().st_size / 1e6 * 10_000 / n_nodes


def paint(path: Path, n_nodes: int) -> float:
    """Milliseconds until something of the tree is seen; the least of three, because other work delays it."""
    return min(_opened(path, "performance.getEntriesByName('first-contentful-paint')[0].startTime") for _ in range(3))


def frames(path: Path, n_nodes: int) -> float:
    """The time within which 95 % of the frames are drawn while the close-up is panned, in milliseconds; the least of three."""
    return min(_opened(path, _PAN) for _ in range(3))


_PAN = """new Promise((done) => {
  const canvas = document.querySelector(".close canvas");
  canvas.setPointerCapture = () => {};
  const box = canvas.getBoundingClientRect();
  const fire = (kind, dx, dy) => canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 1, clientX: box.left + 300 + dx, clientY: box.top + 60 + dy, bubbles: true }));
  const took = [];
  let [last, i] = [performance.now(), 0];
  fire("pointerdown", 0, 0);
  const step = (now) => {
    took.push(now - last);
    last = now;
    i += 1;
    fire("pointermove", 200 * Math.sin(i / 9), 90 * Math.sin(i / 7));
    if (i < 200) requestAnimationFrame(step);
    else done(took.slice(5).sort((a, b) => a - b)[Math.floor(0.95 * (took.length - 5))]);
  };
  requestAnimationFrame(step);
})"""  # noqa: E501


def _opened(path: Path, ask: str) -> float:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_CHROMIUM)
        one = browser.new_page(viewport=_WINDOW)
        one.goto(path.as_uri())
        one.wait_for_selector("[data-ready]")
        one.wait_for_timeout(500)
        found = float(one.evaluate(ask))
        browser.close()
        return found
