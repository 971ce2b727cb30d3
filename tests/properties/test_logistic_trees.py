"""What holds of logistic model trees: the boosting is that of the paper, weights are rows, files keep every answer."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core

Numbers = np.ndarray[Any, Any]


def a_table(seed: int, n: int = 240, classes: int = 3) -> tuple[pd.DataFrame, Numbers]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("uvw"), n), "d": rng.choice(["n", "y"], n)}
    )
    score = np.where(X["a"] > 0, 2 * X["b"], 1 - X["b"]) + 2 * (X["c"] == "v") + (X["d"] == "y") + 0.4 * rng.normal(size=n)
    y = np.digitize(score, [0.5, 2.5][: classes - 1])
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    return X, y


def filled(X: pd.DataFrame) -> pd.DataFrame:
    return X.assign(a=X["a"].fillna(X["a"].mean()), c=X["c"].fillna(X["c"].mode()[0]))


def logit_boost(Z: Numbers, y: Numbers, weight: Numbers, n_classes: int, steps: int) -> Numbers:
    """Shares of the classes after so many steps, written down from the paper, slowly."""
    F = np.zeros((len(y), n_classes))
    for _ in range(steps):
        p = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
        said = np.zeros_like(F)
        for k in range(n_classes):
            is_k = (y == k).astype(float)
            z = np.clip((is_k - p[:, k]) / (p[:, k] * (1 - p[:, k])), -3, 3)
            w = weight * (is_k - p[:, k]) / z
            least = np.inf
            for t in range(Z.shape[1]):
                design = np.column_stack([np.ones(len(y)), Z[:, t]])
                beta = np.linalg.solve(design.T @ (w[:, None] * design), design.T @ (w * z))
                error = float((w * (z - design @ beta) ** 2).sum())
                if error < least - 1e-9:
                    least, said[:, k] = error, design @ beta
        F += (n_classes - 1) / n_classes * (said - said.mean(axis=1, keepdims=True))
    return np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_single_leaf_is_logit_boost(classes: int) -> None:
    X, y = a_table(1, 80, classes)
    weight = np.random.default_rng(2).integers(1, 4, len(y)).astype(float)
    est = tw.LogisticTreeClassifier(iterations=7, max_depth=0).fit(X, y, sample_weight=weight)
    rows = X.assign(a=X["a"].fillna(np.average(X["a"].dropna(), weights=weight[X["a"].notna()])))
    rows["c"] = rows["c"].fillna(max("uvw", key=lambda level: weight[(X["c"] == level).to_numpy()].sum()))
    terms = [rows["a"], rows["b"], *(rows["c"] == level for level in "uvw"), rows["d"] == "y"]
    expected = logit_boost(np.column_stack(terms).astype(float), y, weight, classes, 7)
    assert est.predict_proba(X) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_children_go_on_with_the_model_of_their_parent() -> None:
    X, y = a_table(3)
    whole = tw.LogisticTreeClassifier(iterations=3, pruned=False, max_depth=1).fit(X, y)
    stump = tw.LogisticTreeClassifier(iterations=3, max_depth=0).fit(X, y)
    assert whole.tree_.root.scores == stump.tree_.root.scores
    for leaf in whole.tree_.leaves():
        assert leaf.scores is not None
        mine = {term.name for _, equation in leaf.scores.of for term in equation.terms}
        above = {term.name for _, equation in stump.tree_.root.scores.of for term in equation.terms}
        assert above <= mine


def test_weight_two_is_the_row_twice_and_order_does_not_matter() -> None:
    X, y = a_table(4)
    weight = np.random.default_rng(5).integers(0, 3, len(y))
    again = np.random.default_rng(6).permutation(np.repeat(np.arange(len(y)), weight))
    weighted = tw.LogisticTreeClassifier().fit(X, y, sample_weight=weight)
    repeated = tw.LogisticTreeClassifier().fit(X.iloc[again], y[again])
    assert weighted.n_iterations_ == repeated.n_iterations_ > 0
    assert weighted.tree_.n_leaves == repeated.tree_.n_leaves > 1
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), rel=1e-6, abs=1e-9)


def test_any_number_of_threads_gives_the_same_tree() -> None:
    X, y = a_table(7)
    assert tw.LogisticTreeClassifier(n_jobs=3).fit(X, y).tree_ == tw.LogisticTreeClassifier().fit(X, y).tree_


def test_shares_are_those_of_the_scores_that_are_written() -> None:
    X, y = a_table(8)
    est = tw.LogisticTreeClassifier().fit(X, y)
    rows, leaf, shares = filled(X), est.apply(X), est.predict_proba(X)
    assert est.tree_.n_leaves > 1
    assert np.array_equal(est.apply(rows), leaf)
    for i in range(0, len(y), 11):
        scores = est.tree_.node(leaf[i]).scores
        assert scores is not None
        said = []
        for _, equation in scores.of:
            cells = [(t.coefficient, rows.iloc[i][t.column], t.levels) for t in equation.terms]
            said.append(equation.intercept + sum(c * (x if levels is None else float(x in levels)) for c, x, levels in cells))
        assert shares[i] == pytest.approx(np.exp(said) / np.exp(said).sum(), rel=1e-9)
    assert np.array_equal(est.predict(X), shares.argmax(axis=1))


def test_pickles_and_files_keep_every_answer(tmp_path: Path) -> None:
    X, y = a_table(9)
    est = tw.LogisticTreeClassifier().fit(X, y)
    est.save(tmp_path / "model.json")
    for again in (pickle.loads(pickle.dumps(est)), tw.load(tmp_path / "model.json")):
        assert again.tree_ == est.tree_
        assert again.n_iterations_ == est.n_iterations_
        assert np.array_equal(again.predict_proba(X), est.predict_proba(X))


def test_damaged_models_are_refused() -> None:
    X, y = a_table(10)
    tree = tw.LogisticTreeClassifier().fit(X, y).tree_
    assert tree.models is not None
    state = dict(tree.models.state())
    assert _core.LinearModels.from_state(state, tree._core).size == 3 * tree.n_nodes
    for name, value in (
        ("intercept", state["intercept"][: tree.n_nodes]),
        ("term_begin", state["term_begin"][: tree.n_nodes + 1]),
        ("term_place", np.where(state["term_place"] < -1, -9, state["term_place"]).astype(np.int32)),
        ("term_place", np.where(state["term_place"] == 0, 1, state["term_place"]).astype(np.int32)),
    ):
        with pytest.raises(ValueError, match="damaged"):
            _core.LinearModels.from_state({**state, name: value}, tree._core)


def test_a_table_without_a_useful_column_says_the_shares_of_the_classes() -> None:
    est = tw.LogisticTreeClassifier().fit(np.ones((20, 2)), np.repeat([0, 1], [15, 5]))
    assert est.predict_proba([[1.0, 1.0]])[0] == pytest.approx([0.75, 0.25])


def test_scores_stand_below_the_tree_in_rules_and_in_explanations() -> None:
    X, y = a_table(11)
    est = tw.LogisticTreeClassifier().fit(X, y)
    text, rules, why = est.tree_.to_text(), str(est.tree_.to_rules()), est.explain(X.iloc[[0]])
    assert "LM 1: score of 0 = " in text
    assert "then target by score of 0 = " in rules
    assert "(c = v)" in rules
    assert any(note.startswith("score of 2 = ") for note in why.notes)
    assert why.says == est.predict(X.iloc[[0]])[0]
    assert why.share == pytest.approx(est.predict_proba(X.iloc[[0]]).max())
    with pytest.raises(ValueError, match="equations"):
        est.tree_.merge_leaves()
    for wrong in (est.tree_.to_rules().predict, lambda rows: est.tree_.to_rules().simplify(rows, y)):
        with pytest.raises(ValueError, match="scores of classes"):
            wrong(X)


def test_parameters_are_checked() -> None:
    X, y = a_table(12)
    for bad in (
        {"iterations": "often"}, {"iterations": 0}, {"max_iterations": 0}, {"impurity": "gini"}, {"folds": 1},
        {"impurity": "posteriors", "min_impurity": -1},
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            tw.LogisticTreeClassifier(**bad).fit(X, y)
    with pytest.raises(ValueError, match="classes"):
        tw.LogisticTreeClassifier().fit(X, np.linspace(0.1, 0.9, len(y)))


@pytest.mark.parametrize("impurity", ["classes", "posteriors"])
@pytest.mark.parametrize("absent", [0, 1, 3])
def test_a_class_without_rows_is_never_said(absent: int, impurity: str) -> None:
    rng = np.random.default_rng(absent)
    X = rng.normal(size=(120, 2))
    names = np.delete(["first", "second", "third", "fourth"], absent)
    y = pd.Categorical(names[np.digitize(X[:, 0] + X[:, 1], [-0.6, 0.6])], ["first", "second", "third", "fourth"])
    how = {"pruned": False, "impurity": impurity, "min_impurity": 0.1 if impurity == "posteriors" else None}
    est = tw.LogisticTreeClassifier(iterations=5, **how).fit(X, y)
    sizes = np.array([1, 1e3, 1e10, 1e100, 1e300, 1.7e308])
    far = np.vstack([rng.normal(size=(200, 2)), *(size * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) for size in sizes)])
    shares = est.predict_proba(far)
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert set(est.predict(far)) <= set(names)
    declared = est.tree_.predict_proba(far)
    assert np.array_equal(est.predict(far), y.categories[declared.argmax(axis=1)])
    assert np.all(declared[:, absent] == 0)
    assert [label for label, _ in est.tree_.root.scores.of] == names.tolist()
    assert f"score of {y.categories[absent]}" not in est.tree_.to_text() + str(est.tree_.to_rules()) + str(est.explain(X[:1]))
    for leaf in est.tree_.leaves() if impurity == "posteriors" else []:
        p = est.predict_proba(X[est.apply(X) == leaf.id])
        entropy = -np.sum(np.where(p > 0, p * np.log2(np.maximum(p, 1e-300)), 0), axis=1).mean()
        assert leaf.impurity == pytest.approx(entropy, rel=1e-9)


def test_a_class_without_rows_is_not_said_where_all_scores_overflow() -> None:
    X = np.arange(60.0).reshape(-1, 1)
    y = pd.Categorical(np.where(X[:, 0] < 30, "a", "b"), ["none", "a", "b"])
    tree = tw.LogisticTreeClassifier(iterations=2, max_depth=0).fit(X, y).tree_
    assert tree.models is not None
    state = dict(tree.models.state())
    state["coefficient"] = np.full_like(state["coefficient"], -1e9)
    falling = _core.LinearModels.from_state(state, tree._core)
    said = np.asarray(falling.answers(tree._core, [np.array([1e308, 1.0])], 2, 0.0, 1)).reshape(2, 3)
    assert said[0].tolist() == [0, 0.5, 0.5]
    assert said[1, 0] == 0
