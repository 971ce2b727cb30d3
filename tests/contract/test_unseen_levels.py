"""Levels at predict that never occurred in training: declared ones are treated like the others, but for the warning."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

import treewright as tw

TRAINING = pd.DataFrame({"c": pd.Categorical(list("aabb"), list("abz"))})
LABELS = [0, 0, 1, 1]
# "z" is declared and never occurs, "q" is not even declared.
ASKED = {
    "declared": pd.DataFrame({"c": pd.Categorical(["z"], list("abz"))}),
    "undeclared": pd.DataFrame({"c": ["q"]}),
}
BINARY = ["subset", "one_vs_rest"]


def fitted(**parameters: Any) -> tw.TreeClassifier:
    return tw.TreeClassifier(**parameters).fit(TRAINING, LABELS)


@pytest.mark.parametrize("nominal", BINARY)
def test_counted_in_a_warning(nominal: str) -> None:
    with pytest.warns(tw.UnseenLevelWarning, match="1 cell in 1 row holds a level never seen"):
        fitted(nominal=nominal).predict(ASKED["undeclared"])


@pytest.mark.parametrize("nominal", BINARY)
def test_a_declared_level_is_missing_without_a_warning(nominal: str) -> None:
    est, missing = fitted(nominal=nominal), pd.DataFrame({"c": pd.Categorical([None], list("abz"))})
    assert est.predict_proba(ASKED["declared"]).tolist() == est.predict_proba(missing).tolist()


@pytest.mark.parametrize("n", [5, 6])
def test_a_few_of_many_levels_are_named(n: int) -> None:
    with pytest.warns(tw.UnseenLevelWarning, match=f"{n + 1} cells in {n + 1} rows hold levels never seen") as caught:
        fitted().predict(pd.DataFrame({"c": [*(f"q{k}" for k in range(n)), "q0"]}))
    told = "c: 'q0' 2, 'q1' 1, 'q2' 1, 'q3' 1, 'q4' 1" + (", …" if n > 5 else "")
    assert f"({told});" in str(caught[0].message)


@pytest.mark.parametrize("regression", [False, True])
def test_the_warning_names_the_caller(regression: bool) -> None:
    est = tw.CARTRegressor() if regression else tw.C45Classifier()
    with pytest.warns(tw.UnseenLevelWarning) as caught:
        est.fit(TRAINING, LABELS).predict(ASKED["undeclared"])
    assert [each.filename for each in caught] == [__file__]


@pytest.mark.parametrize("which", ASKED)
@pytest.mark.parametrize("nominal", BINARY)
def test_an_error_on_request(nominal: str, which: str) -> None:
    with pytest.raises(ValueError, match="never seen in training"):
        fitted(nominal=nominal, unseen="error").predict(ASKED[which])


@pytest.mark.parametrize("which", ASKED)
@pytest.mark.parametrize("nominal", BINARY)
def test_refused_where_missing_cells_are(nominal: str, which: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.UnseenLevelWarning)
        with pytest.raises(ValueError, match=r"'c'|never seen in training"):
            fitted(nominal=nominal, missing="refuse").predict(ASKED[which])


@pytest.mark.parametrize("which", ASKED)
@pytest.mark.parametrize("missing", ["learned", "majority", "ignore", "most_common"])
@pytest.mark.parametrize("nominal", BINARY)
def test_rules_follow_the_tree(nominal: str, missing: str, which: str) -> None:
    tree = fitted(nominal=nominal, missing=missing).tree_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.UnseenLevelWarning)
        (leaf,) = tree.apply(ASKED[which])
        (fires,) = tree.to_rules().matches(ASKED[which])
    assert [rule.leaf for rule, fired in zip(tree.to_rules(), fires, strict=True) if fired] == [leaf]


@pytest.mark.parametrize("which", ASKED)
def test_rules_follow_the_tree_where_presence_is_asked(which: str) -> None:
    X = pd.DataFrame({"c": pd.Categorical(["a", "a", None, None], list("abz"))})
    tree = tw.TreeClassifier(nominal="multiway").fit(X, LABELS).tree_
    assert tree.root.split.family == "presence"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.UnseenLevelWarning)
        (leaf,) = tree.apply(ASKED[which])
        (fires,) = tree.to_rules().matches(ASKED[which])
    assert [rule.leaf for rule, fired in zip(tree.to_rules(), fires, strict=True) if fired] == [leaf]


def test_a_branch_of_its_own_is_no_stranger() -> None:
    model = fitted(nominal="multiway", unseen="error")
    assert model.predict(ASKED["declared"]).tolist() == [0]
    (fires,) = model.tree_.to_rules().matches(ASKED["declared"])
    assert fires.tolist() == [False, False, True]
