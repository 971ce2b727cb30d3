"""Trees whose tests cut sums over several columns: the page names them, follows rows through them and draws their regions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.explore.conftest import Open
from tests.explore.rows import numbered, well
from tests.explore.sums import FIRST, SECOND, Sum, kinds_of, needing_all, sum_of, table, tree_over
from tests.explore.test_changes import _answer
from tests.show.names import HOSTILE
from treewright.errors import visible
from treewright.explore.modules import script
from treewright.explore.write import model_document
from treewright.model.tree import Tree
from treewright.show.node_text import NodeText

NAME = "0.5 * a - 2 * b + 1.5 * (c = v)"


@pytest.fixture(scope="module")
def mixed() -> tuple[Tree, pd.DataFrame, Any]:
    """A tree of two sums and a column."""
    X = table()
    y = kinds_of(X)
    tree = tree_over(X, y, [FIRST, SECOND], [0], max_depth=2)
    assert [tree.splits.source(id).equation is None for id in (0, 1, 2)] == [False, True, False]
    return tree, X, y


def test_the_document_counts_rows_by_sums(mixed: Any) -> None:
    tree, X, y = mixed
    document = model_document(tree, X, y)
    assert [column["importance"] > 0 for column in document["columns"]] == [True, True, True]
    for id, terms in ((0, FIRST), (2, SECOND)):
        low, high, groups, counts = document["histograms"][id]
        inside = np.asarray(tree.decision_path(X)[:, [id]].todense()).ravel() > 0
        values = sum_of(X, terms)[inside]
        assert low <= values.min() and values.max() <= high
        expected, _ = np.histogram(values, np.linspace(low, high, 25))
        assert np.abs(np.reshape(counts, (24, groups)).sum(axis=1) - expected).sum() <= 2  # a value at the border of two bins


def test_a_histogram_ends_where_the_same_sum_was_cut_above(mixed: Any) -> None:
    _, X, _ = mixed
    for terms in (FIRST, needing_all(FIRST)):
        y = np.digitize(np.nan_to_num(sum_of(X, terms)), [-1.3, 1.7]).astype(str)
        tree = tree_over(X, y, [terms], [], max_depth=2)
        document = model_document(tree, X, y)
        assert len(document["program"]["derived"]) == 1
        cut = float(tree.splits.division(0).at[0])
        assert any(cut in document["histograms"][id][:2] for id in document["histograms"] if id > 0)


def test_without_rows_a_column_spans_where_its_sums_pass_their_thresholds(mixed: Any) -> None:
    tree, X, _ = mixed
    wide = table()
    wide["b"] *= 1e6
    terms = [(column, level, coefficient / (1e6 if column == 1 else 1), fill) for column, level, coefficient, fill in FIRST]
    far = tree_over(wide, kinds_of(X), [terms], [], max_depth=1)
    low, high = (model_document(far)["columns"][1][name] for name in ("low", "high"))
    assert low < -0.1e6 < 0.1e6 < high or high - low > 1e5
    assert "low" in model_document(tree)["columns"][1]


def test_nodes_are_named_by_their_sums(opened: Open, mixed: Any) -> None:
    tree, X, y = mixed
    page = opened(tree, X, y)
    nodes = NodeText(tree)
    inner = [0, 1, 2]
    asked = page.evaluate("ids => ids.map(id => treewright.model.question(id))", inner)
    assert asked == [nodes.question(id).replace("<=", "≤") for id in inner]
    cut = asked[0].split("≤ ")[1].rstrip("?")
    rules = page.evaluate("[4, 5].map(id => treewright.model.rule(id))")
    assert rules[0][0] == f"{NAME} ≤ {cut}" and rules[1][0] == f"{NAME} > {cut}"
    assert f"if {NAME} ≤ {cut} and (a > 0.3 or missing) then" in page.evaluate("treewright.model.sentence(4)")
    page.get_by_role("searchbox").or_(page.get_by_role("combobox", name="search nodes")).fill("(c = v)")
    assert page.evaluate("[...treewright.app.store.state.found]") == [0]
    page.evaluate("treewright.app.select(0)")
    said = page.get_by_role("tabpanel").inner_text()
    assert asked[0] in said.replace("\n", " ") and "Missing cells count as a 0.25, b 1, (c = v) 0." in said
    drawn = page.evaluate("treewright.app.closeUp.svg()")
    assert ">0.5 * a - 2 * b<" in drawn and f">+ 1.5 * (c = v) ≤ {cut}?<" in drawn  # a line per piece, none cut
    page.get_by_role("tab", name="Rules").click()
    assert f"{NAME} ≤ {cut}" in page.get_by_role("tabpanel").inner_text()
    well(page)


def test_a_row_is_followed_through_sums(opened: Open, mixed: Any) -> None:
    tree, X, y = mixed
    page = opened(tree, X, y)
    rows = numbered(X, tree.schema)
    found = page.evaluate(
        "rows => rows.map(row => { const f = treewright.tools.follow(row, 0); return [f.says, f.ends[0][0]]; })", rows
    )
    assert [says for says, _ in found] == tree.predict(X).tolist()
    assert [leaf for _, leaf in found] == tree.apply(X).tolist()
    at = int(np.flatnonzero(X.a.isna() & X.b.notna() & X.c.notna())[0])
    page.evaluate("row => treewright.app.follow(row)", rows[at])
    page.get_by_role("tab", name="Row").click()
    said = page.get_by_role("tabpanel").inner_text()
    value = sum_of(X, FIRST)[at]
    sign, cut, shown = re.search(re.escape(NAME) + r" ([≤>]) (\S+)\s+\((\S+)\)", said).groups()
    assert float(shown) == pytest.approx(value, rel=1e-5) and (value <= float(cut)) == (sign == "≤")
    assert page.locator(".cell .used").all_inner_texts() == [" used"] * 3  # the sum reads all of them
    well(page)


@pytest.mark.parametrize("missing", ["learned", "fraction"])
def test_a_sum_that_lacks_a_cell_is_missing(opened: Open, missing: str) -> None:
    X = table(gone=0.15)
    y = kinds_of(X)
    tree = tree_over(X, y, [needing_all(FIRST), needing_all(SECOND)], [], max_depth=3, missing=missing)
    page = opened(tree, X, y)
    rows = numbered(X, tree.schema)
    found = page.evaluate("rows => rows.map(row => treewright.tools.follow(row, 0).says)", rows)
    assert found == tree.predict(X).tolist()
    lost = next(row for row in rows if row[1] is None and row[0] is not None)
    page.evaluate("row => treewright.app.follow(row)", lost)
    page.get_by_role("tab", name="Row").click()
    said = page.get_by_role("tabpanel").inner_text()
    assert f"{NAME} is missing" in said if missing == "learned" else "of the row: " in said
    page.get_by_role("tab", name="Node").click()
    page.evaluate("treewright.app.select(0)")
    said = page.get_by_role("tabpanel").inner_text()
    assert "It is missing where one of its cells is." in said and "Where it is missing: " in said
    for tab in ("Regions", "Rules"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(100)
    well(page)


def test_changes_of_one_column_are_exact(opened: Open) -> None:
    X = table()
    rng = np.random.default_rng(3)
    y = np.where(rng.random(len(X)) < 0.2, rng.permutation(kinds_of(X)), kinds_of(X))
    tree = tree_over(
        X, y, [FIRST, SECOND, [(1, -1, 1 / 3, 0.1), (0, -1, -0.7, 0.0)]], [0, 1], max_leaf_nodes=25, min_samples_leaf=1
    )
    assert tree.n_leaves == 25
    page = opened(tree, X, y)
    met = 0
    for at in range(25):
        row = numbered(X.iloc[[at]], tree.schema)[0]
        for j, name in enumerate("ab"):
            ranges = page.evaluate("([row, j]) => treewright.tools.ranges(row, 0, j)", [row, j])
            edges = [each["high"][0] for each in ranges[:-1]]
            tried = np.unique([*np.linspace(-7, 7, 141), *edges, *np.nextafter(edges, np.inf), *np.nextafter(edges, -np.inf)])
            assert tree.predict(X.iloc[[at] * len(tried)].assign(**{name: tried})).tolist() == [_answer(ranges, x) for x in tried]
            met += len(edges)
        now = tree.predict(X.iloc[[at]])[0]
        for change in page.evaluate("row => treewright.tools.whatIf(row, 0)", row):
            name = X.columns[change["column"]]
            value = X.c.cat.categories[change["value"]] if name == "c" else change["value"]
            changed = X.iloc[[at]].copy()
            changed[name] = pd.Categorical([value], X.c.cat.categories) if name == "c" else [float(value)]
            assert tree.predict(changed)[0] == change["says"] != now
    assert met > 50
    well(page)


def test_how_far_one_column_moves_a_number(opened: Open, mixed: Any) -> None:
    _, X, _ = mixed
    y = np.round(sum_of(X, FIRST)) + 3 * (sum_of(X, SECOND) > 0)
    tree = tree_over(X, y.astype(float), [FIRST, SECOND], [0], max_leaf_nodes=12)
    page = opened(tree, X, y)
    for at in range(8):
        row = numbered(X.iloc[[at]], tree.schema)[0]
        for each in page.evaluate("row => treewright.tools.reach(row, 0)", row):
            name = X.columns[each["column"]]
            low, high = page.evaluate("j => [treewright.model.columns[j].low, treewright.model.columns[j].high]", each["column"])
            tried = X.c.cat.categories if name == "c" else np.linspace(low, high, 500)
            said = tree.predict(
                X.iloc[[at] * len(tried)].reset_index(drop=True).assign(**{name: pd.Series(tried, dtype=X[name].dtype)})
            )
            assert (each["low"], each["high"]) == (said.min(), said.max())
    page.evaluate("row => treewright.app.follow(row)", row)
    page.get_by_role("tab", name="Row").click()
    assert re.search(r"by b from \S+ to \S+", page.get_by_role("tabpanel").inner_text())
    well(page)


def test_regions_are_those_of_the_leaves(opened: Open, mixed: Any) -> None:
    tree, X, y = mixed
    page = opened(tree, X, y)
    page.get_by_role("tab", name="Regions").click()
    page.wait_for_timeout(200)
    pixels = """places => { const c = document.querySelector('.plot canvas'), r = c.width / c.clientWidth;
        return places.map(([x, y]) => c.getContext('2d').getImageData(x * r, y * r, 1, 1).data.join()); }"""
    plot = page.locator(".plot canvas").bounding_box()
    rng = np.random.default_rng(0)
    places = [[float(x), float(y)] for x, y in rng.uniform([60, 40], [plot["width"] - 30, plot["height"] - 60], (40, 2))]
    colors = page.evaluate(pixels, places)
    by_leaf: dict[int, list[str]] = {}
    for (x, y_), color in zip(places, colors, strict=True):
        page.mouse.click(plot["x"] + x, plot["y"] + y_)
        row = page.evaluate("treewright.app.store.state.row")
        cells = pd.DataFrame({"a": [row[0]], "b": [row[1]], "c": pd.Categorical.from_codes([row[2]], X.c.cat.categories)})
        by_leaf.setdefault(int(tree.apply(cells.astype({"a": float, "b": float}))[0]), []).append(color)
    assert len(by_leaf) == 4
    main = {leaf: max(set(found), key=found.count) for leaf, found in by_leaf.items()}
    assert len({*main.values()}) == 4
    # A click is rounded to the unit of its column, which may cross a border.
    assert sum(color != main[leaf] for leaf, found in by_leaf.items() for color in found) <= 2
    for across in ("1", "2"):  # a strip, then levels
        for name in ("across", "upwards"):
            page.get_by_role("combobox", name=name).select_option(across)
            page.wait_for_timeout(80)
    well(page)


def test_pieces_of_a_picture_hold_one_leaf(chromium: Any) -> None:
    page = chromium.new_page()
    run = "band => {" + script("mosaic") + "; return $mosaic.mosaic(101.5, 60, band, LEAF); }"
    for band, leaf in ((1000, "(x, y) => (3 * x - 2 * y > 90 ? 1 : 0)"), (3, "(x) => Math.floor(x / 3) % 2")):
        pieces = page.evaluate(run.replace("LEAF", leaf), band)
        assert sum(piece["wide"] * piece["high"] for piece in pieces) == 101 * 60
        whole = [piece for piece in pieces if len(piece["leaves"]) == 1]
        assert all(piece["wide"] == piece["high"] == 1 for piece in pieces if len(piece["leaves"]) > 1)
        assert 0 < len(pieces) - len(whole) < 4000
        for piece in whole:
            corners = [
                (piece["left"] + dx * piece["wide"], piece["top"] + dy * piece["high"]) for dx in (0, 0.5, 1) for dy in (0, 1)
            ]
            said = page.evaluate(f"points => points.map(([x, y]) => ({leaf})(x, y))", corners)
            assert {*said} == {*piece["leaves"]}
    page.close()


def test_smaller_trees_know_sums(opened: Open, mixed: Any) -> None:
    tree, X, y = mixed
    page = opened(tree, X, y)
    row = numbered(X.iloc[[0]], tree.schema)[0]
    sizes = page.evaluate("treewright.model.steps")
    for size in range(sizes):
        page.evaluate("size => treewright.app.store.set({ size })", size)
        page.evaluate("([row, size]) => [treewright.tools.follow(row, size), treewright.tools.whatIf(row, size)]", [row, size])
    assert sizes > 1
    well(page)


def test_hostile_names_in_sums_are_shown_literally(opened: Open) -> None:
    names = (HOSTILE[0], HOSTILE[10], "0.5 * a - 2 * b + 1.5 * (c = v)")
    X = table(names=names)
    X[names[2]] = X[names[2]].cat.rename_categories({"u": HOSTILE[1], "v": HOSTILE[2], "w": HOSTILE[3]})
    y = kinds_of(X)
    tree = tree_over(X, y, [FIRST, SECOND], [0], max_depth=2)
    page = opened(tree, X, y, include_rows=True)
    for tab in ("Row", "Rules", "Regions", "Node"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(50)
    page.evaluate("treewright.app.select(0)")
    said = page.get_by_role("tabpanel").inner_text()
    for text in (names[0], names[2], HOSTILE[2]):
        assert visible(text) in said
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    said = page.get_by_role("tabpanel").inner_text()
    assert f"0.5 * {names[0]}" in said and page.evaluate("window.PWN") is None
    page.evaluate("treewright.app.follow([null, null, null])")
    assert page.locator("img, iframe, object, svg").count() == 0
    well(page)


def test_long_sums_are_shown_by_their_first_terms(opened: Open) -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(200, 24)), columns=[f"measurement {j}" for j in range(24)])
    terms: Sum = [(j, -1, float(c), 0.0) for j, c in enumerate(rng.normal(size=24))]
    y = np.where(sum_of(X, terms) > 0, "p", "q")
    page = opened(tree_over(X, y, [terms], [], max_depth=1), X, y)
    question = page.evaluate("treewright.model.question(0)")
    assert len(question) < 100 and "measurement 0 " in question and " + … ≤ " in question
    page.get_by_role("combobox", name="search nodes").fill("measurement 17")
    assert page.evaluate("[...treewright.app.store.state.found]") == [0]
    assert "measurement 23" in page.get_by_role("tabpanel").inner_text()
    well(page)


def test_a_sum_counts_for_all_its_columns(mixed: Any) -> None:
    tree, _, _ = mixed
    fall = tree.node_columns.weight * tree.node_columns.gain
    assert tree.used_columns == ["a", "b", "c"]
    third, half = fall[0] / 3, fall[2] / 2
    assert tree.importances("splits") == pytest.approx({"a": fall[1] + third + half, "b": third + half, "c": third})
