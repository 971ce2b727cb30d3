"""Measure how far CART is from the best tree, on the tables of a folder, and draw it.

``PYTHONPATH=src python tools/optimal_gap.py FOLDER OUT.svg`` prints the table of docs/optimal.md: errors of CART and of the best
tree of three levels on the training rows, and of both on held-out rows (ten folds, row i in fold i mod 10). Parquet files;
the last column is the target.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

TABLES = [
    "balance-scale",
    "banknote",
    "breast-cancer",
    "breast-w",
    "car",
    "column-3c",
    "diabetes",
    "glass",
    "haberman",
    "heart-c",
    "hepatitis",
    "ionosphere",
    "iris",
    "lymph",
    "monks-2",
    "sonar",
    "tic-tac-toe",
    "vehicle",
    "vote",
    "wdbc",
]
LEVELS, SECONDS, FOLDS = 3, 60, 10
WIDTH, ROW, LEFT, RIGHT, TOP = 640, 21, 118, 120, 46
GREY, BLUE, INK = "#8a8f98", "#1f5fa8", "#22262b"


def held_out(est: Any, X: pd.DataFrame, y: np.ndarray[Any, Any]) -> int:
    """Errors on rows that were not learned from."""
    fold = np.arange(len(y)) % FOLDS
    return sum(int(np.sum(est.fit(X[fold != k], y[fold != k]).predict(X[fold == k]) != y[fold == k])) for k in range(FOLDS))


def measure(folder: Path, name: str) -> tuple[str, int, int, int, bool, int, int, float]:
    """One table: rows, errors of CART, of the best tree, whether that is proven, both on held-out rows, seconds."""
    table = pd.read_parquet(folder / f"{name}.parquet")
    X, y = table.iloc[:, :-1], table.iloc[:, -1].astype(str).to_numpy()
    greedy = tw.CARTClassifier(max_depth=LEVELS)
    begin = time.process_time()
    best = tw.OptimalTreeClassifier(max_depth=LEVELS, time_limit=SECONDS).fit(X, y)
    seconds = time.process_time() - begin
    errors = int(np.sum(greedy.fit(X, y).predict(X) != y))
    limited = tw.OptimalTreeClassifier(max_depth=LEVELS, time_limit=SECONDS / 4)
    return name, len(y), errors, int(best.objective_), best.optimal_, held_out(greedy, X, y), held_out(limited, X, y), seconds


def picture(found: list[Any]) -> str:
    """A row per table: errors of CART and of the best tree, as shares of the rows."""
    height = TOP + ROW * len(found) + 34
    most = max(each[2] / each[1] for each in found)
    most = np.ceil(most * 20) / 20

    def x(share: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * share / most, 1)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" font-size="11">',
        f"<title>Training errors of CART and of the best tree of {LEVELS} levels</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<circle cx="{LEFT + 6}" cy="16" r="4.5" fill="#ffffff" stroke="{GREY}" stroke-width="1.6"/>',
        f'<text x="{LEFT + 16}" y="20" fill="{INK}">CART</text>',
        f'<circle cx="{LEFT + 66}" cy="16" r="4.5" fill="{BLUE}"/>',
        f'<text x="{LEFT + 76}" y="20" fill="{INK}">best tree of {LEVELS} levels</text>',
        f'<text x="{WIDTH - RIGHT + 12}" y="20" fill="{GREY}">errors</text>',
    ]
    for tick in np.arange(0, most + 0.01, 0.1):
        out.append(f'<path d="M{x(tick)} {TOP - 8}V{height - 26}" stroke="#e4e6ea"/>')
        out.append(f'<text x="{x(tick)}" y="{height - 10}" fill="{GREY}" text-anchor="middle">{tick:.0%}</text>')
    for i, (name, rows, greedy, best, proven, *_) in enumerate(found):
        y = TOP + ROW * i + 6
        out.append(f'<text x="{LEFT - 10}" y="{y + 4}" fill="{INK}" text-anchor="end">{name}</text>')
        out.append(f'<path d="M{x(best / rows)} {y}H{x(greedy / rows)}" stroke="{GREY}" stroke-width="1.6"/>')
        out.append(f'<circle cx="{x(greedy / rows)}" cy="{y}" r="4.5" fill="#ffffff" stroke="{GREY}" stroke-width="1.6"/>')
        out.append(f'<circle cx="{x(best / rows)}" cy="{y}" r="4.5" fill="{BLUE}"/>')
        less = "the same" if greedy == best else f"{greedy} → {best}" + ("" if proven else " *")
        out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{y + 4}" fill="{INK}">{less}</text>')
    return "\n".join([*out, "</svg>", ""])


def main(folder: str, out: str) -> None:
    """Print the table, write the picture."""
    found = []
    print("| table | rows | CART | best tree | fewer | held out: CART | best tree | CPU s |\n|---|---|---|---|---|---|---|---|")
    for name in TABLES:
        found.append(measure(Path(folder), name))
        _, rows, greedy, best, proven, there, here, seconds = found[-1]
        share = f"{1 - best / greedy:.0%}" if greedy else "0%"
        mark = "" if proven else " *"
        print(f"| {name} | {rows} | {greedy} | {best}{mark} | {share} | {there} | {here} | {seconds:.2f} |", flush=True)
    found.sort(key=lambda each: each[3] / each[2] if each[2] else 1)
    Path(out).write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
