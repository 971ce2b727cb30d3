"""RIPPER and IREP: the search against enumeration, weights, order of rows, missing cells, seeds, errors, files."""

from __future__ import annotations

import pickle
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import Case, cases, make_case, modest

MAKERS = [tw.RipperClassifier, tw.IrepClassifier]


def grown_by_enumeration(X: pd.DataFrame, positive: np.ndarray, weights: np.ndarray, smoothed: bool, least: float) -> list[str]:
    """One rule, condition by condition: every test of every column is tried, the first of the best taken."""
    plus = 1.0 if smoothed else 0.0
    inside = np.ones(len(X), bool)
    used: set[str] = set()
    out: list[str] = []

    def rate(mask: np.ndarray) -> float:
        return (weights[mask & positive].sum() + plus) / (weights[mask].sum() + plus)

    while weights[inside & ~positive].sum() > 0:
        best: tuple[float, str, np.ndarray] | None = None
        for name in X:
            if name in used:
                continue
            column = X[name]
            tests: list[tuple[str, np.ndarray]] = []
            if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind not in "fi":
                levels = (
                    column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else sorted(column.dropna().unique())
                )
                tests += [(f"{name} = {level}", (column == level).to_numpy(bool)) for level in levels]
            else:
                for value in sorted(column[inside].dropna().unique()):
                    low, high = (column <= value).to_numpy(bool), (column >= value).to_numpy(bool)
                    pair = [(f"{name} <= {value}", low), (f"{name} >= {value}", high)]
                    gains = [gain(weights, positive, inside & mask, rate, rate(inside)) for _, mask in pair]
                    tests.append(pair[0] if gains[0] > gains[1] else pair[1])
            for text, mask in tests:
                worth = gain(weights, positive, inside & mask, rate, rate(inside))
                if worth > (0.0 if best is None else best[0]) + 1e-6:
                    best = (worth, text, mask)
        if best is None or weights[inside & best[2] & positive].sum() < least:
            break
        out.append(best[1])
        inside &= best[2]
        if " = " in best[1]:
            used.add(best[1].split(" = ")[0])
    return out


def gain(weights: np.ndarray, positive: np.ndarray, mask: np.ndarray, rate: Any, before: float) -> float:
    p = weights[mask & positive].sum()
    return float(p * (log2(rate(mask)) - log2(before))) if p > 0 else 0.0


@modest(60)
@given(case=cases(), smoothed=st.booleans(), weighted=st.booleans(), least=st.sampled_from([0.5, 2]))
def test_growing_is_enumeration(case: Case, smoothed: bool, weighted: bool, least: float) -> None:
    w = case.weights.astype(float) if weighted else np.ones(len(case.classes))
    if len(np.unique(case.classes[w > 0])) < 2:
        return
    kind = "smoothed" if smoothed else "foil"
    est = tw.RipperClassifier(prune=False, rounds=0, gain=kind, min_weight=least, stop="explains", check_error=False)
    est.fit(case.X, case.classes, sample_weight=w)
    keep = w > 0
    X, y = case.X[keep].reset_index(drop=True), case.classes[keep]
    wanted = grown_by_enumeration(X, y == est.class_order_[0], w[keep], smoothed, least)
    rules = [rule for rule in est.ruleset_ if rule.says == est.class_order_[0]]
    if not rules:
        return  # the first rule did not pay
    expected = est.ruleset_.parse_rule(f"if {' and '.join(wanted)} then target = {est.class_order_[0]}")
    assert rules[0] == expected


def same_rules(a: Any, b: Any) -> None:
    assert a.ruleset_.rules == b.ruleset_.rules
    assert a.class_order_ == b.class_order_


@modest(40)
@given(case=cases(), make=st.sampled_from(MAKERS), seed=st.integers(0, 5))
def test_weights_are_repetition_and_order_does_not_matter(case: Case, make: Any, seed: int) -> None:
    if not case.weights.any():
        return
    est = make(random_state=seed)
    weighted = make(random_state=seed).fit(case.X, case.classes, sample_weight=case.weights)
    rows = np.repeat(np.arange(len(case.classes)), case.weights)
    repeated = make(random_state=seed).fit(case.X.iloc[rows], case.classes[rows])
    same_rules(weighted, repeated)
    turned = np.random.default_rng(seed).permutation(len(case.classes))
    same_rules(est.fit(case.X, case.classes), make(random_state=seed).fit(case.X.iloc[turned], case.classes[turned]))


