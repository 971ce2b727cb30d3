"""The page of the workbench in a real browser: every verb, found by role, and what it makes of the tree."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.workbench.screen import iris, large, press, select, settled, told, until, well

TENNIS = tw.datasets.load_play_tennis()


def bench_of(model: Any, X: Any, y: Any, **how: Any) -> Any:
    return model.workbench(X, y, browser=False, **how)


@pytest.fixture(params=["small", "large"])
def bench(request: Any) -> Any:
    if request.param == "small":
        model, X, y = iris()
    else:
        X, y = large()
        model = tw.CARTClassifier(max_depth=3).fit(X, y)
    with bench_of(model, X, y, folds=3) as out:
        out.again = lambda: model.edit(X, y)
        yield out


def test_each_verb_makes_what_it_makes_in_python(shown: Any, bench: Any) -> None:
    page, edit = shown(bench), bench.edit
    before, same = edit.tree, bench.again()
    select(page, 2)
    press(page, bench, "Cut")
    assert edit.tree.by_hand == {2: "cut by hand"}
    press(page, bench, "Grow a level")
    press(page, bench, "Lock")
    assert edit.locked == [2]
    assert page.get_by_role("button", name="Cut", exact=True).count() == 0
    press(page, bench, "Unlock")
    press(page, bench, "Cut")
    page.get_by_label("what the leaf says").select_option(index=0)
    press(page, bench, "Say so")
    assert edit.tree.node(2).prediction == edit.tree.target.classes[0]
    page.get_by_text("Grow anew with other parameters").click()
    page.get_by_label("parameters that are other").fill("max_depth=1, min_samples_leaf=4")
    press(page, bench, "Regrow")
    assert edit.tree.node(2).split is not None
    assert edit.edits[-1]["parameters"] == {"max_depth": 1, "min_samples_leaf": 4}
    press(page, bench, "Grow all")
    whole = edit.tree
    same.cut(2), same.grow(2), same.lock(2), same.unlock(2), same.cut(2), same.relabel(2, edit.tree.target.classes[0])
    same.regrow(2, max_depth=1, min_samples_leaf=4), same.grow(2, steps=None)
    assert whole == same.tree
    for _ in range(bench.edit.steps[0]):
        press(page, bench, "Undo")
    assert edit.tree is before
    assert page.get_by_role("button", name="Undo").is_disabled()
    for _ in range(bench.edit.steps[1]):
        press(page, bench, "Redo")
    assert edit.tree is whole
    well(page, bench)


def test_alternatives_are_ranked_and_taken(shown: Any, bench: Any) -> None:
    page = shown(bench)
    select(page, 1 if bench.tree.node(1).split else 2)
    node = page.evaluate("workbench.inside().app.store.state.selected")
    best = bench.edit.alternatives(node)
    lines = page.locator(".alternatives li")
    assert lines.count() == min(12, len(best))
    for k, each in enumerate(best[:12]):
        text = lines.nth(k).inner_text()
        assert each.column in text
        assert float(lines.nth(k).locator(".gain").inner_text()) == pytest.approx(each.gain, rel=1e-2)
        assert page.evaluate("k => document.querySelectorAll('.picture')[k].toDataURL().length", k) > 600  # something is drawn
    version = bench.session.version
    lines.nth(1).get_by_role("button", name="Use").click()
    settled(page, bench, version + 1)
    assert bench.tree.node(node).split.column == best[1].column
    assert bench.tree.by_hand == {node: "split by hand"}
    assert told(page) == "split"
    well(page, bench)


def test_a_threshold_is_dragged_without_a_request(shown: Any, bench: Any) -> None:
    page, edit = shown(bench), bench.edit
    select(page, 0)
    names = page.evaluate("workbench.state.columns")
    numeric = page.evaluate("workbench.state.levels").index(False)
    page.get_by_label("split by another column").select_option(str(numeric))
    slider = page.get_by_role("slider", name=f"threshold of {names[numeric]}")
    slider.wait_for()
    page.wait_for_timeout(200)
    asked = len(page.requests)
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 50)
    page.mouse.down()
    seen = set()
    for part in (0.3, 0.5, 0.6, 0.7):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + 50)
        seen.add(slider.get_attribute("aria-valuetext"))
    page.mouse.up()
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 50)
    assert slider.get_attribute("aria-valuetext") in seen  # let go
    assert len(seen) == 4
    cut = page.evaluate("workbench.panel.current().value()")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("workbench.panel.current().value()") > cut
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    cut = page.evaluate("workbench.panel.current().value()")
    assert [url for url in page.requests[asked:] if not url.endswith("/api/version")] == []
    X, *_ = bench.session.rows
    below = np.asarray(X[names[numeric]]) <= cut
    shown_rows = [int(text.split(" row")[0].replace("\u2009", "")) for text in page.locator(".sides .quiet").all_inner_texts()]
    assert shown_rows[0] == below.sum()
    press(page, bench, "Split here")
    root = edit.tree.root
    assert root.split.cuts == (cut,)
    assert [child.weight for child in root.children] == shown_rows
    well(page, bench)


def test_a_threshold_is_typed_and_touched(shown: Any) -> None:
    with bench_of(*iris()) as bench:
        page = shown(bench, size=(390, 800), touch=True)
        select(page, 2)
        page.get_by_role("button", name="sepal length (cm) at").first.tap()
        slider = page.get_by_role("slider", name="threshold of sepal length (cm)")
        slider.scroll_into_view_if_needed()
        page.wait_for_timeout(200)
        before = slider.get_attribute("aria-valuenow")
        box = slider.bounding_box()
        page.touchscreen.tap(box["x"] + 0.9 * box["width"], box["y"] + 60)
        assert int(slider.get_attribute("aria-valuenow")) > int(before)
        exactly = page.get_by_label("threshold of sepal length (cm), exactly")
        exactly.fill("5.97")
        exactly.press("Enter")
        told_rows = page.locator(".sides .quiet").first.inner_text()
        press(page, bench, "Split here")
        assert bench.tree.node(2).split.cuts == (5.97,)
        assert told_rows.startswith(f"{bench.tree.node(2).children[0].weight:g} rows")
        well(page, bench)


def test_levels_conditions_and_leaves_of_many_branches(shown: Any) -> None:
    with bench_of(tw.ID3Classifier().fit(TENNIS.X, TENNIS.y), TENNIS.X, TENNIS.y) as bench:
        page = shown(bench)
        select(page, 0)
        page.get_by_label("split by another column").select_option(label="outlook")
        for level, ticked in (("rain", True), ("overcast", True), ("sunny", False)):
            page.get_by_role("checkbox", name=level).set_checked(ticked)
        assert "9 rows" in page.locator(".sides .quiet").first.inner_text()
        press(page, bench, "Split here")
        assert [child.weight for child in bench.tree.root.children] == [9, 5]
        assert bench.tree.root.split.levels == {"sunny": 1, "overcast": 0, "rain": 0}
        page.get_by_label("split by another column").select_option(label="outlook")
        for level in ("rain", "overcast", "sunny"):
            page.get_by_role("checkbox", name=level).set_checked(True)
        assert page.get_by_role("button", name="Split here").is_disabled()
        press(page, bench, "Best split")
        assert len(bench.tree.root.children) == 3
        page.get_by_role("group").last.count()
        ends = page.locator(".edit .levels").last.get_by_role("checkbox")
        ends.nth(0).check()
        ends.nth(1).check()
        press(page, bench, "Merge")
        assert bench.tree.by_hand == {0: "merged by hand"}
        page.get_by_label("split by a condition").fill("wind in {strong}")
        press(page, bench, "split by this condition")
        assert bench.tree.root.split.column == "wind"
        version = bench.session.version
        page.get_by_label("split by a condition").fill("wind <= 3")
        page.get_by_role("button", name="split by this condition").click()
        page.wait_for_selector(".bar .wrong")
        assert "wind" in told(page)
        assert bench.session.version == version
        well(page, bench)


def test_numbers_are_edited_too(shown: Any) -> None:
    X, _ = large(2_000)
    y = np.asarray(X.x0 * 3 + X.x2)
    with bench_of(tw.CARTRegressor(max_depth=2).fit(X, y), X, y) as bench:
        page = shown(bench)
        select(page, 1)
        assert "off by" in page.locator(".scores").inner_text()
        page.locator(".candidate").first.click()
        page.get_by_role("slider", name="threshold of").wait_for()
        assert "mean" in page.locator(".sides .quiet").first.inner_text()
        press(page, bench, "Split here")
        select(page, 3)
        press(page, bench, "Cut") if bench.tree.node(3).split else None
        page.get_by_label("what the leaf says").fill("1.5")
        press(page, bench, "Say so")
        assert bench.tree.node(3).prediction == 1.5
        well(page, bench)


def test_an_edit_of_a_tree_that_is_no_more_is_not_made(shown: Any) -> None:
    with bench_of(*iris()) as bench:
        one, other = shown(bench), shown(bench)
        select(one, 2)
        select(other, 2)
        other.evaluate("workbench.look = () => {}")
        one_version = bench.session.version
        press(one, bench, "Cut")
        # As if this window had not looked yet.
        other.evaluate("workbench.state.version = 0")
        if other.get_by_role("button", name="Cut", exact=True).count():
            other.get_by_role("button", name="Cut", exact=True).click()
        until(lambda: "changed elsewhere" in told(other), "the other window says what happened")
        settled(other, bench, one_version + 1)
        assert bench.tree.n_leaves == 2
        assert other.get_by_role("treeitem").count() == 3
        bench.edit.grow(0)  # in Python
        until(lambda: other.evaluate("workbench.state.version") == bench.session.version, "the page looks for itself")
        well(one, bench)
        well(other, bench)


def test_versions_are_kept_gone_back_to_and_compared(shown: Any) -> None:
    model, X, y = iris()
    with bench_of(model, X, y, folds=3) as bench:
        page = shown(bench)
        first = bench.tree
        page.get_by_role("tab", name="Versions").click()
        page.get_by_label("name of the version").fill("as <b>grown</b>")
        page.get_by_role("button", name="Keep").click()
        page.get_by_role("table", name="versions").wait_for()
        page.get_by_role("tab", name="Edit").click()
        select(page, 2)
        press(page, bench, "Cut")
        page.get_by_role("tab", name="Versions").click()
        page.get_by_role("button", name="Compare", exact=True).click()
        page.get_by_role("table", name="errors by fold").wait_for()
        said = page.locator(".compared").inner_text()
        found = tw.diff(first, bench.tree, X, y)
        assert f"{found.changed:g} of 150 rows are told something else" in said
        assert f"{found.mended:g} mended, {found.spoiled:g} spoiled" in said
        assert page.get_by_role("table", name="errors by fold").get_by_role("row").count() == 5
        assert page.locator(".places li").count() == len(found.nodes)
        page.locator(".places .where").first.click()
        assert page.evaluate("workbench.inside().app.store.state.selected") == found.nodes[0].nodes[1]
        page.get_by_role("button", name="Side by side").click()
        frame = page.frame_locator("dialog iframe")
        frame.get_by_role("heading", name="Side by side").wait_for()
        assert frame.locator("svg").count() == 1
        page.get_by_role("button", name="close", exact=True).click()
        version = bench.session.version
        page.get_by_role("button", name="go back to as <b>grown</b>").click()
        until(lambda: bench.session.version != version, "it goes back")
        assert bench.tree == first
        # Nothing is lost on the way.
        page.get_by_role("row", name="before as <b>grown</b>").wait_for()
        well(page, bench)


def test_the_log_and_everything_else_is_taken_away(shown: Any, tmp_path: Any) -> None:
    model, X, y = iris()
    with bench_of(model, X, y) as bench:
        page = shown(bench)
        select(page, 2)
        press(page, bench, "Cut")
        page.get_by_role("tab", name="Log").click()
        assert page.get_by_role("heading", name="Forced by hand").is_visible()
        assert page.get_by_role("tabpanel").get_by_role("listitem").inner_text() == bench.edit.history[1]
        files = {}
        for form in ("model", "sql", "rules", "text", "log", "page"):
            with page.expect_download() as found:
                page.get_by_label("take away").select_option(form)
            files[form] = tmp_path / found.value.suggested_filename
            found.value.save_as(files[form])
        made = tw.load(files["model"])
        assert made.predict(X).tolist() == bench.estimator().predict(X).tolist()
        known: dict[str, Any] = {"X": X, "y": y}
        exec(files["log"].read_text(), known)
        assert known["edit"].tree == bench.tree
        assert files["sql"].read_text().startswith("WITH ")
        assert "petal length" in files["rules"].read_text()
        assert b"Content-Security-Policy" in files["page"].read_bytes()
        well(page, bench)


def test_the_keyboard_is_enough(shown: Any) -> None:
    model, X, y = iris()
    with bench_of(model, X, y) as bench:
        page = shown(bench)
        page.get_by_role("treeitem").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.wait_for_selector(".alternatives ol")
        assert page.evaluate("workbench.inside().app.store.state.selected") == 2
        cut = page.get_by_role("button", name="Cut", exact=True)
        cut.focus()
        version = bench.session.version
        page.keyboard.press("Enter")
        settled(page, bench, version + 1)
        assert page.evaluate("document.activeElement.dataset.key") == "heading"  # cut is gone, its panel keeps the keyboard
        page.keyboard.press("Control+z")
        settled(page, bench, version + 2)
        page.keyboard.press("Control+Shift+Z")
        settled(page, bench, version + 3)
        assert "cut by hand" in page.get_by_role("treeitem").nth(2).inner_text()
        well(page, bench)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 820, 390])
def test_it_fits_every_screen(shown: Any, scheme: str, width: int) -> None:
    with bench_of(*iris()) as bench:
        page = shown(bench, scheme=scheme, size=(width, 850))
        select(page, 2)
        page.locator(".candidate").first.click()
        page.get_by_role("slider", name="threshold of").wait_for()
        assert page.evaluate("document.getElementById('workbench').dataset.theme") == scheme
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        beyond = "e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('[role=tablist]')"
        assert page.evaluate(f"[...document.querySelectorAll('aside *')].filter({beyond}).length") == 0
        well(page, bench)


def test_names_are_text_and_nothing_runs(shown: Any) -> None:
    X, y = large(300)
    X = X.rename(columns={"x0": "<img src=x onerror='window.PWN=1'>", "town": "</script><script>window.PWN=1</script>"})
    with bench_of(tw.CARTClassifier(max_depth=3).fit(X, y), X, y) as bench:
        page = shown(bench)
        select(page, 0)
        for column in (0, 6):
            page.get_by_label("split by another column").select_option(str(column))
            page.locator(".cutter, .chooser").wait_for()
            page.wait_for_timeout(50)
        page.get_by_role("checkbox").first.check()
        press(page, bench, "Split here")
        page.get_by_role("tab", name="Log").click()
        assert page.evaluate("window.PWN === undefined")
        well(page, bench)


def test_who_has_no_token_sees_nothing(shown: Any) -> None:
    with bench_of(*iris()) as bench:
        page = shown(bench, wrong=True)
        page.wait_for_selector(".bar .wrong")
        assert "token" in told(page)
        assert page.get_by_role("treeitem").count() == 0


def test_a_workbench_that_has_ended_says_so(shown: Any) -> None:
    with bench_of(*iris()) as bench:
        page = shown(bench)
        select(page, 2)
        bench.close()
        page.get_by_role("button", name="Cut", exact=True).click()
        page.wait_for_selector(".bar .wrong")
        assert "has ended" in told(page)


def test_the_page_of_an_edited_model_shows_what_was_done_by_hand(shown: Any, chromium: Any, tmp_path: Any) -> None:
    model, X, y = iris()
    edit = model.edit(X, y)
    edit.split(2, "sepal length (cm) <= 5.95")
    made = edit.estimator()
    made.explore(tmp_path / "page.html", X, y)
    page = chromium.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("[data-ready]")
    assert page.get_by_role("treeitem").nth(2).inner_text().endswith("; split by hand")
    page.get_by_role("treeitem").nth(2).focus()
    assert "split by hand" in page.get_by_role("tabpanel").inner_text()
    page.get_by_role("treeitem").first.focus()
    page.get_by_text("Forced by hand").click()
    assert edit.history[1].replace("<=", "≤") in page.get_by_role("tabpanel").inner_text()
    page.close()
    assert json.dumps(made.edits_)
