"""Leaves are one family: every kind answers, speaks, is exported, stored and cut back by the same methods."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.model.leaves import LEAF_MODELS, Means
from treewright.model.leaves.base import AnswerForm, LeafModel


def table() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {"a": rng.normal(size=120).round(2), "b": rng.normal(size=120).round(2), "c": rng.choice(list("uvw"), 120)}
    )


def number(X: pd.DataFrame) -> Any:
    return np.where(X["a"] > 0.1, 3 + 2 * X["b"], -X["b"]) + (X["c"] == "u")


def steep(tree: tw.Tree) -> tw.Tree:
    """A soft tree that sends every row of the table one way, so that a leaf alone answers it."""
    return tree.with_gates({id: replace(gate, slope=gate.slope * 1e9) for id, gate in tree.gates.items()})  # type: ignore[type-var]


def grown() -> dict[str, tw.Tree]:
    X = table()
    y = number(X)
    return {
        "class_shares": tw.CARTClassifier(max_depth=3).fit(X, y > 1).tree_,
        "means": tw.CARTRegressor(max_depth=3).fit(X, y).tree_,
        "vectors": tw.CARTRegressor(max_depth=3).fit(X, np.column_stack([y, -2 * y])).tree_,
        "equations": tw.M5Regressor().fit(X, y).tree_,
        "log_shares": steep(tw.SoftTreeClassifier(restarts=0, max_depth=2).fit(X, y > 1).tree_),
        "class_scores": tw.LogisticTreeClassifier(max_iterations=5).fit(X, y > 1).tree_,
    }


@pytest.fixture(scope="module")
def trees() -> dict[str, tw.Tree]:
    return grown()


def test_every_kind_is_registered_and_grown_here(trees: dict[str, tw.Tree]) -> None:
    assert set(LEAF_MODELS) == set(trees)
    for kind, tree in trees.items():
        assert tree.leaf_model.kind == kind and type(tree.leaf_model) is LEAF_MODELS[kind]


@pytest.mark.parametrize("kind", list(LEAF_MODELS))
def test_answers_are_those_of_the_tree(trees: dict[str, tw.Tree], kind: str) -> None:
    tree, X = trees[kind], table()
    cells = tw.model.rules.cells_of(X, tree.schema)
    answers = tree.leaf_model.answers([np.ascontiguousarray(column) for column in cells], len(X))
    asked = tree.predict_proba if tree.classes is not None else tree.predict
    assert np.array_equal(answers, asked(X))
    if tree.classes is None:
        with pytest.raises(ValueError, match="predict_proba needs classes"):
            tree.predict_proba(X)


@pytest.mark.parametrize("kind", list(LEAF_MODELS))
def test_a_program_answers_what_the_leaf_says(trees: dict[str, tw.Tree], kind: str) -> None:
    tree, X = trees[kind], table()
    cells = tw.model.rules.cells_of(X, tree.schema)
    ends = tree.apply(X)
    for row in range(0, len(X), 7):
        label, values, terms = tree.leaf_model.program(int(ends[row]))
        assert not terms or len(terms) == len(values)
        found = []
        for value, each in zip(values, terms or ((),) * len(values), strict=True):
            for index, coefficient, _, codes in each:
                cell = cells[index][row]
                value += coefficient * (cell if codes is None else float(cell in codes))
            found.append(value)
        if tree.leaf_model.scored:
            weights = np.exp(np.array(found) - max(found))
            assert weights / weights.sum() == pytest.approx(tree.predict_proba(X.iloc[[row]])[0])
        elif tree.classes is not None:
            assert tree.classes[label] == tree.predict(X.iloc[[row]])[0]
            assert found == tree.predict_proba(X.iloc[[row]])[0].tolist()
        else:
            assert label == -1
            assert np.array(found) == pytest.approx(tree.predict(X.iloc[[row]]).reshape(-1))


@pytest.mark.parametrize("kind", list(LEAF_MODELS))
def test_files_and_pickles_bring_back_the_kind(trees: dict[str, tw.Tree], kind: str, tmp_path: Path) -> None:
    tree = trees[kind]
    tree.save(tmp_path / "tree.json")
    for again in (tw.load(tmp_path / "tree.json"), pickle.loads(pickle.dumps(tree))):
        assert again == tree and again.leaf_model == tree.leaf_model and type(again.leaf_model) is type(tree.leaf_model)
        assert np.array_equal(again.predict(table()), tree.predict(table()))


def test_leaves_of_other_predictions_are_not_equal(trees: dict[str, tw.Tree]) -> None:
    tree = trees["vectors"]
    held = (tree._core, tree.schema, tree.target)
    other = tw.Tree(*held, LEAF_MODELS["vectors"](*held, 2 * tree.leaf_model.predictions))  # type: ignore[call-arg, attr-defined]
    assert other != tree and tree.leaf_model != trees["means"].leaf_model


@pytest.mark.parametrize("kind", list(LEAF_MODELS))
def test_what_becomes_of_leaves_when_a_node_is_cut(trees: dict[str, tw.Tree], kind: str) -> None:
    tree = trees[kind]
    cut = np.zeros(tree.n_nodes, np.uint8)
    cut[0] = 1
    if tree.smooth:
        for verb in (lambda: tree._cut(cut), tree.merge_leaves, lambda: tree.prune("cost_complexity", alpha=1.0)):
            with pytest.raises(ValueError, match=r"trained for its gates: to_hard\(\)"):
                verb()
    elif tree.leaf_model.by_nodes:
        root = tree._cut(cut)
        assert root.n_nodes == 1 and type(root.leaf_model) is type(tree.leaf_model)
        assert root.root.prediction == tree.root.prediction
    else:
        with pytest.raises(ValueError, match=r"leaves of this tree say .* fit again with other limits"):
            tree._cut(cut)
        with pytest.raises(ValueError, match="leaves of this tree say"):
            tree.prune("cost_complexity", alpha=1.0)


class Doubled(Means):
    """A kind that no other code knows of: twice the mean."""

    kind = "doubled"
    by_nodes = False
    computed = False

    @property
    def first_numbers(self) -> Any:
        return 2 * self.nodes.value

    def prediction(self, id: int) -> float:
        return 2 * super().prediction(id)

    def program(self, id: int) -> AnswerForm:
        return -1, (self.prediction(id),), ()


def test_a_new_kind_predicts_speaks_and_is_exported_without_other_code(trees: dict[str, tw.Tree]) -> None:
    plain, X = trees["means"], table()
    held = (plain._core, plain.schema, plain.target)
    leaves: LeafModel = Doubled(*held)
    tree = tw.Tree(*held, leaves)
    assert np.array_equal(tree.predict(X), 2 * plain.predict(X))
    assert [rule.says for rule in tree.to_rules()] == [2 * rule.says for rule in plain.to_rules()]
    assert [leaf.prediction for leaf in tree.leaves()] == [2 * leaf.prediction for leaf in plain.leaves()]
    assert f"{2 * plain.leaves()[0].prediction:.6g}" in tree.to_text()
    space: dict[str, Any] = {}
    exec(tree.to_python(), space)
    rows = X.to_dict("records")
    assert [space["predict"](row) for row in rows] == tree.predict(X).tolist()
