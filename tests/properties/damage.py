"""Damages the columns of a tree at random and asks the core to load them. A program: a crash must not end the suite.

Every attempt must end in a ValueError, or in a tree that can be asked everything.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any

import numpy as np

import treewright as tw
from treewright import _core

CASES: list[dict[str, Any]] = [
    {"missing": "learned"},
    {"missing": "fraction", "keep_candidates": True},
    {"missing": "surrogate", "max_competitors": 2, "max_depth": 4},
    {"missing": "own", "numeric": "ternary", "nominal": "multiway"},
    {"missing": "majority", "numeric": "discretised", "discretise": "equal_width", "nominal": "one_vs_rest"},
]
WILD = [-(2**63), -(2**31), -3, -2, -1, 0, 1, 2, 3, 7, 8, 9, 255, 2**31 - 1, 2**32 - 1, 2**62, 2**63 - 1]


def table(n: int = 60) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.empty((n, 3), object)
    X[:, 0] = rng.integers(0, 9, n).astype(float)
    X[:, 1] = rng.choice(["u", "v", "w", "x"], n)
    X[:, 2] = rng.normal(size=n)
    X[rng.random(n) < 0.2, 0] = None
    X[rng.random(n) < 0.2, 1] = None
    return X, rng.integers(0, 3, n)


def ask_everything(core: Any, like: Any, X: Any) -> None:
    core.depths(), core.mergeable()
    core.cut_back(np.zeros(core.size, np.uint8))
    core.cut_back(np.asarray(core.mergeable()))
    tree = tw.Tree(core, like.schema, like.target)
    tree.apply(X), tree.predict(X), tree.decision_path(X)
    if like.target.classes is not None:
        tree.predict_proba(X)
    tree.to_text(), tree.to_rules(), tree.regions(), tree.trace()
    for node in tree.nodes():
        with contextlib.suppress(ValueError):  # they were not kept
            assert node.candidates is not None
        assert node.surrogates is not None


def attempt(state: dict[str, Any], like: Any, X: Any) -> bool:
    """Whether the state was taken for a tree."""
    try:
        core = _core.Tree.from_state(state)
    except ValueError:
        return False
    ask_everything(core, like, X)
    return True


def changed(column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    column = column.copy()
    if column.size == 0:
        return np.zeros(1, column.dtype)
    at = int(rng.integers(column.size))
    if column.dtype.kind == "f":
        column[at] = rng.choice([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 5e-324])
    elif rng.random() < 0.3:
        column[at] = column[int(rng.integers(column.size))]
    else:
        value = WILD[int(rng.integers(len(WILD)))]
        bits = 8 * column.dtype.itemsize
        value &= (1 << bits) - 1
        column[at] = np.array([value], f"u{column.dtype.itemsize}").view(column.dtype)[0]
    return column


def reshaped(column: np.ndarray, rng: np.random.Generator) -> Any:
    ways = [
        lambda: column[:-1],
        lambda: np.append(column, column[-1:]),
        lambda: column[::-1].copy(),
        lambda: column[None, :].copy(),
        lambda: column.astype(np.float32),
        lambda: np.nan_to_num(column.astype(np.float64), posinf=0, neginf=0).clip(-9, 9).astype(np.int16),
        lambda: column.tolist(),
        lambda: np.repeat(column, 2)[::2],
        lambda: None,
        lambda: "nodes",
        lambda: column.astype(object),
        lambda: column[:0],
    ]
    return ways[int(rng.integers(len(ways)))]()


def main(seed: int, rounds: int) -> None:
    warnings.simplefilter("error")
    rng = np.random.default_rng(seed)
    X, y = table()
    taken = tried = 0
    for params in CASES:
        for regress in (False, True):
            kind = tw.TreeRegressor if regress else tw.TreeClassifier
            tree = kind(**params).fit(X, y).tree_
            clean = {name: np.array(v) if isinstance(v, np.ndarray) else v for name, v in tree.state().items()}
            assert attempt(dict(clean), tree, X)
            for name in clean:
                if name == "n_classes":
                    for value in (-1, 0, 1, 2, 2**31, 2**32, 2**64, "3", None, 3.5):
                        taken += attempt(clean | {name: value}, tree, X)
                    continue
                taken += attempt({k: v for k, v in clean.items() if k != name}, tree, X)
                for _ in range(rounds):
                    taken += attempt(clean | {name: changed(clean[name], rng)}, tree, X)
                    taken += attempt(clean | {name: reshaped(clean[name], rng)}, tree, X)
                    other = sorted(clean.keys() - {"n_classes"})[int(rng.integers(len(clean) - 1))]
                    twice = {name: changed(clean[name], rng), other: changed(clean[other], rng)}
                    taken += attempt(clean | twice, tree, X)
                    tried += 3
    print(f"survived {tried} {taken}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
