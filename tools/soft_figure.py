"""Draw a hard and a soft tree over a sine: ``PYTHONPATH=src python tools/soft_figure.py OUT.svg`` (docs/soft.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import treewright as tw

WIDTH, HEIGHT, GAP, PAD = 340, 210, 20, 26
GREY, BLUE, INK = "#8c8c8c", "#0072b2", "#1a1a1a"


def sine() -> tuple[np.ndarray, np.ndarray]:
    """Two hundred noisy points."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 2 * np.pi, 200)
    return x[:, None], np.sin(x) + rng.normal(0, 0.15, 200)


def panel(left: float, title: str, model: tw.CARTRegressor | tw.SoftTreeRegressor, X: np.ndarray, y: np.ndarray) -> list[str]:
    """The points, and what a model says between them."""
    at = np.linspace(0, 2 * np.pi, 600)
    said = model.predict(at[:, None])

    def place(x: float, value: float) -> str:
        across = left + PAD + x / (2 * np.pi) * (WIDTH - 2 * PAD)
        return f"{across:.1f},{PAD + (1.5 - value) / 3 * (HEIGHT - 2 * PAD):.1f}"

    dots = [place(x, value).split(",") for x, value in zip(X[:, 0], y, strict=True)]
    line = " ".join(place(x, value) for x, value in zip(at, said, strict=True))
    return [
        f'<text x="{left + PAD}" y="16" font-size="12" fill="{INK}">{title}: {model.tree_.n_leaves} leaves</text>',
        *(f'<circle cx="{x}" cy="{top}" r="1.6" fill="{GREY}"/>' for x, top in dots),
        f'<polyline points="{line}" fill="none" stroke="{BLUE}" stroke-width="2"/>',
    ]


def figure() -> str:
    """Both panels as one SVG document."""
    X, y = sine()
    soft = tw.SoftTreeRegressor(ridge=0.1).fit(X, y)
    hard = tw.CARTRegressor(max_leaf_nodes=soft.tree_.n_leaves).fit(X, y)
    wide = 2 * WIDTH + GAP
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {HEIGHT}" width="{wide}" height="{HEIGHT}" role="img" '
        'aria-label="A hard tree is a staircase over a sine, a soft tree of as many leaves a curve" font-family="sans-serif">',
        f'<rect width="{wide}" height="{HEIGHT}" fill="white"/>',
        *panel(0, "hard", hard, X, y),
        *panel(WIDTH + GAP, "soft", soft, X, y),
    ]
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(figure(), encoding="utf-8")
