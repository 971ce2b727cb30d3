"""Whatever is passed to the methods of rules: an answer, or an error that this package words itself."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBERS = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 7})
BENT = np.where(NUMBERS["a"] < 20, NUMBERS["a"], 100 - 2 * NUMBERS["a"])


@cache
def made(name: str) -> tuple[tw.RuleSet, Any, Any]:
    """Rules of a kind, with a table and its target."""
    data = tw.datasets.load_play_tennis()
    if name == "votes":
        return tw.ID3Classifier().fit(data.X, data.y).tree_.to_rules(), data.X, data.y
    if name == "list":
        return tw.PartClassifier().fit(data.X, data.y).ruleset_, data.X, data.y
    if name == "equations":
        return tw.M5RulesRegressor(smoothing="none").fit(NUMBERS, BENT).ruleset_, NUMBERS, BENT
    if name == "scores":
        classes = NUMBERS["a"] > 20
        return tw.LogisticTreeClassifier().fit(NUMBERS, classes).tree_.to_rules(), NUMBERS, classes
    both = np.column_stack([BENT, BENT])
    return tw.CARTRegressor(max_depth=2).fit(NUMBERS, both).tree_.to_rules(), NUMBERS, both


KINDS = ["votes", "list", "equations", "scores", "several"]
TENNIS = tw.datasets.load_play_tennis().X
WRONG: list[Any] = [
    None, 3, -1, 10**30, 2.5, float("nan"), True, complex(1, 2), "text", "if x then", b"x", [], {}, set(), (1,), [None], ["x"],
    [1, 2], [[1, 2], [3]], {"a": 1}, {"a": [1, 2]}, range(3), object(), len, tw.Rule, np.array(3.0), np.zeros((0, 2)),
    np.zeros((2, 2, 2)), np.array(["a", None], object), np.datetime64("2020-01-01"), pd.DataFrame(), pd.DataFrame({"q": [1]}),
    TENNIS.iloc[:0], NUMBERS.iloc[:0], TENNIS.iloc[:, 1:], TENNIS.iloc[:, ::-1], pd.Series([1, 2]), ["x"] * 40, ["x"] * 14,
    tw.Rule((), "yes"), tw.Rule((), 1.0),
]  # fmt: skip


def answered(call: Callable[[], Any]) -> None:
    """Call; an error must be one of three kinds, and raised by a line of this package that says so."""
    told: Exception | None = None
    try:
        call()
    except (ValueError, TypeError, IndexError) as error:
        told = error
    if told is not None:
        last = traceback.extract_tb(told.__traceback__)[-1]
        assert "treewright" in last.filename, told
        assert (last.line or "").startswith("raise"), told
        assert len(str(told)) > 15


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", range(len(WRONG)))
def test_wrong_arguments_are_told_of(kind: str, place: int, tmp_path: Any) -> None:
    rules, X, y = made(kind)
    wrong = WRONG[place]
    for name in ("matches", "apply", "predict", "predict_proba", "explain", "parse", "parse_rule", "add", "drop", "reorder"):
        answered(lambda name=name: getattr(rules, name)(wrong))
    for name in ("scored", "errors", "simplify", "dnf"):
        answered(lambda name=name: getattr(rules, name)(wrong, y))
        answered(lambda name=name: getattr(rules, name)(X, wrong))
        answered(lambda name=name: getattr(rules, name)(X, y, wrong))
    rule = rules[0]
    own = rule.when[0] if rule.when else "a <= 3"
    for call in (
        lambda: rules[wrong],
        lambda: rules.simplify(X, y, confidence=wrong),
        lambda: rules.add(rule, at=wrong),
        lambda: rules.change(wrong, own),
        lambda: rules.change(0, wrong),
        lambda: rules.change(0, own, says=wrong),
        lambda: rules.drop(0, X=wrong, y=y),
        lambda: rules.drop(0, X=X, y=wrong),
        lambda: rule.text(wrong),
        lambda: rule.answer(wrong),
        lambda: rule.condition(wrong),
        lambda: rule.implies(wrong),
        lambda: tw.RuleSet(wrong, rules.schema, rules.target),
        lambda: tw.RuleSet(rules.rules, wrong, rules.target),
        lambda: tw.RuleSet(rules.rules, rules.schema, wrong),
        lambda: tw.RuleSet(rules.rules, rules.schema, rules.target, True, wrong),
    ):
        answered(call)
    if not isinstance(wrong, (str, bytes)):
        with pytest.raises((TypeError, ValueError), match=r"path of a file|for reading"):
            rules.save(wrong)


@pytest.mark.parametrize(("kind", "what"), [("scores", "scores of classes"), ("several", "several numbers")])
def test_rules_for_reading_say_so(kind: str, what: str) -> None:
    rules, X, y = made(kind)
    for call in (
        lambda: rules.parse(str(rules)),
        lambda: rules.parse_rule(str(rules[0])),
        lambda: rules.add(rules[0]),
        lambda: rules.change(0, "a <= 3"),
        lambda: rules.predict(X),
        lambda: rules.scored(X, y[:, 0] if kind == "several" else y),
        lambda: rules.save("never.json"),
    ):
        with pytest.raises(ValueError, match=f"rules that say {what} are for reading.*the tree they were read from"):
            call()
    assert len(rules.dnf()) == len({rule.says for rule in rules})
    assert all(each.text() for each in rules.dnf())


def test_learners_with_wrong_arguments() -> None:
    X, y = NUMBERS, NUMBERS["a"] > 20
    with pytest.raises(ValueError, match="requires y"):
        tw.TreeColumns().fit(X, None)
    kept = tw.TreeColumns().fit(X, y)
    for wrong in (3, ["a"], ["a", "z"]):
        with pytest.raises(ValueError, match="are not the 2 columns"):
            kept.get_feature_names_out(wrong)
    with pytest.raises(TypeError, match="estimator must be one that can be fitted"):
        tw.distil(kept.tree_, X, 3)
    with pytest.raises(ValueError, match="y"):
        tw.RipperClassifier().fit(X, np.array(3.0))
    with pytest.raises(ValueError, match="categorical_features"):
        tw.RipperClassifier(categorical_features=np.array(2.5)).fit(X, y)
    with pytest.raises(TypeError, match="loaded from the path"):
        tw.load(None)
