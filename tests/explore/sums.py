"""Trees whose tests cut sums over several columns: grown on the sums as columns, which are then replaced by their terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright import _core
from treewright.model.tree import Tree

Sum = list[tuple[int, int, float, float]]  # of every term column, level or -1, coefficient, what a missing cell counts as

FIRST: Sum = [(0, -1, 0.5, 0.25), (1, -1, -2.0, 1.0), (2, 1, 1.5, 0.0)]
SECOND: Sum = [(0, -1, 1.0, 0.25), (1, -1, 0.3, 1.0)]


def needing_all(terms: Sum) -> Sum:
    """The same sum, missing where one of its cells is."""
    return [(column, level, coefficient, np.nan) for column, level, coefficient, _ in terms]


def sum_of(X: pd.DataFrame, terms: Sum) -> np.ndarray:
    """The sum of every row, its terms added in their order, as the core adds them up."""
    total = np.zeros(len(X))
    for column, level, coefficient, missing in terms:
        cells = X.iloc[:, column]
        x = cells.to_numpy(float) if level < 0 else np.asarray(cells.cat.codes == level, float)
        total = total + coefficient * np.where(cells.isna(), missing, x)
    return total


def table(n: int = 400, seed: int = 1, names: tuple[str, str, str] = ("a", "b", "c"), gone: float = 0.08) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    X = pd.DataFrame({names[0]: rng.normal(size=n).round(2), names[1]: rng.integers(-40, 50, n) / 10})
    X[names[2]] = pd.Categorical.from_codes(codes, ["u", "v", "w"])
    for name in names:
        X.loc[rng.random(n) < gone, name] = None
    return X


def tree_over(X: pd.DataFrame, y: Any, sums: list[Sum], plain: list[int], **options: Any) -> Tree:
    """A tree whose tests cut these sums, and some of the columns."""
    wide = pd.DataFrame({f"s{k}": sum_of(X, terms) for k, terms in enumerate(sums)})
    wide[[f"p{j}" for j in plain]] = X.iloc[:, plain].to_numpy()
    learner = tw.CARTClassifier if isinstance(y[0], str) else tw.CARTRegressor
    options = {"missing": "learned", **options}
    base = learner(**options).fit(X, y)
    state = dict(learner(**options).fit(wide, y).tree_.state())
    runs = [sums[j] if 0 <= j < len(sums) else [] for j in state["column"].tolist()]
    origin = np.array([*(terms[0][0] for terms in sums), *plain, -1])  # -1, the column of leaves, is the last
    terms = [term for run in runs for term in run]
    columns = base.tree_.state()
    state |= {name: columns[name] for name in ("column_kind", "column_levels", "column_seen")}
    state["column"] = origin[state["column"]].astype(state["column"].dtype)
    state["term_begin"] = np.cumsum([0, *map(len, runs)]).astype(np.uint32)
    kinds = (np.uint32, np.int32, np.float64, np.float64)
    for name, values, kind in zip(("column", "level", "coefficient", "missing"), zip(*terms, strict=True), kinds, strict=True):
        state[f"term_{name}"] = np.array(values, kind)
    tree = Tree(_core.Tree.from_state(state), base.tree_.schema, base.tree_.target)
    tree.validate()
    return tree


def kinds_of(X: pd.DataFrame) -> np.ndarray:
    """Classes that the first sum, and then the second one or the first column tell apart."""
    first, second, a = sum_of(X, FIRST), sum_of(X, SECOND), X.iloc[:, 0].to_numpy(float)
    return np.where(first <= 0.4, np.where(a <= 0.305, "low", "mid"), np.where(second <= -0.5, "high", "top"))
