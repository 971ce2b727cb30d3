"""Rules with equations: each is the best leaf of the rows left; text, files, edits and missing cells."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import make_case, modest
from treewright.model.linear import Equation


def rows(seed: int, n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    X = make_case(seed, n).X
    rng = np.random.default_rng(seed)
    number = X.select_dtypes("number").iloc[:, 0].fillna(0).to_numpy(float)
    return X, number + 3 * (X["text"] == X["text"].dropna().iloc[0]) + rng.normal(size=n)


@modest(15)
@given(seed=st.integers(0, 10**6), variant=st.sampled_from(["m5p", "m5"]), smoothing=st.sampled_from(["m5", "none"]))
def test_the_first_rule_is_the_heaviest_leaf_of_the_model_tree(seed: int, variant: str, smoothing: str) -> None:
    X, y = rows(seed)
    rules = tw.M5RulesRegressor(variant=variant, smoothing=smoothing, pruned=False, min_samples_split=30).fit(X, y).ruleset_
    tree = tw.M5Regressor(variant=variant, smoothing=smoothing, pruned=False, min_samples_split=30).fit(X, y).tree_
    best = max(tree.to_rules(), key=lambda rule: rule.weight)
    first = rules[0] if len(rules) else rules.otherwise
    assert first == best
    assert len(rules) > 0
    # The rest is what the rows that are left would give, but for fills and orders of levels, which are those of the whole table.
    rest = X.drop(columns=X.select_dtypes(exclude="number").columns).fillna(0)
    again = tw.M5RulesRegressor(variant=variant, smoothing=smoothing, pruned=False, min_samples_split=30).fit(rest, y).ruleset_
    left = again.apply(rest) != 0
    if left.any():
        second = (
            tw.M5RulesRegressor(variant=variant, smoothing=smoothing, pruned=False, min_samples_split=30)
            .fit(rest[left], y[left])
            .ruleset_
        )
        assert [rule.weight for rule in second] == [rule.weight for rule in again][1:]
        assert second.predict(rest[left]) == pytest.approx(again.predict(rest[left]), rel=1e-6, abs=1e-6)


@modest(15)
@given(seed=st.integers(0, 10**6), smoothing=st.sampled_from(["m5", "none"]))
def test_rules_of_a_model_tree_say_what_the_tree_says(seed: int, smoothing: str) -> None:
    X, y = rows(seed)
    y = y + 4 * (X["cat"] == X["cat"].mode().iloc[0])  # the level that missing cells are read as
    est = tw.M5Regressor(smoothing=smoothing, pruned=False, min_samples_split=40).fit(X, y)
    other = rows(seed + 1)[0].astype({"text": object})
    other["text"] = other["text"].where(other["text"].isin(set(X["text"].dropna())))
    other["cat"] = other["cat"].where(other["cat"].isin(set(X["cat"].dropna())))
    other.loc[::3, "cat"] = None
    assert np.array_equal(est.tree_.to_rules().predict(other), est.predict(other))


@modest(15)
@given(seed=st.integers(0, 10**6))
def test_equations_are_read_back_from_text_and_files(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    X, y = rows(seed)
    est = tw.M5RulesRegressor().fit(X, y)
    path = tmp_path_factory.mktemp("rules") / "m.json"
    est.save(path)
    other, _ = rows(seed + 1)
    other["text"] = other["text"].where(other["text"].isin(set(X["text"].dropna())))
    other["cat"] = other["cat"].where(other["cat"].isin(set(X["cat"].dropna())))
    said = est.predict(other)
    rules = est.ruleset_
    for again in (rules.parse(rules.to_text(full=True)), pickle.loads(pickle.dumps(rules)), tw.load(path).ruleset_):
        assert again == rules
        assert np.array_equal(again.predict(other), said)


def bent() -> tuple[pd.DataFrame, pd.Series]:
    x = np.arange(40.0)
    color = pd.Categorical(np.where(x % 2 == 0, "red", "a or b"))
    y = np.where(x < 20, x, 100 - 2 * x) + 5 * (color == "red")
    return pd.DataFrame({"x - 1": x, "color": color}), pd.Series(y, name="y")


def test_terms_say_what_missing_cells_count_as() -> None:
    X, y = bent()
    rules = tw.M5RulesRegressor(smoothing="none").fit(X, y).ruleset_
    says = rules[0].says
    assert isinstance(says, Equation)
    numbers, levels = (next(t for t in says.terms if (t.levels is None) == plain) for plain in (True, False))
    assert numbers.missing == pytest.approx(19.5)
    assert levels.levels == ("red",)
    empty = pd.DataFrame({"x - 1": [np.nan], "color": pd.Categorical([None], categories=["a or b", "red"])})
    where = rules.apply(empty)[0]
    decides = rules.otherwise if where < 0 else rules[where]
    assert decides is not None
    assert rules.predict(empty)[0] == pytest.approx(decides.says.middle)
    full = rules.to_text(full=True)
    assert "* 'x - 1' [19.5 if missing]" in full
    assert rules.parse(full) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y = 1 + 2 * colour", "colour"),
        ("y = 1 + 2 * color", "has levels"),
        ("y = 1 + 2 * (color = green)", "green"),
        ("y = 1 + two * color", "must be a number"),
        ("y = 1 + 2 * 'x - 1' + 3", "number \\* column"),
        ("y = 1e999 + 2 * 'x - 1'", "finite number"),
        ("y = 1 + 2 * ('x - 1' = 3)", "column = level"),
    ],
)
def test_equations_that_cannot_be_read(text: str, message: str) -> None:
    X, y = bent()
    rules = tw.M5RulesRegressor().fit(X, y).ruleset_
    with pytest.raises(ValueError, match=message):
        rules.parse_rule(text)


def test_edits_and_simplification_keep_equations() -> None:
    X, y = bent()
    rules = tw.M5RulesRegressor(smoothing="none").fit(X, y).ruleset_
    more = rules.add("if 'x - 1' <= 2 then y = 7 + 2 * 'x - 1'", 0, X, y)
    assert more[0].weight == 3
    assert more.predict(X)[:3].tolist() == [7.0, 9.0, 11.0]
    assert more[0].spread == pytest.approx(np.sqrt(np.mean((y[:3] - [7, 9, 11]) ** 2)))
    plain = np.where(X["x - 1"] < 20, X["x - 1"], 100 - 2 * X["x - 1"])
    exact = tw.M5Regressor(smoothing="none").fit(X, plain).tree_.to_rules()
    short = exact.change(0, "color = red").simplify(X, plain)
    assert short.rules == exact.rules
    assert short.errors(X, plain) == pytest.approx(0, abs=1e-12)
    json = rules.to_json()
    assert '"coefficient"' in json
    assert "x - 1" in str(rules.to_frame()["then"][0])


@pytest.mark.parametrize("leaf", ["linear", "constant"])
def test_other_choices(leaf: str, tmp_path: Path) -> None:
    X, y = rows(3, 200)
    est: Any = tw.M5RulesRegressor(leaf=leaf, pruned=False, min_samples_split=20).fit(X, y)
    kinds = {isinstance(rule.says, Equation) for rule in est.ruleset_}
    assert kinds == ({False} if leaf == "constant" else {True}) or leaf == "linear"
    with pytest.raises(ValueError, match="smoothing"):
        tw.M5RulesRegressor(smoothing="blend").fit(X, y)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    twice = tw.M5RulesRegressor().fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights)).ruleset_
    once = tw.M5RulesRegressor().fit(X, y, sample_weight=weights).ruleset_
    assert [rule.weight for rule in once] == [rule.weight for rule in twice]
    assert once.predict(X) == pytest.approx(twice.predict(X))
