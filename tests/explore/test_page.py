"""The explorer in a real browser: found by role, driven by keys; what it says is what the model says."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.show.names import HOSTILE
from treewright.errors import visible
from treewright.explore.modules import script
from treewright.explore.write import model_document
from treewright.explore.write import page as page_of
from treewright.model.rules import cells_of


def weather(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "outlook": rng.choice(["sunny", "overcast", "rain", "snow"], n),
            "temperature": rng.normal(15, 8, n).round(1),
            "windy": rng.random(n) < 0.4,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True),
        }
    )
    stay = (
        ((X.outlook == "rain") & X.windy)
        | ((X.outlook == "sunny") & (X.temperature > 18))
        | ((X.outlook == "snow") & (X["size"] > "S"))
    )
    y = np.where(stay ^ (rng.random(n) < 0.05), "stay", "go")
    X.loc[rng.random(n) < 0.1, "outlook"] = None
    X.loc[rng.random(n) < 0.1, "temperature"] = np.nan
    return X, y


def cells(X: pd.DataFrame) -> list[list[Any]]:
    """Rows as the page's predictor takes them."""
    plain = [[None if pd.isna(v) else v for v in X[name].astype(object).tolist()] for name in X.columns]
    return [list(row) for row in zip(*plain, strict=True)]


def numbered(X: pd.DataFrame, schema: Any) -> list[list[Any]]:
    """Rows as the page follows them: numbers, and numbers of levels."""
    read = zip(schema.columns, cells_of(X, schema), strict=True)
    columns = [[None if x != x or (column.nominal and x < 0) else x for x in cells.tolist()] for column, cells in read]
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.fixture(scope="module")
def iris() -> Any:
    data = tw.datasets.load_iris()
    return tw.CARTClassifier(keep_candidates=True).fit(data.X, data.y), data


def well(page: Any) -> None:
    assert page.failed == []
    assert [url for url in page.asked if not url.startswith("file:")] == []


def test_the_tree_is_walked_by_keys_alone(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    root = page.get_by_role("treeitem", name="petal length (cm) ≤ 2.45?")
    page.get_by_role("button", name="open what is below").click()
    assert page.get_by_role("treeitem").count() == model.tree_.n_nodes
    assert root.get_attribute("aria-level") == "1" and root.get_attribute("aria-expanded") == "true"
    root.focus()
    page.keyboard.press("ArrowRight")  # to the first child
    assert page.evaluate("document.activeElement.textContent").startswith("yes: → setosa 50 rows: setosa 50")
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
    assert candidates.count() == len(best)
    assert candidates.first.inner_text().startswith("◀ petal length (cm) · 2.45")
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


def test_what_if_answers_as_predict_does_on_10000_rows(opened: Open) -> None:
    X, y = weather(600)
    many, _ = weather(10_000, seed=1)
    models = [
        tw.C45Classifier().fit(X, y),  # missing cells go several ways
        tw.CARTClassifier(missing="surrogate").fit(X, y),  # other columns stand in
        tw.CARTRegressor(min_samples_leaf=5).fit(X.drop(columns="temperature"), X.temperature.fillna(0).to_numpy()),
        tw.RipperClassifier(random_state=0).fit(X, y),
    ]
    for model in models:
        page = opened(model)
        rows = many if "temperature" in model.feature_names_in_ else many.drop(columns="temperature")
        given = json.dumps(cells(rows))
        said = page.evaluate("rows => JSON.stringify(treewright.predict(JSON.parse(rows)))", given)
        assert json.loads(said) == model.predict(rows).tolist()
        if hasattr(model, "tree_"):
            leaves = page.evaluate("rows => JSON.stringify(treewright.leaf(JSON.parse(rows)))", given)
            assert json.loads(leaves) == model.apply(rows).tolist()
        well(page)


@pytest.mark.parametrize("smoothing", ["m5", "blend", "none"])
def test_linear_leaves_compute_what_the_model_says(opened: Open, smoothing: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) > 0, 3 * np.nan_to_num(X[:, 1]), np.nan_to_num(X[:, 2])) + rng.normal(0, 0.1, 500)
    model = tw.M5Regressor(smoothing=smoothing).fit(X, y)
    page = opened(model, X, y)
    rows = [[None if math.isnan(x) else x for x in row] for row in X.tolist()]
    np.testing.assert_allclose(page.evaluate("rows => treewright.predict(rows)", rows), model.predict(X), rtol=1e-9, atol=1e-9)
    leaf = model.tree_.leaves()[0]
    page.evaluate("id => treewright.app.select(id)", leaf.id)
    assert str(leaf.equation.text(4)) in page.get_by_role("tabpanel").inner_text()
    well(page)


