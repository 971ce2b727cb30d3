"""What trees have, soft trees have: exports, files, weights, missing cells, threads, errors, other verbs."""

from __future__ import annotations

import pickle
import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from tests.exports.runners import RUNNERS, model_answers
from tests.oblique.tables import circle, mixed
from treewright.model.gates import SigmoidGate
from treewright.table import read_cells

MADE: dict[str, Any] = {
    "classes": tw.SoftTreeClassifier(restarts=1),
    "two": tw.SoftTreeClassifier(restarts=1, refine=True),
    "numbers": tw.SoftTreeRegressor(restarts=1),
    "unseen": tw.SoftTreeClassifier(restarts=1, unseen="error"),
}


@cache
def fitted(name: str) -> tuple[Any, pd.DataFrame, Any]:
    X, y = mixed()
    target = (X["a b"].fillna(3) - 3) ** 2 + X["flag"] if name == "numbers" else y == "in" if name == "two" else y
    est = clone(MADE[name]).fit(X, target)
    assert est.tree_.n_leaves > 2
    return est, X, target


def holes(X: pd.DataFrame) -> pd.DataFrame:
    gone = X.mask(np.random.default_rng(1).random(X.shape) < 0.3).astype(X.dtypes.to_dict() | {"flag": object})
    rows = pd.concat([X.astype({"flag": object}), gone], ignore_index=True)
    return rows[rows["flag"].notna()].reset_index(drop=True).astype({"flag": bool})


@pytest.mark.parametrize("export", ["python", "javascript", "c", "onnx"])
@pytest.mark.parametrize("name", ["classes", "two", "numbers"])
def test_exports_answer_to_the_last_bit(export: str, name: str) -> None:
    est, X, _ = fitted(name)
    rows = holes(X)
    found, expected = RUNNERS[export](est, rows), model_answers(est, rows)
    assert (found.prediction, found.shares) == (expected.prediction, expected.shares)


@pytest.mark.parametrize("export", ["sqlite", "duckdb"])
@pytest.mark.parametrize("name", ["classes", "two", "numbers"])
def test_sql_answers_to_a_tolerance(export: str, name: str) -> None:
    est, X, _ = fitted(name)
    rows = holes(X)[::5].reset_index(drop=True)
    found, expected = RUNNERS[export](est, rows), model_answers(est, rows)
    if name == "numbers":
        assert found.prediction == pytest.approx(expected.prediction, rel=1e-12, abs=1e-12)
    else:
        assert np.abs(np.array(found.shares) - expected.shares).max() < 1e-12
        assert found.prediction == expected.prediction


@pytest.mark.parametrize("name", MADE)
def test_files_pickles_threads_and_texts(name: str, tmp_path: Any) -> None:
    est, X, y = fitted(name)
    est.save(tmp_path / "m.json")
    again, pickled = tw.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(est))
    assert again.tree_ == est.tree_ == pickled.tree_
    assert again.predict(X).tolist() == est.predict(X).tolist()
    est.tree_.validate()
    assert clone(est).set_params(n_jobs=3).fit(X, y).tree_ == est.tree_
    assert clone(est).set_params(random_state=5).fit(X, y).tree_ != est.tree_
    text = est.tree_.to_text(exact=True)
    assert len(re.findall(r" ± \S+\?", text)) == len(est.tree_.gates) == est.tree_.n_nodes - est.tree_.n_leaves
    assert est.tree_.to_svg().startswith("<svg") or "<svg" in est.tree_.to_svg()
    assert "sigmoids" in (tmp_path / "m.json").read_text()


def test_every_answer_is_what_leaves_say_by_shares() -> None:
    """A plain recursion over the public values: equations, gates, class shares of leaves."""
    est, X, _ = fitted("classes")
    tree = est.tree_
    arrays, _ = read_cells(X, tree.schema)

    def said(id: int) -> tuple[np.ndarray, np.ndarray]:
        node = tree.node(id)
        if node.is_leaf:
            value = np.array([node.value[c] for c in tree.target.classes])
            return np.log(value / value.sum()) * np.ones((len(X), 1)), np.ones(len(X))
        source, gate = tree.splits.source(id), tree.gates[id]
        x = np.nan_to_num(arrays[source.index], nan=gate.fill) if source.equation is None else source.equation.answers(arrays)
        below = (1 / (1 + np.exp(np.clip(gate.slope * (x - gate.at), -700, 700))))[:, None]
        (one, p), (two, q) = (said(child.id) for child in node.children)
        return below * one + (1 - below) * two, below[:, 0] * p + (1 - below[:, 0]) * q

    scores, reached = said(0)
    assert reached == pytest.approx(1)
    shares = np.exp(scores)
    shares /= shares.sum(axis=1, keepdims=True)
    order = [list(tree.target.classes).index(c) for c in est.classes_]
    assert est.predict_proba(X) == pytest.approx(shares[:, order], abs=1e-12)


def test_weights_count_as_rows() -> None:
    X, y, _ = *mixed(200), None
    w = np.random.default_rng(3).integers(0, 3, len(y))
    weighted = tw.SoftTreeClassifier(restarts=1).fit(X, y, sample_weight=w)
    repeated = tw.SoftTreeClassifier(restarts=1).fit(X.loc[np.repeat(X.index, w)], np.repeat(y, w))
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), abs=1e-3)
    balanced = tw.SoftTreeClassifier(restarts=1, class_weight="balanced").fit(X, y)
    assert balanced.predict_proba(X) != pytest.approx(tw.SoftTreeClassifier(restarts=1).fit(X, y).predict_proba(X), abs=1e-3)