@modest(30)
@given(case=cases(holes=True), make=st.sampled_from(MAKERS))
def test_a_missing_cell_satisfies_no_condition(case: Case, make: Any) -> None:
    est = make().fit(case.X, case.classes)
    empty = case.X.copy()
    for name in empty:
        empty[name] = np.nan if empty[name].dtype.kind == "f" else pd.Series([None] * len(empty), dtype=empty[name].dtype)
    if any(not rule.when for rule in est.ruleset_):
        raise AssertionError("a rule without conditions is the default")
    assert set(est.predict(empty)) == {est.ruleset_.otherwise.says}
    assert (est.apply(empty) == -1).all()
    assert np.allclose(est.predict_proba(case.X).sum(axis=1), 1)


def test_scores_of_the_fit_are_those_of_the_training_rows() -> None:
    case = make_case(1, 300)
    est = tw.RipperClassifier().fit(case.X, case.classes, sample_weight=case.weights)
    kept = case.weights > 0
    again = est.ruleset_.scored(case.X[kept], case.classes[kept], case.weights[kept])
    assert est.ruleset_.to_json() == again.to_json()
    decided = est.apply(case.X[kept])
    for r, rule in enumerate(est.ruleset_):
        assert rule.weight == case.weights[kept][decided == r].sum()


def test_thresholds_are_exact_values() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = (X[:, 0] > X[37, 0]).astype(int)
    est = tw.RipperClassifier().fit(X, y)
    ends = [end for rule in est.ruleset_ for c in rule.when for end in (c.low, c.high) if end is not None]
    assert ends
    assert all(end.at in X for end in ends)
    assert est.score(X, y) == 1


def test_ordered_columns_are_compared_by_position() -> None:
    sizes = ["XS", "S", "M", "L", "XL"]
    X = pd.DataFrame({"size": pd.Categorical(np.resize(sizes, 200), sizes, ordered=True), "x": np.arange(200.0) % 7})
    y = np.where(X["size"].isin(["L", "XL"]), "big", "small")
    est = tw.RipperClassifier().fit(X, y)
    assert est.ruleset_.to_text().splitlines()[0] == "if size >= L then target = big  (80 rows, 100% right)"


def test_variants_and_seeds() -> None:
    case = make_case(9, 500)
    texts = {tw.RipperClassifier(random_state=seed).fit(case.X, case.classes).ruleset_.to_text() for seed in range(4)}
    assert len(texts) > 1
    for seed in range(2):
        a, b = (tw.RipperClassifier(random_state=seed, variant="cohen").fit(case.X, case.classes) for _ in range(2))
        assert a.ruleset_.to_json() == b.ruleset_.to_json()


def test_small_and_odd_tables() -> None:
    assert tw.RipperClassifier().fit([[1.0]], ["a"]).predict([[2.0]]).tolist() == ["a"]
    assert len(tw.RipperClassifier().fit([[np.nan], [np.nan]], ["a", "b"]).ruleset_) == 0
    same = tw.RipperClassifier().fit([[1.0]] * 10, ["a"] * 5 + ["b"] * 5)
    assert len(same.ruleset_) == 0
    tiny = tw.RipperClassifier().fit(np.arange(20.0)[:, None], [0] * 10 + [1] * 10, sample_weight=np.full(20, 1e-9))
    assert len(tiny.ruleset_) <= 1
    huge = tw.RipperClassifier().fit(np.arange(20.0)[:, None], [0] * 10 + [1] * 10, sample_weight=np.full(20, 1e12))
    assert huge.score(np.arange(20.0)[:, None], [0] * 10 + [1] * 10) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"folds": 1}, "folds=1"),
        ({"rounds": -1}, "rounds=-1"),
        ({"variant": "weka"}, "variant 'weka' is unknown; did you mean"),
        ({"gain": "foill"}, "did you mean 'foil'"),
        ({"worth": "x"}, "worth 'x' is unknown"),
        ({"stop": "never"}, "stop 'never' is unknown"),
        ({"surplus": float("nan")}, "surplus=nan"),
        ({"min_weight": -1}, "min_weight=-1"),
        ({"unseen": "x"}, "unseen 'x' is unknown"),
    ],
)
def test_errors_name_the_parameter(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("variant 'weka' is unknown; did you mean", "variant 'weka' is unknown")):
        tw.RipperClassifier(**options).fit([[1.0], [2.0]], ["a", "b"])


def test_saved_and_pickled(tmp_path: Path) -> None:
    case = make_case(4, 300)
    est = tw.RipperClassifier().fit(case.X, case.classes)
    est.save(tmp_path / "m.json")
    for again in (tw.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(est))):
        assert again.ruleset_.to_json() == est.ruleset_.to_json()
        assert again.class_order_ == est.class_order_
        assert np.array_equal(again.predict_proba(case.X), est.predict_proba(case.X))
