"""C4.5's own rules, one by one (Quinlan 1993, 1996; acceptance rows 65 and 87)."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw

GOLF = pd.DataFrame(
    {
        "outlook": ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5,
        "temperature": [75, 80, 85, 72, 69, 72, 83, 64, 81, 71, 65, 75, 68, 70],
        "humidity": [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96],
        "windy": [
            "true",
            "true",
            "false",
            "false",
            "false",
            "true",
            "false",
            "true",
            "false",
            "true",
            "true",
            "false",
            "false",
            "false",
        ],
    }
)
PLAY = np.array(["yes", "no", "no", "no", "yes", "yes", "yes", "yes", "yes", "no", "no", "yes", "yes", "yes"])


@pytest.mark.parametrize("variant", ["r8", "j48"])
def test_golf(variant: str) -> None:
    est = tw.C45Classifier(variant=variant).fit(GOLF, PLAY)
    tree = est.tree_
    assert tree.n_nodes == 8
    assert tree.root.split is not None
    assert tree.root.split.column == "outlook"
    sunny = tree.root.children[list(tree.root.split.levels).index("sunny")]
    assert sunny.split is not None
    # 75 occurs in the table, not among the sunny days, of which 70 and 85 are the neighbours: it is the largest value up to 77.5.
    assert (sunny.split.column, sunny.split.cuts) == ("humidity", (75.0,))
    assert 75 not in set(GOLF.humidity[:5])
    if variant == "r8":
        assert est.estimated_errors_ / 14 == pytest.approx(0.385, abs=5e-4)


def test_thresholds_pay_for_their_number() -> None:
    root = tw.C45Classifier(keep_candidates=True).fit(GOLF, PLAY).tree_.root
    free = tw.C45Classifier(keep_candidates=True, penalty=False).fit(GOLF, PLAY).tree_.root
    weighed = {c.column: c for c in root.candidates}
    assert "temperature" not in weighed  # its gain does not cover the penalty
    unpaid = {c.column: c for c in free.candidates}
    assert unpaid["temperature"].penalty == 0
    assert unpaid["temperature"].gain < math.log2(unpaid["temperature"].tried) / 14
    assert weighed["outlook"].penalty == 0
    assert weighed["outlook"].merit == pytest.approx(0.156428, abs=1e-6)


def test_penalty_of_a_threshold_that_is_worth_it() -> None:
    X = pd.DataFrame({"x": np.arange(20.0)})
    (candidate,) = tw.C45Classifier(keep_candidates=True, pruned=False).fit(X, np.repeat(["a", "b"], 10)).tree_.root.candidates
    assert candidate.gain == pytest.approx(1.0)
    # Two rows at least on either side: 17 cuts.
    assert candidate.tried == 17
    assert candidate.penalty == pytest.approx(math.log2(17) / 20)
    assert candidate.merit == pytest.approx((1 - math.log2(17) / 20) / 1.0)


@pytest.mark.parametrize(("declared", "tried"), [(["a", "b"], 91), (["a", "b", "c", "d", "e"], 97)])
def test_sides_hold_a_tenth_per_declared_class(declared: list[str], tried: int) -> None:
    """0.1 * 100 / 2 = 5 rows on either side; with five classes declared 2, which is the minimum anyway."""
    X = pd.DataFrame({"x": np.arange(100.0)})
    y = pd.Series(pd.Categorical(np.repeat(["a", "b"], 50), categories=declared))
    (candidate,) = tw.C45Classifier(keep_candidates=True, pruned=False).fit(X, y).tree_.root.candidates
    assert candidate.tried == tried


def test_close_values_are_not_told_apart() -> None:
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 3.000005, 4.0, 5.0, 6.0]})
    y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    tree = tw.C45Classifier(pruned=False).fit(X, y).tree_
    assert tree.root.split is not None
    assert tree.root.split.cuts != (3.0,)
    assert tw.CARTClassifier().fit(X, y).tree_.n_nodes == 3


def test_row_65_dates_have_no_two_cases() -> None:
    X = GOLF.assign(date=[f"day {i}" for i in range(14)])
    root = tw.C45Classifier(keep_candidates=True).fit(X, PLAY).tree_.root
    assert "date" not in {c.column for c in root.candidates}
    assert root.split is not None
    assert root.split.column == "outlook"


def test_row_87_ratio_with_a_missing_cell() -> None:
    days = pd.DataFrame({"humid": ["h", "h", "h", None, "n"]})
    est = tw.C45Classifier(keep_candidates=True, min_samples_leaf=1, pruned=False).fit(days, ["no", "no", "no", "yes", "yes"])
    (candidate,) = est.tree_.root.candidates
    assert candidate.gain == pytest.approx(0.649022, abs=1e-6)
    assert candidate.split_info == pytest.approx(1.370951, abs=1e-6)
    assert candidate.merit == pytest.approx(0.473411, abs=1e-6)


def test_a_split_that_gains_nothing_is_taken_by_c45_only() -> None:
    X = pd.DataFrame({"a": list("uuuuvvvv"), "b": list("ppqqppqq")})
    y = ["x" if (a == "u") == (b == "p") else "z" for a, b in zip(X.a, X.b, strict=True)]
    assert tw.C45Classifier(pruned=False).fit(X, y).tree_.n_nodes == 7
    assert tw.C45Classifier(variant="j48", pruned=False).fit(X, y).tree_.n_nodes == 1


@pytest.mark.parametrize(("times", "chosen"), [(1, "good"), (2, "wide")])
def test_wide_columns_are_no_measure_of_others(times: int, chosen: str) -> None:
    """24 levels are many for 60 rows: not in the average, so that `good` exceeds it. For 120 rows they are not."""
    at = np.arange(60)
    y = np.where(at % 24 < 12, "p", "q")
    X = pd.DataFrame(
        {
            "wide": [f"l{i % 24}" for i in at],
            "good": np.where((y == "p") ^ (at % 5 == 0), "s", "t"),
            "noise": np.where(at // 2 % 2 == 0, "m", "n"),
        }
    )
    rows = np.tile(at, times)
    root = tw.C45Classifier(keep_candidates=True, pruned=False).fit(X.iloc[rows], y[rows]).tree_.root
    found = {c.column: c for c in root.candidates}
    assert found["good"].merit > found["wide"].merit
    assert found["good"].gain < np.mean([c.gain for c in found.values()])
    assert [c.column for c in root.candidates if c.chosen] == [chosen]


def test_gain_instead_of_ratio() -> None:
    X = GOLF.assign(coarse=["u" if p == "yes" else "v" for p in PLAY])
    root = tw.C45Classifier(criterion="info_gain", keep_candidates=True).fit(X, PLAY).tree_.root
    best = max(root.candidates, key=lambda c: c.gain - c.penalty)
    assert best.chosen
    assert all(c.merit == pytest.approx(c.gain - c.penalty) for c in root.candidates)


def test_empty_branches_are_sure_in_c45_and_doubtful_in_j48() -> None:
    X = pd.DataFrame({"a": pd.Categorical(list("uuuuvvvv"), categories=["u", "v", "never"])})
    y = ["x", "x", "x", "x", "x", "z", "z", "z"]
    row = pd.DataFrame({"a": pd.Categorical(["never"], categories=["u", "v", "never"])})
    sure = tw.C45Classifier(pruned=False).fit(X, y)
    doubtful = tw.C45Classifier(variant="j48", pruned=False).fit(X, y)
    assert sure.predict_proba(row)[0] == pytest.approx([1, 0])
    assert doubtful.predict_proba(row)[0] == pytest.approx([5 / 8, 3 / 8])
    assert sure.predict(row)[0] == doubtful.predict(row)[0] == "x"


def test_useless_splits_are_undone() -> None:
    X = pd.DataFrame({"a": list("uuuuuvvvvv")})
    y = ["x", "x", "x", "x", "z", "x", "x", "x", "z", "z"]
    assert tw.C45Classifier(pruned=False, collapse=False).fit(X, y).tree_.n_nodes == 3
    assert tw.C45Classifier(pruned=False).fit(X, y).tree_.n_nodes == 1


def test_groups_of_levels() -> None:
    levels = list("aabbccddee") * 4
    y = np.where(np.isin(levels, ["a", "c"]), "p", "q")
    X = pd.DataFrame({"x": pd.Categorical(levels, categories=[*"abcde", "never"])})
    tree = tw.C45Classifier(grouped=True).fit(X, y).tree_
    assert tree.root.split is not None
    assert tree.root.split.family == "grouped"
    together = [{level for level, b in tree.root.split.levels.items() if b == branch} for branch in range(3)]
    assert together == [{"a", "c"}, {"b", "d", "e"}, {"never"}]


def test_bad_parameters_are_named() -> None:
    for params, word in (
        ({"confidence": 0}, "confidence"),
        ({"confidence": 0.6, "variant": "j48"}, "confidence"),
        ({"variant": "r9"}, "variant"),
        ({"criterion": "gini"}, "criterion"),
        ({"trials": -1}, "trials"),
        ({"trials": 2, "window": 0}, "window"),
    ):
        with pytest.raises(ValueError, match=word):
            tw.C45Classifier(**params).fit(GOLF, PLAY)


@pytest.mark.parametrize("pure", [14, 20, 24])
def test_what_was_not_grown_is_grown_where_it_decides(pure: int) -> None:
    """Two rows of different classes will be a leaf and are not divided at first; that they could be keeps the split above them.

    Divided they make no error, so that split saves one and does not collapse; pruning, careful here, then ends them and keeps it.
    """
    X = pd.DataFrame({"a": ["p"] * 2 + ["q"] * pure, "b": ["u", "v"] * (pure // 2 + 1)}, dtype="category")
    y = np.array(["yes", "no"] + ["yes"] * pure)
    careful = tw.C45Classifier(variant="j48", confidence=0.01, min_samples_leaf=1)
    assert careful.fit(X, y).tree_.n_nodes == 3
    X["b"] = pd.Categorical(["u"] * len(X), ["u", "v"])  # now they are alike
    assert careful.fit(X, y).tree_.n_nodes == 1