def test_columns_that_say_nothing_and_single_classes() -> None:
    X = pd.DataFrame({"same": [1.0] * 30, "gone": [np.nan] * 30, "x": np.arange(30.0)})
    est = tw.SoftTreeClassifier().fit(X, ["a"] * 30)
    assert est.tree_.n_nodes == 1 and not est.tree_.gates and est.predict_proba(X).tolist() == [[1.0]] * 30
    assert tw.SoftTreeRegressor().fit(X, [2.5] * 30).predict(X).tolist() == [2.5] * 30
    none = tw.SoftTreeRegressor().fit(X[["same", "gone"]], np.arange(30.0))
    assert none.tree_.n_nodes == 1 and none.predict(X[["same", "gone"]]) == pytest.approx(np.full(30, 14.5))


def test_extremes_do_not_overflow() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    for scale in (1e-150, 1e150):
        X = np.column_stack([x * scale, rng.normal(size=200)])
        est = tw.SoftTreeRegressor(restarts=0).fit(X, (x > 0) * 1e100)
        assert est.score(X, (x > 0) * 1e100) > 0.8
        assert np.isfinite(est.predict(np.array([[1e300, -1e300], [-1e300, 1e300]]))).all()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"ridge": -1}, "ridge=-1"),
        ({"ridge": "much"}, "ridge='much'"),
        ({"restarts": 1.5}, "restarts=1.5"),
        ({"iterations": 0}, "iterations=0"),
        ({"holdout": 0.9}, "holdout=0.9"),
        ({"min_improvement": -1}, "min_improvement=-1"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"refine": "yes"}, "refine='yes'"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"random_state": "x"}, "random_state='x'"),
    ],
)
def test_parameters_that_cannot_be(given: dict[str, Any], says: str) -> None:
    X, y = circle()
    with pytest.raises((ValueError, TypeError), match=says):
        tw.SoftTreeClassifier(**given).fit(X, y)


def test_verbs_that_gates_do_not_have_say_so() -> None:
    est, X, _ = fitted("classes")
    with pytest.raises(ValueError, match=r"prune tree_\.to_hard"):
        est.prune()
    with pytest.raises(ValueError, match="to_hard"):
        est.tree_.prune("pessimistic")
    with pytest.raises(ValueError, match=r"to_hard\(\).to_rules\(\)"):
        est.tree_.to_rules()
    with pytest.raises(ValueError, match=r"mixed by scores.*background"):
        est.contributions(X)
    hard = est.tree_.to_hard()
    assert hard.n_leaves == len(list(hard.to_rules())) and not hard.gates
    assert hard.prune("pessimistic").n_leaves <= hard.n_leaves


def test_explanations_mix_as_predictions_do() -> None:
    est, X, _ = fitted("classes")
    shares = est.predict_proba(X)
    for at in (0, 3, 77):
        found = est.explain(X.iloc[[at]])
        assert [found.shares[label] for label in est.classes_] == pytest.approx(shares[at].tolist(), abs=1e-12)
        assert found.says == est.predict(X.iloc[[at]])[0]
    assert est.reasons(X.iloc[:5]) if hasattr(est, "reasons") else True
    assert "% of the row" in str(est.explain(X.iloc[[0]])) or "below" in str(est.explain(X.iloc[[0]]))


def test_committees_of_soft_trees() -> None:
    X, y = circle()
    bag = tw.BaggingClassifier(tw.SoftTreeClassifier(restarts=0, max_depth=2), n_estimators=3, voting="soft").fit(X, y)
    mean = np.mean([member.predict_proba(X) for member in bag.forest_.members], axis=0)
    assert bag.predict_proba(X) == pytest.approx(mean)


def test_files_that_are_damaged_are_refused(tmp_path: Any) -> None:
    from treewright.store import kinds
    from treewright.store.damage import Damage

    est, _, _ = fitted("numbers")
    good = kinds.to_section("tree", est.tree_)
    assert kinds.from_section(good, "tree") == est.tree_
    sigmoids = good["sigmoids"]
    many = len(sigmoids["node"])
    bad: list[dict[str, Any]] = [
        {**sigmoids, "slope": [0.0] * many},
        {**sigmoids, "slope": [1.0] * (many + 1)},
        {**sigmoids, "node": [0] * many},
        {**sigmoids, "node": [10_000] * many},
        {**sigmoids, "fill": ["inf"] * many},
        {"node": [], "slope": [], "fill": []},
        {**sigmoids, "more": 1},
    ]
    for each in bad:
        with pytest.raises(Damage):
            kinds.from_section({**good, "sigmoids": each}, "tree")
    classes = kinds.to_section("tree", fitted("classes")[0].tree_)
    without = {name: each for name, each in classes.items() if name != "sigmoids"}
    for each in ({**classes, "mixed": "shares"}, without):
        with pytest.raises(Damage):
            kinds.from_section(each, "tree")


def test_gates_are_values() -> None:
    est, _, _ = fitted("numbers")
    gate = next(iter(est.tree_.gates.values()))
    assert isinstance(gate, SigmoidGate) and gate.slope > 0
    low, high = gate.reach
    assert gate.share_below(np.array([low, gate.at, high])) == pytest.approx([0.9999, 0.5, 0.0001], abs=1e-6)