def test_scores_of_classes_compute_the_shares(opened: Open) -> None:
    X, y = weather(500)
    model = tw.LogisticTreeClassifier().fit(X, y)
    page = opened(model, X, y)
    run = "rows => rows.map(row => { const { says, shares } = treewright.tools.follow(row, 0); return [says, shares]; })"
    said = page.evaluate(run, numbered(X, model.tree_.schema))
    assert [label for label, _ in said] == model.predict(X).tolist()
    assert [shares for _, shares in said] == model.predict_proba(X).tolist()
    well(page)


def test_rules_with_equations_compute_what_they_say(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc")).assign(d=rng.choice(["u", "v", "w"], 400))
    y = np.where(X.a > 0, 3 * X.b + 5 * (X.d == "u"), X.c) + rng.normal(0, 0.1, 400)
    X.loc[rng.random(400) < 0.05, "b"] = np.nan
    model = tw.M5RulesRegressor().fit(X, y)
    page = opened(model, X, y)
    rows = numbered(X, model.ruleset_.schema)  # what is followed are numbers, and numbers of levels
    np.testing.assert_allclose(page.evaluate("rows => treewright.predict(rows)", rows), model.predict(X), rtol=1e-9, atol=1e-9)
    assert "LM 1: " in page.evaluate("treewright.app.closeUp.svg()")
    well(page)


def test_a_row_is_followed_and_its_flips_hold(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    length = page.get_by_role("spinbutton", name="petal length (cm), exactly")
    for value, said in (("1.4", "setosa"), ("6.5", "virginica")):
        length.fill(value)
        length.press("Enter")
        assert f"species = {said}" in page.get_by_role("tabpanel").inner_text()
    assert "was versicolor before your change" in page.get_by_role("tabpanel").inner_text()
    flips = page.evaluate("treewright.tools.flips(treewright.app.store.state.row, 0).map(f => [f.column, f.value, f.says])")
    row = [page.evaluate("treewright.app.store.state.row")]
    assert flips
    for column, value, said in flips:
        changed = [[value if j == column else x for j, x in enumerate(row[0])]]
        whole = [[0.0 if x is None else x for x in changed[0]]]
        assert model.predict(pd.DataFrame(whole, columns=data.X.columns))[0] == said != "virginica"
    page.get_by_role("list").filter(has_text="(is ").get_by_role("button").first.click()
    assert page.evaluate("treewright.app.store.state.follow.says") == flips[0][2]
    page.get_by_role("treeitem").first.focus()
    page.keyboard.press("Escape")
    assert page.evaluate("treewright.app.store.state.row") is None
    page.keyboard.press("r")
    assert page.evaluate("treewright.app.store.state.follow.ends.length") == 1
    well(page)


def test_missing_cells_go_several_ways(opened: Open) -> None:
    X, y = weather()
    model = tw.C45Classifier().fit(X, y)
    page = opened(model, X, y)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    page.get_by_role("button", name="outlook missing").click()
    row = X.iloc[[0]].assign(outlook=None)
    ends = page.evaluate("treewright.app.store.state.follow.ends")
    assert len(ends) == model.tree_.root._get("n_children")
    assert math.isclose(sum(share for _, share in ends), 1)
    assert len({id for id, _ in ends}) == len(ends) <= model.decision_path(row).sum()
    assert "of the row" in page.get_by_role("tabpanel").inner_text()
    well(page)


def test_regions_are_the_leaves_of_every_point(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    page.get_by_role("tab", name="Regions").click()
    held = [5.8, 3.0, 4.3, 1.3]
    run = "held => { const $=treewright; return BOXES(held, [2, 3]); }"
    inline = "((held, axes) => {" + script("boxes") + "; return $boxes.boxesOf(treewright.model.programAt(0), held, axes).boxes"
    inline += ".map(b => [b.leaf, b.spans.map(s => s.map(x => Number.isFinite(x) ? x : Math.sign(x) * 1e300))]); })"
    boxes = page.evaluate(run.replace("BOXES", inline), held)
    rng = np.random.default_rng(0)
    points = np.column_stack([np.full(500, 5.8), np.full(500, 3.0), rng.uniform(0, 8, 500), rng.uniform(-1, 4, 500)])
    leaves = model.tree_.apply(pd.DataFrame(points, columns=data.X.columns))
    for point, leaf in zip(points, leaves, strict=True):
        inside = [b for b, ((a, c), (d, e)) in boxes if a < point[2] <= c and d < point[3] <= e]
        assert inside == [leaf]
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


def test_lists_of_rules_are_a_ladder(opened: Open) -> None:
    X, y = weather()
    model = tw.RipperClassifier(random_state=0).fit(X, y)
    page = opened(model, X, y)
    items = page.get_by_role("treeitem")
    assert items.count() == 2 * len(model.ruleset_) + 1
    assert f"{len(model.ruleset_)} rules and a default" in page.get_by_role("banner").inner_text()
    assert items.last.inner_text().startswith(f"else: → {model.ruleset_.otherwise.says}")
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
    assert "petal length (cm) ≤ 2.45?" in texts and texts.count("setosa") == 1
    well(page)


# -- hostile names, and nothing from anywhere ---------------------------------------------------------------------------------


def hostile() -> tuple[Any, pd.DataFrame, list[str]]:
    names = HOSTILE[:10]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(HOSTILE[1:5], 300) if i % 2 else rng.normal(size=300) for i, name in enumerate(names)})
    y = np.array(HOSTILE[:4], object)[((X.iloc[:, 0] > 0).astype(int) + 2 * (X.iloc[:, 1] == HOSTILE[2]).astype(int)).to_numpy()]
    return tw.C45Classifier().fit(X, pd.Series(y, name=HOSTILE[0])), X, names


def test_X1_hostile_names_are_shown_literally(opened: Open) -> None:
    model, X, names = hostile()
    page = opened(model, X, title="</title><script>window.PWN=1</script>")
    for tab in ("Row", "Rules", "Regions", "Node"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(50)
    page.get_by_role("tab", name="Row").click()
    page.keyboard.press("r")
    page.get_by_role("button", name="a typical row").click()
    assert page.evaluate("window.PWN") is None
    assert page.title() == "</title><script>window.PWN=1</script>"
    text = page.evaluate("document.getElementById('explorer').textContent")
    used = [name for name in names if name in model.tree_.used_columns]
    assert used
    for name in (*used, *map(str, model.classes_)):
        assert visible(name) in text
    assert page.locator("img, iframe, object, svg").count() == 0
    well(page)


def test_X1_other_pages_show_them_literally_too(chromium: Any, tmp_path: Any) -> None:
    model, X, _ = hostile()
    (tmp_path / "tree.svg").write_text(model.tree_.to_svg(), encoding="utf-8")
    bundle = model.tree_._repr_mimebundle_()["text/html"] + model.explain(X.iloc[[0]])._repr_mimebundle_()["text/html"]
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{bundle}", encoding="utf-8")
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("tree.svg", "notebook.html"):
        page.goto((tmp_path / name).as_uri())
        assert page.evaluate("window.PWN") is None
        assert "window.PWN" in page.evaluate("document.documentElement.textContent")
    assert len(asked) == 2
    page.close()


def test_X3_the_page_asks_for_nothing(chromium: Any, iris: Any) -> None:
    """Offline, and inside a sandboxed frame without an origin, as a notebook or a mail shows it."""
    model, data = iris
    content = page_of(model_document(model, data.X, data.y)).decode()
    assert "default-src 'none'; script-src 'sha256-" in content and "unsafe" not in content.split("<style>")[0]
    context = chromium.new_context(offline=True)
    page = context.new_page()
    asked, failed = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.set_content('<iframe sandbox="allow-scripts" style="width:1200px;height:700px"></iframe>')
    page.evaluate("content => { document.querySelector('iframe').srcdoc = content; }", content)
    page.frame_locator("iframe").get_by_role("treeitem").first.wait_for(state="attached")
    frame = page.frames[1]
    assert frame.evaluate("fetch('https://example.org/x').then(() => 'let through', () => 'refused')") == "refused"
    inject = "const s = document.createElement('script'); s.textContent = 'window.PWN = 1'; document.body.append(s);"
    assert frame.evaluate(f"(() => {{ {inject} return window.PWN ?? 0; }})()") == 0
    assert asked == [] or all(url.startswith("about:") for url in asked)
    assert failed == []
    context.close()


def test_X8_large_trees_open(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((34_000, 6))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)) ^ (rng.random(len(X)) < 0.15)
    model = tw.CARTClassifier().fit(X, y)
    assert model.tree_.n_nodes > 10_000
    content = page_of(model_document(model, X, y))
    assert len(content) * 10_000 / model.tree_.n_nodes < 600_000
    page = opened(content)
    assert page.get_by_role("treeitem").count() <= 31
    page.evaluate("treewright.app.openAll(0)")
    assert 31 < page.get_by_role("treeitem").count() <= 600
    well(page)


def test_a_damaged_page_says_so(opened: Open, iris: Any) -> None:
    content = page_of(model_document(iris[0])).decode()
    begin = content.index('id="document">') + len('id="document">')
    page = opened((content[: begin + 40] + content[begin + 80 :]).encode())
    assert "damaged" in page.get_by_role("alert").inner_text()


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


def unordered(X: pd.DataFrame, y: Any) -> tw.RuleSet:
    """Rules that overlap and vote; some rows have none."""
    rules = tw.CARTClassifier(max_depth=3).fit(X, y).tree_.to_rules()
    more = rules.add("if windy = True then target = stay", X=X, y=y).add("if temperature > 20 then target = go", X=X, y=y)
    return more.drop(0, X=X, y=y)


@pytest.mark.parametrize("kind", ["part", "vote", "tree", "c45"])
def test_rules_that_vote_or_take_parts_of_rows(opened: Open, kind: str) -> None:
    X, y = weather(600)
    learned = {
        "part": lambda: tw.PartClassifier().fit(X, y),
        "vote": lambda: unordered(X, y),
        "tree": lambda: tw.CARTRegressor(min_samples_leaf=20).fit(X, np.arange(600) % 7 + (y == "go")).tree_.to_rules(),
        "c45": lambda: tw.C45Classifier().fit(X, y).tree_.to_rules(),
    }
    model = learned[kind]()
    rules = getattr(model, "ruleset_", model)
    many, _ = weather(3000, seed=2)
    page = opened(model, X) if kind == "tree" else opened(model, X, y)
    said = page.evaluate("rows => rows.map(row => treewright.tools.follow(row, 0).says)", numbered(many, rules.schema))
    if kind == "tree":
        np.testing.assert_allclose(said, model.predict(many), rtol=1e-12)
    else:
        assert said == model.predict(many).tolist()
    items = page.get_by_role("treeitem")
    assert items.count() == 2 * len(rules) + 1
    head = page.get_by_role("banner").inner_text()
    assert ("all that hold vote" in head) == (not rules.ordered)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    page.get_by_role("button", name="outlook missing").click()
    page.get_by_role("tab", name="Regions").click()
    assert (
        page.evaluate(
            "treewright.tools.regions(treewright.app.store.state.row, 0, treewright.tools.used.slice(0, 2)).boxes.length"
        )
        > 1
    )
    well(page)


def test_trees_that_say_several_numbers(opened: Open) -> None:
    X, _ = weather(500)
    rng = np.random.default_rng(3)
    y = np.column_stack([np.nan_to_num(X.temperature) + rng.normal(size=500), X.windy * 3.0, rng.normal(size=500)])
    model = tw.CARTRegressor(min_samples_leaf=20).fit(X, y)
    page = opened(model, X, y)
    said = page.evaluate("rows => rows.map(row => treewright.tools.follow(row, 0).says)", numbered(X, model.tree_.schema))
    np.testing.assert_allclose(said, model.predict(X), rtol=1e-12)
    first = page.get_by_role("treeitem").first
    first.focus()
    page.keyboard.press("End")
    means = model.tree_.vectors[page.evaluate("treewright.app.store.state.selected")]
    told = page.get_by_role("table", name="numbers").get_by_role("row").all_inner_texts()
    assert [line.split("\t")[0] for line in told] == ["y0", "y1", "y2"]
    np.testing.assert_allclose([float(line.split("\t")[1]) for line in told], means, rtol=1e-5)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    assert re.search(r"= \([-\d.]+, [-\d.]+, [-\d.]+\)", page.get_by_role("tabpanel").inner_text())
    for name in ("Rules", "Regions"):
        page.get_by_role("tab", name=name).click()
    well(page)
