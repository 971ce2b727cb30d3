"""The formulas of the texts in plain Python, and a naive learner: what the package's figures are compared with."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

import treewright as tw


def printed(figure: str) -> Any:
    """Equal to a figure to the digits given: within half a unit of its last digit."""
    places = -int(Decimal(figure).as_tuple().exponent)
    return pytest.approx(float(figure), abs=0.5 * 10.0**-places + 1e-12, rel=0)


def same(value: float) -> Any:
    """Equal up to rounding errors."""
    return pytest.approx(value, abs=1e-12, rel=1e-12)


def entropy(*counts: float) -> float:
    total = sum(counts)
    return sum(-n / total * math.log2(n / total) for n in counts if n)


def gini(*counts: float) -> float:
    total = sum(counts)
    return 1 - sum((n / total) ** 2 for n in counts)


def error(*counts: float) -> float:
    return 1 - max(counts) / sum(counts)


def counts(y: Iterable[Any]) -> list[int]:
    return list(Counter(y).values())


def groups(x: Iterable[Any], y: Iterable[Any]) -> dict[Any, list[Any]]:
    """The targets of the rows with each value of a column."""
    out: dict[Any, list[Any]] = {}
    for value, target in zip(x, y, strict=True):
        out.setdefault(value, []).append(target)
    return out


def after(x: Iterable[Any], y: Sequence[Any], impurity: Any = entropy) -> float:
    """Expected impurity of the target once a column is known."""
    return sum(len(part) / len(y) * impurity(*counts(part)) for part in groups(x, y).values())


def gain(x: Iterable[Any], y: Sequence[Any], impurity: Any = entropy) -> float:
    return impurity(*counts(y)) - after(x, y, impurity)


def split_information(x: Iterable[Any]) -> float:
    return entropy(*counts(x))


def id3(X: pd.DataFrame, y: pd.Series, **parameters: Any) -> tw.Tree:
    return tw.ID3Classifier(keep_candidates=True, **parameters).fit(X, y).tree_


def grown(X: Any, y: Any, **parameters: Any) -> tw.Tree:
    """Tree of any parts, with its candidates; multiway splits unless something else is said."""
    return tw.TreeClassifier(**{"recipe": "id3", "keep_candidates": True, **parameters}).fit(X, y).tree_


def candidates(node: tw.Node) -> dict[str, Any]:
    return {candidate.column: candidate for candidate in node.candidates}


def chosen(node: tw.Node) -> str:
    """Column of the one candidate that is marked as taken; it must be that of the split."""
    (name,) = (candidate.column for candidate in node.candidates if candidate.chosen)
    assert node.split is not None
    assert node.split.column == name
    return name


def child(node: tw.Node, *levels: str) -> tw.Node:
    """The node reached by following the branches of these levels."""
    for level in levels:
        assert node.split is not None
        node = node.children[node.split.levels[level]]
    return node


def nested(node: tw.Node) -> Any:
    """A multiway tree as nested dictionaries: {column: {level: subtree}}, a leaf as its class."""
    if node.is_leaf:
        return node.prediction
    assert node.split is not None
    return {node.split.column: {level: nested(node.children[b]) for level, b in node.split.levels.items()}}


def induce(rows: list[dict[str, Any]], columns: list[str], target: str, wrong: bool = False) -> Any:
    """ID3 in ten lines, as nested dictionaries. ``wrong``: the misprint that returns the last subtree, not the root."""
    classes = Counter(row[target] for row in rows)
    if len(classes) == 1 or not columns:
        return classes.most_common(1)[0][0]
    y = [row[target] for row in rows]
    best = max(columns, key=lambda column: gain([row[column] for row in rows], y))
    branches: dict[Any, Any] = {}
    for value in dict.fromkeys(row[best] for row in rows):
        part = [row for row in rows if row[best] == value]
        branches[value] = induce(part, [column for column in columns if column != best], target, wrong)
    return branches[value] if wrong else {best: branches}


def conditions(rule: Any) -> frozenset[str]:
    return frozenset(condition.text() for condition in rule.when)


def rules_of(tree: tw.Tree) -> set[tuple[frozenset[str], Any]]:
    """The rules as a set of (conditions, class); no rule may occur twice."""
    rules = [(conditions(rule), rule.says) for rule in tree.to_rules()]
    assert len(set(rules)) == len(rules)
    return set(rules)


def whole_space(X: pd.DataFrame) -> pd.DataFrame:
    """Every combination of the declared levels."""
    levels = {column: list(X[column].cat.categories) for column in X}
    frame = pd.DataFrame(list(itertools.product(*levels.values())), columns=list(levels))
    return frame.astype({column: pd.CategoricalDtype(values) for column, values in levels.items()})


def impurity_of(criterion: str, *weights: float, **parameters: Any) -> float:
    """The package's impurity of a set of rows: one row of the given weight per class, nothing to split by."""
    kept = [(label, weight) for label, weight in enumerate(weights) if weight]
    X = [[0.0]] * len(kept)
    estimator = tw.TreeClassifier(criterion=criterion, **parameters)
    tree = estimator.fit(X, [label for label, _ in kept], sample_weight=[weight for _, weight in kept]).tree_
    assert tree.n_nodes == 1
    return tree.root.impurity
