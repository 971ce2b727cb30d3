"""The oracle behind the core's public face: it reads frames and gives nodes, so that the comparison can be tested.

`tamper` plants an error: it may change the options before growing or the nodes afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pandas as pd

from .candidates import Problem
from .grow import Node, decide, grow
from .missing import missing_to, view
from .model import Column, Options, Table
from .surrogates import surrogates

IGNORED = ("recipe", "keep_candidates")


def _read(X: pd.DataFrame, y: Any, sample_weight: Any) -> Table:
    columns = []
    for name in X.columns:
        series = X[name]
        if isinstance(series.dtype, pd.CategoricalDtype):
            cells = tuple(None if code < 0 else int(code) for code in series.cat.codes)
            columns.append(Column(name, cells, tuple(series.cat.categories)))
        else:
            columns.append(Column(name, tuple(None if pd.isna(v) else float(v) for v in series)))
    weights = tuple(int(w) if float(w).is_integer() else Fraction(float(w)) for w in sample_weight)
    if isinstance(y, pd.Categorical):
        return Table(tuple(columns), tuple(int(code) for code in y.codes), weights, tuple(y.categories))
    return Table(tuple(columns), tuple(float(v) for v in y), weights)


def _split(problem: Problem, node: Node) -> SimpleNamespace:
    split = node.candidate.split
    column = problem.table.columns[split.column]
    seen = view(problem.table, split.column, problem.options.missing, node.rows)
    assign = {column.levels[level]: branch for level, branch in split.assign} if column.levels else {}
    heavy = [float(child.weight) for child in node.children]
    otherwise = {"one_vs_rest": 1, "subset": heavy.index(max(heavy[:2]))}.get(split.family)
    if problem.options.missing == "surrogate" and split.family == "subset":
        otherwise = None
    home = None if problem.options.missing == "refuse" else min(missing_to(seen, split), key=str)
    return SimpleNamespace(
        column=column.name,
        family=split.family,
        cuts=split.cuts,
        relation=split.relation,
        levels=assign,
        otherwise=otherwise,
        missing_to=home,
    )


def _candidates(problem: Problem, node: Node) -> list[SimpleNamespace]:
    found = decide(problem, node).found
    return [
        SimpleNamespace(
            column=problem.table.columns[index].name,
            family=result.best.split.family,
            gain=result.best.gain,
            merit=result.best.merit,
            split_info=result.best.split_info,
            n_branches=result.best.split.branches,
            chosen=node.candidate is not None and node.candidate.split.column == index,
        )
        for index, result in found.items()
        if result.best is not None
    ]


def _surrogates(problem: Problem, node: Node) -> list[SimpleNamespace]:
    split = node.candidate.split
    seen = view(problem.table, split.column, "surrogate", node.rows)
    out = []
    for one in surrogates(seen, split, problem.options):
        sides = [SimpleNamespace(low=None, high=None, levels={level for level, b in one.levels if b == way}) for way in (0, 1)]
        if one.cut is not None:
            sides[one.below].high = sides[1 - one.below].low = SimpleNamespace(at=one.cut)
        name = problem.table.columns[one.column].name
        out.append(SimpleNamespace(column=name, when=sides, agreement=one.agreement, adjusted=one.adjusted))
    return out


def _node(problem: Problem, node: Node) -> SimpleNamespace:
    labels = problem.table.classes
    value: Any = node.value
    if isinstance(value, list):
        value = {label: float(weight) for label, weight in zip(labels, value, strict=True)}
    return SimpleNamespace(
        id=node.path,
        depth=node.depth,
        is_leaf=node.is_leaf,
        children=[_node(problem, child) for child in node.children],
        weight=float(node.weight),
        impurity=node.impurity,
        gain=node.candidate.gain if node.candidate else 0.0,
        prediction=labels[int(node.prediction)] if labels else node.prediction,
        value=value,
        split=None if node.is_leaf else _split(problem, node),
        candidates=[] if node.is_leaf else _candidates(problem, node),
        surrogates=[] if node.is_leaf or problem.options.missing != "surrogate" else _surrogates(problem, node),
    )


class Mirror:
    """Stands in for the module: has TreeClassifier and TreeRegressor."""

    def __init__(
        self,
        options: Callable[[Options], Options] = lambda options: options,
        nodes: Callable[[SimpleNamespace], None] = lambda root: None,
    ) -> None:
        self._options = options
        self._nodes = nodes

    def _estimator(self, **named: Any) -> SimpleNamespace:
        named = {name: value for name, value in named.items() if name not in IGNORED}
        if "loss" in named:
            named["loss"] = tuple(tuple(row) for row in named["loss"])

        def fit(X: pd.DataFrame, y: Any, sample_weight: Any = None) -> SimpleNamespace:
            problem = Problem(_read(X, y, sample_weight), self._options(Options(**named)))
            root = _node(problem, grow(problem))
            self._nodes(root)
            return SimpleNamespace(tree_=SimpleNamespace(root=root))

        return SimpleNamespace(fit=fit)

    TreeClassifier = TreeRegressor = _estimator
