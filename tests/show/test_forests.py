"""Forests as text, values and pictures: sizes and importances, trees side by side, votes of a row, errors out of bag."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.properties.tables import make_case
from treewright.model.combine import Vote
from treewright.model.forest import Forest

plt = pytest.importorskip("matplotlib.pyplot")


def fitted(regressor: bool = False, members: int = 9, **params: Any) -> tuple[Any, Any]:
    case = make_case(3, 160)
    kind = tw.RandomForestRegressor if regressor else tw.RandomForestClassifier
    return kind(members, random_state=0, **params).fit(case.X, case.numbers if regressor else case.classes), case.X


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def test_text_says_sizes_and_importances() -> None:
    est, X = fitted()
    lines = est.forest_.to_text().splitlines()
    assert lines[0] == f"mean of {est.forest_.size_text}" and lines[1].startswith("  members: leaves ")
    shares = dict(zip(X, est.feature_importances_, strict=True))
    named = [line.split()[0] for line in lines[2:]]
    assert named == sorted(X, key=lambda name: -shares[name])
    assert [float(line.split()[-1]) for line in lines[2:]] == [round(shares[name], 3) for name in named]
    assert str(est.forest_) == est.forest_.to_text()
    short = est.forest_.to_text(max_columns=2, ascii=True)
    assert short.isascii() and short.endswith("... and 4 more columns")


def test_rules_have_no_importances() -> None:
    case = make_case(3, 160)
    members = [tw.RipperClassifier(random_state=seed).fit(case.X, case.classes).ruleset_ for seed in range(3)]
    together = Forest(tuple(members), members[0].schema, members[0].target, (1.0, 2.0, 3.0), Vote())
    assert "weights 1 to 3" in str(together) and "rules" in str(together)
    assert together.data()["importances"] == {} and set(together._repr_mimebundle_()) == {"text/plain", "text/html"}
    with pytest.raises(ValueError, match="the members of this forest are no trees but rules"):
        together.to_svg()


def test_data_are_plain() -> None:
    import json

    est, _ = fitted()
    told = json.loads(json.dumps(est.forest_.data()))
    assert told["n_members"] == 9 == len(told["members"]) and list(told["importances"]) != []
    assert [one["n_leaves"] for one in told["members"]] == [tree.n_leaves for tree in est.forest_]


def boxes(text: str) -> list[Any]:
    space = "{http://www.w3.org/2000/svg}"
    return [group for group in ET.fromstring(text).iter(f"{space}g") if group.find(f"{space}title") is not None]


@pytest.mark.parametrize("regressor", [False, True])
def test_trees_side_by_side(regressor: bool) -> None:
    est, X = fitted(regressor)
    forest = est.forest_
    text = forest.to_svg(members=[2, 5], row=X.iloc[[7]])
    groups = boxes(text)
    assert len(groups) == 2
    said = forest.votes(X.iloc[[7]])[0]
    for group, k in zip(groups, (2, 5), strict=True):
        title = group[0].text
        assert title.startswith(f"{k}: {forest[k].n_leaves} lea") and f"depth {forest[k].depth}" in title
        assert title.endswith(f"→ {said[k]}") if not regressor else "→" in title
        way = [box for box in group if box.get("stroke") == "#1a1a1a"]
        assert len(way) == forest[k].decision_path(X.iloc[[7]]).nnz
    assert text == forest.to_svg(members=[2, 5], row=X.iloc[[7]]) and len(boxes(forest.to_svg())) == 9
    assert 'width="160mm"' in forest.to_svg("160mm")


def test_what_cannot_be_drawn_is_said() -> None:
    est, X = fitted()
    forest = est.forest_
    with pytest.raises(IndexError, match="members: there is no member 9: the forest has 9, numbered from 0"):
        forest.to_svg(members=[9])
    with pytest.raises(ValueError, match="members=0 is not allowed"):
        forest.to_svg(members=0)
    with pytest.raises(ValueError, match="columns=0 is not allowed"):
        forest.to_svg(columns=0)
    with pytest.raises(ValueError, match="row has 2 rows"):
        forest.to_svg(row=X.iloc[:2])
    with pytest.raises(TypeError, match="CARTClassifier holds no forest: give a fitted ensemble"):
        tw.plot_members(tw.CARTClassifier().fit(X[["many"]], X["many"] > 0))
    with pytest.raises(ValueError, match="errors out of bag are not known: fit with oob_score=True"):
        tw.plot_oob_errors(est)


def test_notebooks_show_text_and_trees() -> None:
    est, _ = fitted()
    shown = est.forest_._repr_mimebundle_()
    assert shown["text/plain"] == str(est.forest_) and shown["image/svg+xml"] in shown["text/html"]
    assert max(len(text.encode()) for text in shown.values()) < 100_000
    assert str(est.forest_) in est._repr_mimebundle_()["text/plain"]
    assert "mean of" not in tw.RandomForestClassifier()._repr_mimebundle_()["text/plain"]
    many, _ = fitted(regressor=True, min_samples_leaf=1)
    assert len(many.forest_._repr_mimebundle_()["image/svg+xml"].encode()) <= 60_000


def test_names_are_harmless() -> None:
    case = make_case(3, 80)
    X = case.X.rename(columns={"many": "<script>$x_", "few": "$\\frac"})
    est = tw.RandomForestClassifier(4, random_state=0).fit(X, np.char.add("<i>&$", case.classes))
    shown = est.forest_._repr_mimebundle_()
    assert "<script>" not in shown["text/html"] and "<i>" not in shown["text/html"]
    ET.fromstring(shown["image/svg+xml"])
    for ax in (tw.plot_members(est), tw.plot_importances(est), tw.plot_member_votes(est, X.iloc[0])):
        ax.figure.canvas.draw()


def test_plots_hold_the_data() -> None:
    est, X = fitted(members=40, oob_score=True)
    ax = tw.plot_importances(est, max_columns=3)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(est.feature_importances_)[-3:]
    found = est.explain(X.iloc[5])
    ax = tw.plot_member_votes(est, X.iloc[5])
    assert [bar.get_height() for bar in ax.patches] == list(found.votes.values())
    assert ax.lines[0].get_ydata() == pytest.approx(list(found.shares.values()))
    assert tw.plot_oob_errors(est).lines[0].get_ydata().tolist() == est.oob_errors_.tolist()
    numbers, X = fitted(regressor=True)
    ax = tw.plot_member_votes(numbers, X.iloc[5])
    assert sum(bar.get_height() for bar in ax.patches) == 9 and ax.lines[0].get_xdata()[0] == numbers.predict(X.iloc[[5]])[0]
    ax = tw.plot_members(est, members=3, columns=2)
    assert sum(text.get_text().startswith(("0:", "1:", "2:", "3:")) for text in ax.texts) == 3


@pytest.mark.parametrize("method", ["corrected", "permutation"])
def test_importances_of_every_kind_are_drawn(method: str) -> None:
    data = tw.datasets.load_iris()
    est = tw.RandomForestClassifier(10).fit(data.X, data.y)
    ax = tw.plot_importances(est, method=method, X=data.X, y=data.y, max_columns=3)
    told = sorted(est.importances(method, data.X, data.y).items(), key=lambda pair: pair[1])[-3:]
    assert [text.get_text() for text in ax.get_yticklabels()] == [name for name, _ in told]
    assert [bar.get_width() for bar in ax.patches] == [size for _, size in told]
    with pytest.raises(ValueError, match=r"needs the training table|X"):
        tw.plot_importances(est, method=method)
    with pytest.raises(ValueError, match="method"):
        tw.plot_importances(est, method="gain")
    with pytest.raises(TypeError, match="give it instead of its forest_"):
        tw.plot_importances(est.forest_, method=method, X=data.X, y=data.y)
