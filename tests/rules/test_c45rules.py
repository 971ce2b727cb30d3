"""C4.5rules: against a slow mirror of its generalisation, missing cells, weights, many rules, distilled trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import treewright as tw
from tests.properties.tables import Case, cases, make_case, modest
from treewright import _core
from treewright.model.rules import cells_of


def generalised(tree: tw.Tree, X: pd.DataFrame, y: np.ndarray) -> set[tuple[Any, frozenset[str]]]:
    """Every path of the tree without the conditions whose absence does no harm, one row and one condition at a time."""
    cells = cells_of(X, tree.schema)
    out = set()
    for path in tree.paths():
        leaf = path[-1]
        if leaf.weight == 0 or len(path) == 1:
            continue
        conditions = [node.condition for node in path[1:]]
        holds = []
        for condition in conditions:
            own = cells[condition.index]
            known = own >= 0 if condition.column.nominal else ~np.isnan(own.astype(float))
            holds.append(condition.mask(own) & known)
        label = leaf.prediction
        default = 1 - ((y == label).sum() + 1) / (len(y) + 2)

        def rate(
            kept: list[int], holds: list[Any] = holds, label: Any = label, default: float = default
        ) -> tuple[float, float, int]:
            inside = np.logical_and.reduce([holds[i] for i in kept]) if kept else np.ones(len(y), bool)
            n, wrong = int(inside.sum()), int((inside & (y != label)).sum())
            if n == 0:
                return default, default, 0
            return (wrong + _core.extra_errors(n, wrong, 0.25, "quinlan")) / n, wrong / n, n

        left = list(range(len(conditions)))
        while left:
            now = rate(left)
            others = [rate([j for j in left if j != i]) for i in left]
            if not any(p <= now[0] or a <= now[1] for p, a, _ in others):
                break
            lowest = min(p for p, _, _ in others)
            left.pop(max(i for i, (p, _, _) in enumerate(others) if p == lowest))
        error, _, n = rate(left)
        if left and n and error < default and error <= 0.7:
            out.add((label, frozenset(conditions[i].text(exact=True) for i in left)))
    return out


@modest(30)
@given(case=cases(max_rows=50))
def test_rules_are_generalised_paths(case: Case) -> None:
    est = tw.C45RulesClassifier(min_samples_leaf=1).fit(case.X, case.classes)
    tree = tw.C45Classifier(pruned=False, min_samples_leaf=1).fit(case.X, case.classes).tree_
    wanted = generalised(tree, case.X, case.classes)
    reader = tw.RuleSet((), tree.schema, tree.target)
    merged = {(label, frozenset(reader.parse_rule(_rule(label, texts)).when)) for label, texts in wanted}
    assert {(rule.says, frozenset(rule.when)) for rule in est.ruleset_} <= merged


def _rule(label: str, texts: frozenset[str]) -> str:
    bare = [text.removeprefix("(").partition(" or ")[0] if text.startswith("(") else text for text in texts]
    return f"if {' and '.join(bare)} then target = {label}"


@modest(20)
@given(case=cases())
def test_a_missing_cell_satisfies_no_condition(case: Case) -> None:
    est = tw.C45RulesClassifier().fit(case.X, case.classes)
    empty = case.X.copy()
    for name in empty:
        empty[name] = np.nan if empty[name].dtype.kind == "f" else pd.Series([None] * len(empty), dtype=empty[name].dtype)
    assert set(est.predict(empty)) == {est.ruleset_.otherwise.says}


def test_many_rules_are_sifted_by_climbing() -> None:
    case = make_case(11, 1500)
    a, b = (tw.C45RulesClassifier(random_state=3).fit(case.X, case.classes) for _ in range(2))
    assert a.ruleset_.to_json() == b.ruleset_.to_json()
    assert len(a.ruleset_) > 10
    tree = tw.C45Classifier(pruned=False).fit(case.X, case.classes).tree_
    assert len(a.ruleset_) < tree.n_leaves
    assert a.score(case.X, case.classes) > np.unique(case.classes, return_counts=True)[1].max() / 1500 + 0.02
    assert len(a.estimated_errors_) == len(a.ruleset_)


def test_errors() -> None:
    with pytest.raises(ValueError, match="confidence=0"):
        tw.C45RulesClassifier(confidence=0).fit([[1.0], [2.0]], ["a", "b"])
    assert tw.C45RulesClassifier().fit([[1.0]], ["a"]).predict([[3.0]]).tolist() == ["a"]
