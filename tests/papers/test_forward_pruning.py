"""How many hypotheses there are, and trees that stop growing early: rows 55 and 89 to 92."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import treewright as tw

from .arithmetic import entropy, printed, same


def four_bits() -> pd.DataFrame:
    return pd.DataFrame(list(itertools.product("FT", repeat=4)), columns=list("abcd")).astype("category")


def test_row_55_functions_of_four_attributes() -> None:
    inputs = four_bits()
    assert len(inputs) == 16 and 2 ** len(inputs) == 65_536
    for number in np.random.default_rng(55).choice(65_536, 200, replace=False):
        outputs = [str(number >> i & 1) for i in range(16)]
        assert tw.ID3Classifier().fit(inputs, outputs).predict(inputs).tolist() == outputs


def test_row_55_conjunctions_of_four_attributes() -> None:
    inputs = four_bits()
    functions = set()
    for wanted in itertools.product(("T", "F", None), repeat=4):
        holds = np.all([inputs[c] == value for c, value in zip("abcd", wanted, strict=True) if value] or [np.ones(16)], axis=0)
        functions.add(tuple(holds.astype(int).tolist()))
        # A conjunction is one path of the tree, which tests what it names.
        rules = [rule for rule in tw.ID3Classifier().fit(inputs, holds.astype(int)).tree_.to_rules() if rule.says == 1]
        assert [len(rule.when) for rule in rules] == [sum(value is not None for value in wanted)]
    functions.add((0,) * 16)  # a and not a
    assert len(functions) == 3**4 + 1 == 82


def test_row_89_ninety_nine_to_one() -> None:
    X = pd.DataFrame({"x": np.arange(100)})
    y = ["C2"] + ["C1"] * 99
    grown = tw.ID3Classifier().fit(X, y).tree_
    assert grown.root.impurity == printed("0.080793") and grown.root.impurity == same(entropy(99, 1))
    assert grown.n_leaves == 2
    stopped = tw.TreeClassifier(recipe="id3", min_impurity=0.1).fit(X, y)
    assert stopped.tree_.n_nodes == 1
    assert stopped.tree_.root.prediction == "C1"
    assert np.sum(stopped.predict(X) != y) == 1


def test_row_90_before_or_after() -> None:
    emails = tw.datasets.load_emails()
    grown = tw.ID3Classifier().fit(emails.X, emails.y)
    forward = tw.ID3Classifier(max_depth=1).fit(emails.X, emails.y)
    after = grown.prune("pessimistic")
    assert forward.tree_.n_nodes < grown.tree_.n_nodes and after.tree_.n_nodes < grown.tree_.n_nodes
    assert grown.tree_.n_splits == 4


@pytest.mark.parametrize(
    "stop", [{"max_depth": 1}, {"min_samples_split": 6}, {"min_samples_leaf": 4}, {"min_gain": 0.5}, {"min_impurity": 0.98}]
)
def test_row_91_depth_examples_or_a_threshold(stop: dict[str, float]) -> None:
    emails = tw.datasets.load_emails()
    grown = tw.TreeClassifier(recipe="id3").fit(emails.X, emails.y).tree_
    stopped = tw.TreeClassifier(recipe="id3", **stop).fit(emails.X, emails.y).tree_
    assert stopped.n_nodes < grown.n_nodes


def test_row_91_impurity_falls_where_gain_rises() -> None:
    # A node may stop once its impurity is low, or if the best gain is low: the two are compared from opposite sides.
    emails = tw.datasets.load_emails()
    sizes = [
        [tw.TreeClassifier(recipe="id3", **{name: at}).fit(emails.X, emails.y).tree_.n_nodes for at in (0.0, 0.3, 0.7, 1.1)]
        for name in ("min_impurity", "min_gain")
    ]
    for found in sizes:
        assert found == sorted(found, reverse=True)
        assert found[0] > found[-1] == 1


@pytest.mark.parametrize("ties", ["first", "seeded"])
def test_row_92_subtrees_of_less_than_three_examples(ties: str) -> None:
    emails = tw.datasets.load_emails()
    as_shown = {(): "x1", ("T",): "x3", ("F",): "x2", ("T", "F"): "x4"}

    def as_printed(tied: list[str], path: list[tuple[str, int]]) -> str:
        wanted = as_shown.get(tuple("TF"[branch] for _, branch in path))
        return wanted if wanted in tied else tied[0]

    est = tw.ID3Classifier(min_samples_split=3, ties=as_printed if ties == "first" else ties, random_state=0)
    tree = est.fit(emails.X, emails.y).tree_
    assert np.sum(est.predict(emails.X) != emails.y) == 1
    small = [leaf for leaf in tree.leaves() if leaf.weight == 2 and len(leaf.value) == 2]
    assert len(small) == 1
    # One of each: of equal classes the first that is declared.
    assert small[0].value == {"L": 1.0, "S": 1.0} and small[0].prediction == emails.y.cat.categories[0]
    if ties == "first":
        assert tree.n_splits == 3
        assert sorted(emails.X.index[est.apply(emails.X) == small[0].id] + 1) == [3, 9]
