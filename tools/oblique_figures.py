"""Draw the figures of docs/oblique.md: ``PYTHONPATH=src python tools/oblique_figures.py FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import treewright as tw

mpl.use("Agg")
SEEDS = range(6)
DOTS = 90  # per inch


def diagonal() -> tuple[np.ndarray, np.ndarray]:
    """Points on either side of a slope."""
    X = np.random.default_rng(1).random((400, 2))
    return X, np.where(X.sum(axis=1) > 1, "above", "below")


def circle() -> tuple[np.ndarray, np.ndarray]:
    """Points inside and outside of a circle."""
    X = np.random.default_rng(2).uniform(-1, 1, (400, 2))
    return X, np.where((X**2).sum(axis=1) < 2 / np.pi, "in", "out")


def mixture(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Eight columns: one score over all, and on either side what single columns say; a twentieth of the classes wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, 8))
    score = X @ rng.normal(size=8) / 2
    y = np.where(score > 0, X[:, seed % 8] > -0.8, X[:, (seed + 3) % 8] > 1.0)
    return X, np.where(rng.random(2000) < 0.05, ~y, y)


def regions(path: Path) -> None:
    """Borders along axes, a slope, and a curve."""
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    sphere = tw.ObliqueTreeClassifier(node="sphere", pruned=False)
    made: list[tuple[str, Any, tuple[np.ndarray, np.ndarray]]] = [
        ("CART", tw.CARTClassifier(), diagonal()),
        ("OC1", tw.ObliqueTreeClassifier(), diagonal()),
        ("sphere", sphere, circle()),
    ]
    for ax, (title, est, (X, y)) in zip(axes, made, strict=True):
        tw.plot_regions(est.fit(X, y), X, y, ax=ax)
        ax.set_title(f"{title}: {est.tree_.n_leaves} leaves")
    _save(fig, path)


def by_depth(path: Path) -> None:
    """Kinds of nodes, and columns that they look at."""
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    kinds: list[Any] = []
    terms: list[Any] = []
    for seed in SEEDS:
        X, y = mixture(seed)
        three = ("univariate", "linear", "quadratic")
        kinds.append(tw.OmnivariateTreeClassifier(kinds=three, pruned=False, max_depth=5).fit(X, y))
        terms.append(tw.ObliqueTreeClassifier(method="cart-lc", pruned=False, max_depth=5).fit(X, y))
    tw.plot_node_kinds(kinds, ax=axes[0])
    axes[0].set_title("kinds of nodes of six omnivariate trees")
    tw.plot_node_terms(terms, ax=axes[1])
    axes[1].set_title("columns in CART's combinations")
    _save(fig, path)


def _save(fig: Any, path: Path) -> None:
    fig.savefig(path, dpi=DOTS, metadata={"Software": None})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    regions(folder / "oblique_regions.png")
    by_depth(folder / "oblique_depth.png")
