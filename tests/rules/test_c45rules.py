"""C4.5rules: against a slow mirror of its generalisation, missing cells, weights, many rules, distilled trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import Case, cases, make_case, modest
from treewright import _core
from treewright.model.rules import cells_of


def tail(wrong: int, n: int, other_wrong: int, other_n: int) -> float:
    """Fisher's exact test as SciPy has it, of the side on which the division lies."""
    from scipy.stats import fisher_exact

    cells = [[wrong, n - wrong], [other_wrong, other_n - other_wrong]]
    side = "greater" if wrong * other_n > other_wrong * n else "less"
    return float(fisher_exact(cells, alternative=side)[1])


def generalised(
    tree: tw.Tree, X: pd.DataFrame, y: np.ndarray, significance: float | None = None
) -> set[tuple[Any, frozenset[str]]]:
    """Every path of the tree without the conditions whose absence does no harm, one row and one condition at a time."""
    cells = cells_of(X, tree.schema)
    out = set()
    for path in tree.paths():
        leaf = path[-1]
        if leaf.weight < 1 - 1e-9 or len(path) == 1:
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
        ) -> tuple[float, float, int, int]:
            inside = np.logical_and.reduce([holds[i] for i in kept]) if kept else np.ones(len(y), bool)
            n, wrong = int(inside.sum()), int((inside & (y != label)).sum())
            if n == 0:
                return default, 0.0, 0, 0
            return (wrong + _core.extra_errors(n, wrong, 0.25, "quinlan")) / n, wrong / n, n, wrong

        left = list(range(len(conditions)))
        while left:
            now = rate(left)
            others = [rate([j for j in left if j != i]) for i in left]
            chance = [tail(now[3], now[2], wrong - now[3], n - now[2]) for _, _, n, wrong in others] if significance else []
            drops = any(each > significance + 1e-9 for each in chance) if significance else False
            if not drops and not any(p <= now[0] or a <= now[1] for p, a, _, _ in others):
                break
            lowest = min(p for p, _, _, _ in others)
            left.pop(max(i for i, (p, _, _, _) in enumerate(others) if p == lowest))
        error, _, n, _ = rate(left)
        if left and n and error < default and error <= 0.7:
            out.add((label, frozenset(conditions[i].text(exact=True) for i in left)))
    return out


@modest(30)
@given(case=cases(max_rows=50), significance=st.sampled_from([None, None, 0.05, 0.3]))
def test_rules_are_generalised_paths(case: Case, significance: float | None) -> None:
    est = tw.C45RulesClassifier(min_samples_leaf=1, significance=significance).fit(case.X, case.classes)
    tree = tw.C45Classifier(pruned=False, min_samples_leaf=1).fit(case.X, case.classes).tree_
    wanted = generalised(tree, case.X, case.classes, significance)
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


@modest(60)
@given(counts=st.tuples(*[st.integers(0, 40)] * 4))
def test_fishers_exact_test(counts: tuple[int, int, int, int]) -> None:
    wrong, right, other_wrong, other_right = counts
    mine = _core.fisher_tail(wrong, wrong + right, other_wrong, other_wrong + other_right)
    assert mine == pytest.approx(tail(wrong, wrong + right, other_wrong, other_wrong + other_right), rel=1e-9, abs=1e-12)


def test_a_significance_that_is_asked_for_drops_conditions() -> None:
    case = make_case(11, 600)
    sizes = []
    for level in (None, 0.05, 0.0001):
        est = tw.C45RulesClassifier(significance=level).fit(case.X, case.classes)
        sizes.append(sum(len(rule.when) for rule in est.ruleset_))
    assert sizes[0] > sizes[1] > sizes[2]


def test_redundant_columns_make_conditions_cheap() -> None:
    case = make_case(11, 1500)
    few, many = (tw.C45RulesClassifier(redundancy=r).fit(case.X, case.classes).ruleset_ for r in (0.5, 20))
    assert len(few) < len(many)


def test_annealing_finds_as_short_a_description() -> None:
    case = make_case(11, 1500)
    climbed, annealed = (tw.C45RulesClassifier(choice=how, random_state=3) for how in ("climb", "anneal"))
    a, b = (est.fit(case.X, case.classes) for est in (climbed, annealed))
    again = tw.C45RulesClassifier(choice="anneal", random_state=3).fit(case.X, case.classes)
    assert b.ruleset_.to_json() == again.ruleset_.to_json()
    # Two ways that have nothing in common come to the same rules, which are hardly those of a lucky draw.
    assert len(a.ruleset_) > 10
    assert str(a.ruleset_) == str(b.ruleset_)
    # Up to ten rules of a class all sets are tried, whatever is asked for.
    small = tw.datasets.load_play_tennis()
    few = [tw.C45RulesClassifier(choice=how).fit(small.X, small.y).ruleset_ for how in ("climb", "anneal")]
    assert few[0] == few[1]


def test_errors() -> None:
    for options in ({"significance": 2}, {"redundancy": 0}, {"choice": "luck"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            tw.C45RulesClassifier(**options).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="confidence=0"):
        tw.C45RulesClassifier(confidence=0).fit([[1.0], [2.0]], ["a", "b"])
    assert tw.C45RulesClassifier().fit([[1.0]], ["a"]).predict([[3.0]]).tolist() == ["a"]


def test_bits_of_conditions_count_weights() -> None:
    """What a condition costs depends on how frequent levels are: weights count there as repeated rows do."""
    rng = np.random.default_rng(5)
    n = 90
    X = pd.DataFrame({c: rng.choice(list("uvwxyz")[: 2 + j], n, p=rng.dirichlet(np.ones(2 + j))) for j, c in enumerate("abcd")})
    y = np.where(rng.random(n) < 0.25, rng.choice(["p", "q"], n), np.where((X["a"] == "u") ^ (X["d"] == "w"), "p", "q"))
    weights = np.where(X["a"] == "u", 12, 1) * np.where(X["c"] == "w", 5, 1)
    rows = np.repeat(np.arange(n), weights)
    once = tw.C45RulesClassifier(random_state=0).fit(X, y, sample_weight=weights).ruleset_
    again = tw.C45RulesClassifier(random_state=0).fit(X.iloc[rows], y[rows]).ruleset_
    assert str(once) == str(again)
