"""The page of a forest: it lists the members, opens any of them, and shows how they vote about a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.peers.record_boosters import table
from tests.peers.test_adopted_boosters import read
from tests.properties.tables import make_case
from treewright.explore import forest as page_of_forests
from treewright.explore.write import model_document
from treewright.model.combine import Vote
from treewright.model.forest import Forest


@pytest.fixture(scope="module")
def iris_forest() -> tuple[Any, Any]:
    data = tw.datasets.load_iris()
    return tw.RandomForestClassifier(12, random_state=0).fit(data.X, data.y), data


def votes(page: Any) -> str:
    return str(page.get_by_role("status", name="how the members vote").inner_text()).replace("\n", " ")


def test_any_member_is_opened(iris_forest: Any, opened: Open) -> None:
    est, data = iris_forest
    page = opened(est, data.X, data.y)
    strip = page.get_by_role("group", name="members")
    assert strip.get_by_role("button").count() == 12
    assert "mean of 12 trees" in page.inner_text(".forest .facts") and "149 of 150 right" in page.inner_text(".forest .facts")
    assert page.inner_text("header h1") == "Member 0 of 12 members"
    strip.get_by_role("button", name="open member 7").click()
    assert page.inner_text("header h1") == "Member 7 of 12 members"
    tree = est.forest_[7]
    assert f"{tree.n_nodes} nodes · {tree.n_leaves} leaves · depth {tree.depth}" in page.inner_text("header .facts")
    assert page.evaluate("treewright.model.n") == tree.n_nodes
    assert strip.get_by_role("button", pressed=True).get_attribute("aria-label") == "open member 7"
    assert "#member=7" in page.url
    colors = "(c) => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"
    assert min(page.evaluate(f"[...document.querySelectorAll('.small canvas')].map({colors})")) > 10
    assert page.requests == [page.url.partition("#")[0]] and page.failed == []


def test_how_the_vote_is_made(iris_forest: Any, opened: Open) -> None:
    est, data = iris_forest
    page = opened(est, data.X, data.y, include_rows=True)
    assert votes(page).startswith("Follow a row")
    for row in (70, 106, 3):
        page.evaluate(f"treewright.app.pickRow({row + 1})")
        told = est.explain(data.X.iloc[[row]])
        said = votes(page)
        for label, n in told.counts.items():
            assert f"{label} {n} of 12" in said
        assert f"→ {told.says}" in said and f"{round(100 * told.share)} % by the mean of their shares" in said
        shown = page.locator(".small .says").all_inner_texts()
        assert shown == list(told.answers)
    page.get_by_role("button", name="open member 5").click()
    assert page.evaluate("treewright.app.store.state.row") == data.X.iloc[3].tolist()  # the row stays
    assert page.evaluate("treewright.app.store.state.follow.says") == told.answers[5]
    page.keyboard.press("Tab")
    page.evaluate("treewright.app.follow(null)")
    assert votes(page).startswith("Follow a row") and page.locator(".small .says").first.inner_text() == ""
    assert page.failed == []


def test_the_address_holds_member_and_row(iris_forest: Any, opened: Open) -> None:
    est, data = iris_forest
    page = opened(est, data.X, data.y, include_rows=True)
    page.evaluate("treewright.open(3); treewright.app.pickRow(71)")
    before, fragment = votes(page), f"#{page.url.partition('#')[2]}"
    again = opened(est, data.X, data.y, include_rows=True, fragment=fragment)
    assert again.evaluate("treewright.member") == 3 and votes(again) == before
    assert opened(est, fragment="#member=99").evaluate("treewright.member") == 0


def test_dark_and_light(iris_forest: Any, opened: Open) -> None:
    page = opened(iris_forest[0], scheme="dark")
    assert page.get_attribute("#explorer", "data-theme") == "dark"
    page.get_by_role("button", name="light or dark").click()
    assert page.get_attribute("#explorer", "data-theme") == "light"
    page.get_by_role("button", name="open member 2").click()
    assert page.get_attribute("#explorer .member", "data-theme") == "light"


def test_the_page_answers_as_the_model(opened: Open) -> None:
    case = make_case(3, 160)
    est = tw.RandomForestClassifier(9, random_state=0).fit(case.X, case.classes)
    page = opened(est)
    rows = case.X.iloc[:40].astype(object).where(case.X.iloc[:40].notna(), None)
    given = rows.to_dict("records")
    assert page.evaluate("(rows) => treewright.predict(rows)", given) == est.predict(case.X.iloc[:40]).tolist()
    assert page.evaluate("(rows) => treewright.votes(rows)", given) == est.forest_.votes(case.X.iloc[:40]).tolist()
    assert page.evaluate("(rows) => treewright.leaf(rows)", given) == est.apply(case.X.iloc[:40]).tolist()
    page.evaluate("treewright.app.follow(treewright.tools.typical())")
    assert page.failed == []


@pytest.mark.parametrize("several", [False, True])
def test_numbers(several: bool, opened: Open) -> None:
    case = make_case(3, 160)
    y = np.stack([case.numbers, -case.numbers], axis=1) if several else case.numbers
    est = tw.RandomForestRegressor(9, random_state=0).fit(case.X, y)
    page = opened(est, case.X, y, include_rows=True)
    page.evaluate("treewright.app.pickRow(4)")
    told = est.explain(case.X.iloc[[3]])
    said = votes(page)
    if several:
        assert "mean of 9 members" in said and said.startswith("→ (")
    else:
        assert "9 members say" in said and f"→ {told.says:.6g}" in said and page.locator(".ticks span").count() == 10
    assert page.failed == []


def test_members_that_are_rules(opened: Open) -> None:
    case = make_case(3, 160)
    members = [tw.RipperClassifier(random_state=seed).fit(case.X, case.classes).ruleset_ for seed in range(4)]
    together = Forest(tuple(members), members[0].schema, members[0].target, (1.0, 2.0, 0.5, 0.6), Vote())
    page = opened(together, case.X, case.classes, include_rows=True)
    page.evaluate("treewright.open(2); treewright.app.pickRow(4)")
    told = together.explain(case.X.iloc[[3]])
    assert page.inner_text("header h1") == "Member 2 of 4 members" and "rule" in page.inner_text("header .facts")
    assert f"→ {told.says}" in votes(page) and "by the votes" in votes(page)
    assert page.locator(".small .says").all_inner_texts() == list(told.answers) and page.failed == []


def test_names_are_harmless(opened: Open) -> None:
    X = pd.DataFrame({"<img src=x onerror=alert(1)>": [1.0, 2, 3, 4] * 5, "b": list("pqrs") * 5})
    est = tw.RandomForestClassifier(4, random_state=0).fit(X, ["<script>alert(1)</script>", "</h1>"] * 10)
    page = opened(est, X, include_rows=True, title="<b>t")
    page.evaluate("treewright.app.pickRow(1)")
    assert "<script>" in votes(page) or "</h1>" in votes(page)
    assert page.inner_text(".forest h1") == "<b>t" and page.locator(".forest b b, img").count() == 0 and page.failed == []


def test_members_beyond_what_a_page_holds_vote(iris_forest: Any, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    est, data = iris_forest
    monkeypatch.setattr(page_of_forests, "_MOST", 40)
    page = opened(est, data.X, data.y, include_rows=True)
    kept = len(model_document(est)["members"])
    assert 0 < kept < 12 and f"{12 - kept} more vote, but are not in this page" in page.inner_text(".strip")
    page.evaluate("treewright.app.pickRow(71)")
    assert " of 12" in votes(page) and page.failed == []


def test_what_a_forest_has_not_is_refused(iris_forest: Any) -> None:
    est, data = iris_forest
    with pytest.raises(ValueError, match="a forest has one size: leave them out"):
        est.explore("page.html", data.X, data.y, folds=3)
    document = model_document(est)
    assert document["quality"] is None and document["rows"] is None and len(document["members"]) == 12
    assert all("columns" not in member for member in document["members"])


def test_keys_are_heard_before_anything_has_the_focus(iris_forest: Any, opened: Open) -> None:
    est, data = iris_forest
    page = opened(est, data.X, data.y, include_rows=True)
    page.keyboard.press("r")
    assert "members vote" not in votes(page) and "→" in votes(page)
    page.get_by_role("button", name="open member 4").click()  # the focus is on the strip, and the keys are those of this member
    page.keyboard.press("Escape")
    assert votes(page).startswith("Follow a row")
    page.keyboard.press("r")
    assert page.evaluate("treewright.app.store.state.row") is not None and "→" in votes(page)
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    page.keyboard.type("r")  # text, not a key
    assert page.evaluate("document.activeElement.value") == "r" and page.failed == []


def test_a_member_does_not_advise_what_forests_lack(iris_forest: Any, opened: Open) -> None:
    est, data = iris_forest
    page = opened(est, data.X, data.y)
    page.evaluate("treewright.app.select(0)")
    assert "why this split" in page.inner_text("aside").lower() and "keep_candidates" not in page.inner_text("body")


@pytest.mark.parametrize("which", ["several", "two", "poisson", "squares"])
def test_boosted_trees_add_up_scores(which: str, opened: Open) -> None:
    forest, X = read("lightgbm", which), table()[0][:30]
    page = opened(forest, X, include_rows=True)
    assert "scores added up by" in page.inner_text(".forest .facts")
    page.evaluate("treewright.app.pickRow(4)")
    told, said = forest.explain(X.iloc[[3]]), votes(page)
    assert f"scores added up by {len(forest)} members" in said
    for score in told.scores:
        assert f"{score.base + score.added:.6g}" in said
    assert f"→ {told.says}" in said if told.shares else f"→ {told.says:.4g}" in said
    for label, part in (told.shares or {}).items():
        assert f"{label} {round(100 * part)} %" in said
    shown = page.locator(".small .says").all_inner_texts()
    assert [float(text) for text in shown] == pytest.approx([float(f"{one:.4g}") for one in told.answers])
    name = page.locator(".small").nth(1).get_attribute("aria-label")
    assert name.startswith("open member 1, which adds ") and name.endswith(" to low" if which == "several" else name[-5:])
    page.get_by_role("button", name="open member 2").first.click()
    assert page.evaluate("treewright.app.store.state.follow.says") == told.answers[2]
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    assert page.evaluate("(rows) => treewright.predict(rows)", rows) == forest.predict(X).tolist()
    assert page.evaluate("(rows) => treewright.votes(rows)", rows) == forest.votes(X).tolist() and page.failed == []


def test_votes_of_several_learners(opened: Open) -> None:
    data = tw.datasets.load_iris()
    members = [("tree", tw.C45Classifier()), ("rules", tw.RipperClassifier()), ("cart", tw.CARTClassifier())]
    est = tw.VotingClassifier(members).fit(data.X, data.y)
    page = opened(est.forest_, data.X, data.y, include_rows=True)
    page.evaluate("treewright.app.pickRow(71)")
    said = est.explain(data.X.iloc[[70]])
    assert page.locator(".small .says").all_inner_texts() == list(said.members.values())
    assert f"→ {said.says}" in votes(page) and page.failed == []
