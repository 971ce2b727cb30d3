"""A vote is a forest of its members: it answers as the vote does, and is drawn, explained and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import treewright as tw
from tests.properties.tables import make_case

CLASSIFIERS = [
    ("tree", tw.C45Classifier()),
    ("rules", tw.RipperClassifier()),
    ("many", tw.RandomForestClassifier(5, random_state=0)),
]
REGRESSORS = [("tree", tw.CARTRegressor(max_depth=4)), ("equations", tw.M5Regressor()), ("rules", tw.M5RulesRegressor())]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weights", [None, [2, 1, 0]])
@pytest.mark.parametrize("kind", ["text", "whole", "yes"])
def test_classes(voting: str, weights: Any, kind: str) -> None:
    case = make_case(3, 160)
    codes = np.unique(case.classes, return_inverse=True)[1]
    y = {"text": case.classes, "whole": 10 - codes, "yes": codes > 0}[kind]
    est = tw.VotingClassifier(CLASSIFIERS, voting=voting, weights=weights).fit(case.X, y)
    forest, rows = est.forest_, make_case(4, 90).X
    assert forest.target.classes == tuple(est.classes_.tolist()) and len(forest) == (3 if weights is None else 2)
    assert forest.combine.kind == ("vote" if voting == "hard" else "mean")
    np.testing.assert_array_equal(forest.predict(rows), est.predict(rows))
    if voting == "soft":
        np.testing.assert_allclose(forest.predict_proba(rows), est.predict_proba(rows), atol=1e-12)
    told = est.explain(rows.iloc[[5]])
    assert list(told.members.values())[: len(forest)] == [member.predict(rows.iloc[[5]])[0] for member in forest]
    assert str(forest.explain(rows.iloc[[5]]).says) == str(told.says)
    assert len(forest.reasons(rows[:3])) == 3 and f"say {told.says}" in forest.reasons(rows.iloc[[5]])[0]
    assert all(str(label) in forest[0].to_text() for label in est.classes_.tolist())  # members say classes, not positions


def test_numbers(tmp_path: Path) -> None:
    case = make_case(3, 160)
    est = tw.VotingRegressor(REGRESSORS, weights=[1, 2, 0.5]).fit(case.X, case.numbers)
    rows = make_case(4, 90).X
    np.testing.assert_allclose(est.forest_.predict(rows), est.predict(rows), rtol=1e-12)
    est.save(tmp_path / "vote.json")
    assert tw.load(tmp_path / "vote.json").forest_ == est.forest_


def test_the_target_keeps_its_name(tmp_path: Path) -> None:
    iris = tw.datasets.load_iris()
    members = [("tree", tw.C45Classifier()), ("rules", tw.RipperClassifier())]
    for kind in (tw.VotingClassifier, tw.StackingClassifier):
        est = kind(members).fit(iris.X, iris.y)
        est.save(tmp_path / "m.json")
        assert (est.target_name_, tw.load(tmp_path / "m.json").target_name_) == ("species", "species")
    assert tw.VotingClassifier(members).fit(iris.X, iris.y).forest_.target.name == "species"


def test_what_has_no_model_is_refused() -> None:
    iris = tw.datasets.load_iris()
    other = tw.VotingClassifier([("tree", tw.C45Classifier()), ("line", LogisticRegression(max_iter=500))]).fit(iris.X, iris.y)
    with pytest.raises(TypeError, match=r"line=.* is no estimator of treewright"):
        other.forest_  # noqa: B018
    stack = tw.StackingClassifier([("tree", tw.C45Classifier())])
    inner = tw.VotingClassifier([("tree", tw.C45Classifier()), ("stack", stack)]).fit(iris.X, iris.y)
    with pytest.raises(TypeError, match=r"stack=.* has no model of its own"):
        inner.forest_  # noqa: B018
