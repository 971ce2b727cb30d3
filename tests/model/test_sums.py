"""A tree over sums of several columns: what is said of it, and what its rules refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.sums import FIRST, SECOND, kinds_of, table, tree_over
from tests.properties.test_derived_numbers import derived, made, over_several, tree_of_one
from treewright import _core
from treewright.model.gates import SoftThreshold

FILL = [0.25, 1.0, 0.0]


@pytest.fixture(scope="module")
def sums() -> tuple[tw.Tree, pd.DataFrame]:
    cells, labels = made(1, 300)
    X = pd.DataFrame({"a": cells[0], "b": cells[1], "c": pd.Categorical.from_codes(cells[2], ["u", "v", "w"])})
    fitted = tw.TreeClassifier(max_depth=1).fit(X, np.where(labels == 1, "yes", "no")).tree_
    plain = tree_of_one(derived(cells, FILL), labels, max_depth=3)
    return tw.Tree(_core.Tree.from_state(over_several(plain, FILL)), fitted.schema, fitted.target).validate(), X


def test_every_column_of_a_sum_is_used(sums: tuple[tw.Tree, pd.DataFrame]) -> None:
    tree, _ = sums
    assert tree.used_columns == ["a", "b", "c"]
    fall = sum(node.weight * node.gain for node in tree.nodes() if not node.is_leaf)
    assert tree.importances() == pytest.approx(dict.fromkeys("abc", fall / 3))


def test_explained_by_the_sum(sums: tuple[tw.Tree, pd.DataFrame]) -> None:
    tree, X = sums
    for row in range(20):
        text = str(tree.explain(X.iloc[[row]]))
        assert "0.5 * a - 2 * b + 1.5 * (c = v) " in text
        assert f"→ {tree.predict(X.iloc[[row]])[0]}" in text


@pytest.mark.parametrize(
    "ask",
    [
        lambda rules, X, y, path: rules.save(path),
        lambda rules, X, y, path: rules.simplify(X, y),
        lambda rules, X, y, path: rules.add("if a > 1 then target = no"),
    ],
)
def test_rules_of_sums_are_not_edited(sums: tuple[tw.Tree, pd.DataFrame], tmp_path: Any, ask: Callable[..., Any]) -> None:
    tree, X = sums
    path = tmp_path / "rules.json"
    with pytest.raises(ValueError, match="rules that test sums of several columns are not edited or saved"):
        ask(tree.to_rules(), X, tree.predict(X), path)
    assert not path.exists()


def test_rules_of_sums_answer_as_the_tree(sums: tuple[tw.Tree, pd.DataFrame]) -> None:
    tree, X = sums
    assert tree.to_rules().predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("fill", [FILL, [np.nan] * 3], ids=["filled", "missing with a cell"])
def test_conditions_on_one_sum_are_put_together(fill: list[float]) -> None:
    cells, labels = made(1, 300)
    X = pd.DataFrame({"a": cells[0], "b": cells[1], "c": pd.Categorical.from_codes(cells[2], ["u", "v", "w"])})
    fitted = tw.TreeClassifier(max_depth=1).fit(X, np.where(labels == 1, "yes", "no")).tree_
    plain = tree_of_one(derived(cells, fill), labels, max_depth=4)
    tree = tw.Tree(_core.Tree.from_state(over_several(plain, fill)), fitted.schema, fitted.target)
    inner = [node.id for node in tree.nodes() if not node.is_leaf]
    assert len(inner) > 4 and {tree.splits.source(id).index for id in inner} == {3}
    assert all(len(rule.when) == 1 for rule in tree.to_rules())
    assert any(rule.when[0].low is not None and rule.when[0].high is not None for rule in tree.to_rules())
    assert tree.to_rules().predict(X).tolist() == tree.predict(X).tolist()


def test_sums_are_numbered_in_the_order_of_their_first_nodes() -> None:
    X = table()
    tree = tree_over(X, kinds_of(X), [FIRST, SECOND], [0], max_depth=4)
    numbered: dict[str, int] = {}
    for node in tree.nodes():
        if not node.is_leaf and (source := tree.splits.source(node.id)).equation is not None:
            assert source.index == 3 + numbered.setdefault(source.column.name, len(numbered))
    assert len(numbered) == 2


def test_cuts_of_a_sum_are_no_values_of_its_first_column(tmp_path: Any) -> None:
    cells, labels = made(1, 300)
    a = np.clip(np.nan_to_num(cells[0]).round(), -1, 1)
    ordered = pd.Categorical.from_codes((a + 1).astype(int), ["low", "middle", "high"], ordered=True)
    X = pd.DataFrame({"a": ordered, "b": cells[1], "c": pd.Categorical.from_codes(cells[2], ["u", "v", "w"])})
    fitted = tw.TreeClassifier(max_depth=1).fit(X, np.where(labels == 1, "yes", "no")).tree_
    plain = tree_of_one(derived([a + 1, cells[1], cells[2]], FILL), labels, max_depth=2)
    tree = tw.Tree(_core.Tree.from_state(over_several(plain, FILL)), fitted.schema, fitted.target).validate()
    assert float(np.min(tree.node_columns.cut_at)) < -1
    tree.save(tmp_path / "tree.json")
    assert tw.load(tmp_path / "tree.json") == tree


def test_pictures_and_data_name_the_sum(sums: tuple[tw.Tree, pd.DataFrame]) -> None:
    tree, X = sums
    name = "0.5 * a - 2 * b + 1.5 * (c = v)"
    assert tree.data()["nodes"][0]["asks"] == name
    assert tree.trace()[0].column == name
    assert "svg" in tree.to_svg(X=X)
    with pytest.raises(ValueError, match="has no box"):
        tree.regions()


def test_a_gate_on_a_sum(sums: tuple[tw.Tree, pd.DataFrame]) -> None:
    tree, X = sums
    split = tree.root.split
    assert split is not None
    soft = tree.with_gates({0: SoftThreshold(0, split.column, split.cuts[0] - 1, split.cuts[0], split.cuts[0] + 1)})
    assert np.any(soft.predict_proba(X) != tree.predict_proba(X))
    np.testing.assert_allclose(soft.predict_proba(X).sum(axis=1), 1)
