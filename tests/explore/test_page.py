"""The explorer in a real browser: found by role, driven by keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import weather, well
from treewright.explore.modules import script


def test_the_tree_is_walked_by_keys_alone(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    root = page.get_by_role("treeitem", name="petal length (cm) ≤ 2.45?")
    page.get_by_role("button", name="open what is below").click()
    assert page.get_by_role("treeitem").count() == model.tree_.n_nodes
    assert root.get_attribute("aria-level") == "1" and root.get_attribute("aria-expanded") == "true"
    root.focus()
    page.keyboard.press("ArrowRight")  # to the first child
    assert page.evaluate("document.activeElement.textContent").startswith("yes: setosa, 50 rows: setosa 50")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("no: petal width (cm) ≤ 1.75?")
    page.keyboard.press("Space")  # closes it
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    assert page.get_by_role("treeitem").count() == 3
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("treeitem").count() == model.tree_.n_nodes
    page.keyboard.press("Home")
    assert "aria-selected" in root.evaluate("e => e.outerHTML") and root.get_attribute("aria-selected") == "true"
    well(page)


def test_panels_search_and_candidates(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    candidates = page.get_by_role("table", name="candidates").get_by_role("row")
    best = sorted(model.tree_.root.candidates, key=lambda entry: -entry.merit)
    assert candidates.count() == 1 + len(best)
    assert candidates.nth(1).inner_text().startswith("◀\u00a0petal length (cm) ≤ 2.45")
    page.keyboard.press("/")
    page.keyboard.type("sepal")
    asked = [node.id for node in model.tree_.nodes() if node.split is not None and "sepal" in node.split.column]
    assert page.get_by_role("status").filter(has_text="found").inner_text() == f"{len(asked)} found"
    page.keyboard.press("Enter")
    assert page.evaluate("treewright.app.store.state.selected") in asked
    page.get_by_role("tab", name="Rules").click()
    assert page.get_by_role("list", name="rules").get_by_role("listitem").count() == model.tree_.n_leaves
    page.get_by_role("searchbox", name="filter rules").fill("virginica")
    said = [leaf.prediction for leaf in model.tree_.leaves()]
    assert page.get_by_role("list", name="rules").get_by_role("listitem").count() == said.count("virginica")
    page.get_by_role("button", name="copy these rules as text").click()
    page.get_by_role("tab", name="Rules").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Regions").get_attribute("aria-selected") == "true"
    page.get_by_role("button", name="keys").click()
    assert page.get_by_role("dialog", name="keys").is_visible()
    well(page)


def test_the_rules_of_the_page_are_those_of_the_tree(opened: Open) -> None:
    X, y = weather()
    model = tw.C45Classifier().fit(X, y)
    page = opened(model)
    said = page.evaluate(
        "treewright.model.children(0).length && Array.from({length: treewright.model.n}, (_, id) => treewright.model.rule(id))"
    )
    for rule in model.tree_.to_rules():
        ours = [condition.text().replace(" <= ", " ≤ ").replace(" >= ", " ≥ ").replace("%", " %") for condition in rule.when]
        assert said[rule.leaf] == ours
    well(page)


def test_the_slider_goes_along_the_pruning_path(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y, folds=5)
    path = model.pruning_path(data.X, data.y, folds=5)
    slider = page.get_by_role("slider", name="size of the tree")
    assert slider.get_attribute("aria-valuenow") == str(path.n_leaves[path.choose("best")])
    page.get_by_role("button", name="all", exact=True).click()
    assert slider.get_attribute("aria-valuenow") == "9"
    slider.focus()
    rows = data.X.values.tolist()
    page.get_by_role("tab", name="Row").click()
    page.evaluate("row => treewright.app.follow(row)", rows[99])
    said = page.get_by_role("tabpanel")
    slider.focus()
    for step in range(len(path)):
        assert f"species = {path.tree_at(step).predict(data.X[99:100])[0]}" in said.inner_text()
        assert slider.get_attribute("aria-valuenow") == str(path.n_leaves[step])
        assert f"cross-validation {100 * path.cv.error[step]:.1f} %" in slider.get_attribute("aria-valuetext")
        assert page.evaluate("rows => treewright.predict(rows)", rows) == path.tree_at(step).predict(data.X).tolist()
        page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="1 se").click()
    assert slider.get_attribute("aria-valuenow") == str(path.n_leaves[path.choose("1se")])
    assert f"{path.tree_at(path.choose('1se')).n_nodes} nodes" in page.get_by_role("banner").inner_text()
    page.get_by_role("treeitem").first.focus()
    page.keyboard.press("]")
    page.keyboard.press("[")
    assert slider.get_attribute("aria-valuenow") == str(path.n_leaves[path.choose("1se")])
    well(page)


def test_layout_gives_the_same_coordinates_as_python(chromium: Any) -> None:
    cases = json.loads((Path(__file__).parent.parent / "show" / "layout.json").read_text())
    cases = [case for case in cases if "levels" not in case]
    page = chromium.new_page()
    run = (
        "cases => {"
        + script("layout")
        + "; return cases.map(c => Array.from($layout.tidy(c.first, c.count, c.widths, c.gap))); }"
    )
    assert page.evaluate(run, cases) == [case["x"] for case in cases] and len(cases) >= 3
    page.close()


def test_lists_of_rules_are_drawn_rule_by_rule(opened: Open) -> None:
    X, y = weather()
    model = tw.RipperClassifier(random_state=0).fit(X, y)
    page = opened(model, X, y)
    items = page.get_by_role("treeitem")
    assert items.count() == 2 * len(model.ruleset_) + 1
    assert f"{len(model.ruleset_)} rules and a default" in page.get_by_role("banner").inner_text()
    assert items.last.inner_text().startswith(f"else: {model.ruleset_.otherwise.says}, ")
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    assert page.evaluate("treewright.app.store.state.follow.ends.length") == 1
    well(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_and_narrow(opened: Open, iris: Any, scheme: str) -> None:
    model, data = iris
    page = opened(model, data.X, data.y, scheme=scheme, size=(390, 800))
    assert page.evaluate("document.getElementById('explorer').dataset.theme") == scheme
    ground = page.evaluate("getComputedStyle(document.getElementById('explorer')).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) < 300) == (scheme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate("document.getElementById('explorer').dataset.theme") != scheme
    well(page)


def test_what_is_looked_at_is_in_the_address(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    page.evaluate("() => { treewright.app.resize(2); treewright.app.select(2); treewright.app.follow([null, null, 5, 1.6]); }")
    fragment = page.evaluate("location.hash")
    again = opened(model, data.X, data.y, fragment=fragment)
    state = "(({size, selected, row}) => [size, selected, row])(treewright.app.store.state)"
    assert again.evaluate(state) == page.evaluate(state) == [2, 2, [None, None, 5, 1.6]]
    well(again)


def test_pictures_are_saved_as_svg(opened: Open, iris: Any) -> None:
    from xml.etree import ElementTree

    model, data = iris
    page = opened(model, data.X, data.y)
    with page.expect_download() as found:
        page.get_by_role("button", name="save the close-up as SVG").click()
    root = ElementTree.parse(found.value.path()).getroot()
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "petal length (cm) ≤ 2.45?" in texts and texts.count("setosa") == 2  # in the legend, too
    well(page)


def test_the_widget_tells_what_is_selected(chromium: Any, iris: Any) -> None:
    pytest.importorskip("anywidget")
    model, data = iris
    widget = model.explore(X=data.X, y=data.y)
    page = chromium.new_page()
    page.set_content("<!doctype html><div id=out></div>")
    said = page.evaluate(
        """async ([esm, document_]) => {
          const { default: { render } } = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
          const traits = { document: document_, selected_node: -1 }, heard = {};
          const model = { get: (n) => traits[n], set: (n, v) => { traits[n] = v; }, on: (n, f) => { heard[n] = f; } };
          model.save_changes = () => {};
          await render({ model, el: document.getElementById("out") });
          await new Promise((done) => setTimeout(done, 100));
          document.querySelectorAll("[role=treeitem]")[1].focus();
          const first = traits.selected_node;
          traits.selected_node = 2;
          heard["change:selected_node"]();
          const chosen = document.querySelector("[aria-selected=true][role=treeitem]");
          return [first, traits.selected_node, traits.leaves, chosen.textContent];
        }""",
        [widget._esm, widget.document],
    )
    assert said[:3] == [1, 2, model.tree_.n_leaves]
    assert said[3].startswith("no: petal width (cm) ≤ 1.75?")
    page.close()
