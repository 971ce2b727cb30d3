"""What a forest says of one row: the votes of its members, what they asked about, and the way of any of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.properties.tables import make_case
from treewright.model.combine import Mean, Vote
from treewright.model.forest import Forest


def forest(regressor: bool = False, **params: Any) -> Any:
    case = make_case(3, 160)
    kind = tw.RandomForestRegressor if regressor else tw.RandomForestClassifier
    return kind(12, random_state=0, **params).fit(case.X, case.numbers if regressor else case.classes), case.X


def test_votes_are_those_of_the_members() -> None:
    est, X = forest()
    for row in (3, 40, 77):
        found = est.explain(X.iloc[row])
        said = est.forest_.votes(X.iloc[[row]])[0].tolist()
        assert list(found.answers) == said and found.says == est.predict(X.iloc[[row]])[0]
        assert found.counts == Counter(said) and sum(found.votes.values()) == pytest.approx(1)
        assert list(found.shares.values()) == est.predict_proba(X.iloc[[row]])[0].tolist()
        assert found.share == max(found.shares.values())
        assert list(found.counts) == sorted(found.counts, key=lambda one: (-said.count(one), one))  # most first


def test_votes_count_by_weight() -> None:
    est, X = forest()
    weights = tuple(float(k + 1) for k in range(12))
    heavy = Forest(est.forest_.members, est.forest_.schema, est.forest_.target, weights, Vote())
    found = heavy.explain(X.iloc[[3]])
    expected = {label: sum(w for w, said in zip(weights, found.answers, strict=True) if said == label) / 78 for label in "abc"}
    assert found.votes == pytest.approx(expected) and list(found.shares.values()) == pytest.approx(list(expected.values()))
    assert "of the weight" in found.to_text() and "votes of 12 members" in found.to_text()


@pytest.mark.parametrize("params", [{}, {"missing": "fraction"}, {"missing": "surrogate"}], ids=str)
def test_columns_are_those_on_the_ways_of_the_row(params: dict[str, Any]) -> None:
    est, X = forest(**params)
    for row in (3, 5, 90):
        found = est.explain(X.iloc[[row]])
        path, begin = est.decision_path(X.iloc[[row]])
        times: Counter[str] = Counter()
        members: Counter[str] = Counter()
        for m, tree in enumerate(est.forest_.trees):
            nodes = path[0, begin[m] : begin[m + 1]].indices.tolist()
            asked = [tree.node(node).split.column for node in nodes if not tree.node(node).is_leaf]
            times.update(asked)
            members.update(set(asked))
        assert {one.column: one.times for one in found.asked} == times
        assert {one.column: one.members for one in found.asked} == members
        assert [one.members for one in found.asked] == sorted((one.members for one in found.asked), reverse=True)


def test_the_way_of_one_member() -> None:
    est, X = forest()
    found = est.explain(X.iloc[3])
    assert str(found.member(4)) == str(est.forest_.members[4].explain(X.iloc[3])) and found.member(4).says == found.answers[4]
    assert str(found.member(-1)) == str(found.member(11))
    with pytest.raises(IndexError, match="there is no member 12: the forest has 12, numbered from 0"):
        found.member(12)


def test_numbers_have_a_spread() -> None:
    est, X = forest(regressor=True)
    found = est.explain(X.iloc[[3]])
    said = est.forest_.votes(X.iloc[[3]])[0]
    assert found.spread == pytest.approx(np.quantile(said, [0, 0.25, 0.5, 0.75, 1])) and found.votes is None
    assert found.says == est.predict(X.iloc[[3]])[0] and "12 members say " in str(found)
    assert est.forest_.reasons(X.iloc[:2])[0].startswith("12 members say ")


def test_several_numbers() -> None:
    case = make_case(3, 80)
    est = tw.RandomForestRegressor(5, random_state=0).fit(case.X, np.stack([case.numbers, -case.numbers], axis=1))
    found = est.explain(case.X.iloc[[0]])
    assert list(found.says) == est.predict(case.X.iloc[[0]])[0].tolist() and found.spread is None and str(found)
    assert len(est.forest_.reasons(case.X)) == 80


def test_members_that_are_rules() -> None:
    case = make_case(3, 160)
    members = [tw.RipperClassifier(random_state=seed).fit(case.X, case.classes).ruleset_ for seed in range(4)]
    together = Forest(tuple(members), members[0].schema, members[0].target, (1.0,) * 4, Mean())
    found = together.explain(case.X.iloc[[3]])
    assert found.says == together.predict(case.X.iloc[[3]])[0]
    assert found.member(2).says == found.answers[2] and len(together.reasons(case.X)) == 160


def test_texts_are_harmless() -> None:
    case = make_case(3, 120)
    X = case.X.rename(columns={"few": "<b>few\n", "many": "<script>"})
    est = tw.RandomForestClassifier(5, random_state=0).fit(X, np.char.add("<i>", case.classes))
    found = est.explain(X.iloc[[3]])
    card = found._repr_mimebundle_()["text/html"]
    assert "<script>" not in card and "<i>" not in card and "<b>few" not in card and "&lt;i&gt;" in card
    assert found.to_text().count("\n") == len(found.counts) + len(found.asked) + 1 and "\n" not in found.to_sentence()


def test_one_row_at_a_time() -> None:
    est, X = forest()
    with pytest.raises(ValueError, match=r"2 rows were given: explain one row, such as X.iloc\[\[0\]\]"):
        est.forest_.explain(X.iloc[:2])
    told = est.explain(X.iloc[[0]]).to_dict()
    assert told["says"] in "abc" and len(told["answers"]) == 12 and told["asked"][0]["members"] <= 12
