"""What the page computes is what Python says, at every threshold, just beside it, for every level and for missing cells."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.node import computed
from tests.explore.rows import numbered, weather
from tests.rules.test_implied import shares, tried
from treewright.explore.write import model_document
from treewright.model.condition import with_condition

TREES = {
    "cart": tw.CARTClassifier(min_samples_leaf=4),
    "c45": tw.C45Classifier(pruned=False),
    "reptree": tw.REPTreeClassifier(pruned=False),
    "strict": tw.REPTreeClassifier(pruned=False, min_samples_leaf=1, max_depth=5, missing="majority"),
    "ternary": tw.TreeClassifier(numeric="ternary", nominal="one_vs_rest", missing="own", max_depth=4),
    "multiway": tw.TreeClassifier(criterion="info_gain", nominal="multiway", missing="majority", max_depth=4),
}


@pytest.fixture(scope="module", params=TREES)
def tree(request: pytest.FixtureRequest) -> tw.Tree:
    X, y = weather()
    return TREES[request.param].fit(X[["temperature", "size"]] if request.param == "strict" else X, y).tree_


def edges(tree: Any, j: int) -> list[Any]:
    """Cells of a column as the page has them: at every cut, beside it, every level, missing."""
    column = tree.schema.columns[j]
    if column.levels or column.kind == "bool":
        return [*range(len(column.levels) or 2), None]
    cuts = np.unique(tree.splits.thresholds(j).at) if j in tree.splits.tested() else np.zeros(1)
    return [*cuts.tolist(), *np.nextafter(cuts, -np.inf).tolist(), *np.nextafter(cuts, np.inf).tolist(), None]


def borders(tree: Any) -> list[set[float]]:
    """Thresholds of every column; a level is never one: regions end between levels."""
    numbers = [
        not (column.levels or column.kind == "bool") and j in tree.splits.tested() for j, column in enumerate(tree.columns)
    ]
    return [{*tree.splits.thresholds(j).at.tolist()} if number else set() for j, number in enumerate(numbers)]


def frame(tree: Any, rows: list[list[Any]]) -> pd.DataFrame:
    """Rows of the page as Python takes them."""
    out = {}
    for j, column in enumerate(tree.schema.columns):
        cells = [row[j] for row in rows]
        if column.levels:
            named = [None if x is None else column.levels[x] for x in cells]
            ordered = column.kind == "ordered"
            out[column.name] = pd.Categorical(named, column.levels, ordered=True) if ordered else pd.Series(named, dtype=object)
        elif column.kind == "bool":
            out[column.name] = pd.array([None if x is None else bool(x) for x in cells], "boolean")
        else:
            out[column.name] = np.array([np.nan if x is None else x for x in cells], float)
    return pd.DataFrame(out)


def drawn(tree: Any, count: int, seed: int = 0) -> list[list[Any]]:
    rng = np.random.default_rng(seed)
    cells = [edges(tree, j) for j in range(len(tree.schema.columns))]
    return [[each[int(rng.integers(len(each)))] for each in cells] for _ in range(count)]


def test_the_rule_of_every_node_is_its_path(tree: Any) -> None:
    document = model_document(tree)
    found = computed("model", "given.nodes.first.map((_, id) => $model.modelOf(given).pathTo(id))", document)
    upper = lower = 0
    for node in tree.nodes():
        path: dict[int, Any] = {}
        for condition in node.path:
            path = with_condition(path, condition)
        page = {one["column"]: one for one in found[node.id]}
        assert page.keys() == path.keys()
        for j, condition in path.items():
            cells = tried([condition], condition.column)
            one = page[j]
            for cell, share in zip(cells.tolist(), shares(condition, cells), strict=True):
                if cell != cell or (condition.column.nominal and cell < 0):
                    assert one["missing"] == pytest.approx(share)
                    continue
                low, high = one["low"], one["high"]
                holds = one["present"] and (one["levels"] is None or cell in one["levels"])
                holds = holds and (low is None or cell > low["at"] or (low["holds"] and cell == low["at"]))
                holds = holds and (high is None or cell < high["at"] or (high["holds"] and cell == high["at"]))
                assert holds == bool(share), (node.id, str(condition), cell)
            upper += one["high"] is not None
            lower += one["low"] is not None
    assert upper > 0 and lower > 0


def test_a_row_is_followed_to_its_leaf_and_shares(tree: Any) -> None:
    rows = drawn(tree, 300)
    said = computed(
        "model rows",
        "(() => { const t = $rows.rowTools($model.modelOf(given[0]));"
        "return given[1].map((row) => { const f = t.follow(row, 0); return [f.says, f.shares, t.leafOf(row, 0)]; }); })()",
        [model_document(tree), rows],
    )
    X = frame(tree, rows)
    np.testing.assert_allclose([one[1] for one in said], tree.predict_proba(X), atol=1e-12)
    assert [one[0] for one in said] == tree.predict(X).tolist()
    assert [one[2] for one in said] == tree.apply(X).tolist()


def test_regions_hold_the_cells_of_their_leaf(tree: Any) -> None:
    """Every cell that is not itself a border lies in one region, that of the leaf it comes to; a region ends where answers do."""
    document, fixed = model_document(tree), drawn(tree, 12, seed=1)
    used = tree.splits.tested()
    asked = [[row, list(axes)] for row in fixed for axes in [*((j,) for j in used), *itertools.combinations(used, 2)]]
    found = computed(
        "model rows",
        "(() => { const t = $rows.rowTools($model.modelOf(given[0])); return given[1].map(([r, a]) => t.regions(r, 0, a)); })()",
        [document, asked],
    )
    rows: list[list[Any]] = []
    leaves = []
    cuts = borders(tree)
    for (row, axes), picture in zip(asked, found, strict=True):
        if picture["divided"]:
            continue
        boxes = [([[float(low), float(high)] for low, high in box["spans"]], box["leaf"]) for box in picture["boxes"]]
        for place in itertools.product(*([x for x in edges(tree, j) if x is not None] for j in axes)):
            # A cell at a threshold belongs to one side of it, which the ends of a span do not tell: the number beside it does.
            inside = [leaf for spans, leaf in boxes if all(low < x < high for x, (low, high) in zip(place, spans, strict=True))]
            at_cut = any(x in cuts[j] for j, x in zip(axes, place, strict=True))
            cell = list(row)
            for j, x in zip(axes, place, strict=True):
                cell[j] = x
            assert len(inside) == 1 or (at_cut and not inside), (place, axes)
            if inside:
                rows.append(cell)
                leaves.append(inside[0])
    assert len(rows) > 100
    places = computed("model", "given[1].map((at) => $model.modelOf(given[0]).originOf(at))", [document, leaves])
    assert places == tree.apply(frame(tree, rows)).tolist()


@pytest.mark.parametrize("kind", ["voting", "list", "parts", "voting parts"])
def test_rules_share_a_row_as_python_does(kind: str) -> None:
    X, y = weather()
    grown = (tw.C45Classifier(pruned=False) if "parts" in kind else tw.CARTClassifier(min_samples_leaf=4)).fit(X, y).tree_
    rules = grown.to_rules().simplify(X, y)
    if "voting" not in kind:
        rules = tw.RuleSet(rules.rules, rules.schema, rules.target, True, rules.otherwise).scored(X, y)
    assert rules._in_parts == ("parts" in kind)
    rows = drawn(grown, 300, seed=2)
    expression = (
        "(() => { const t = $rows.rowTools($model.modelOf(given[0]));"
        "return given[1].map((row) => { const f = t.follow(row, 0); return [f.shares, f.ends.map((end) => end[1])]; }); })()"
    )
    said = computed("model rows", expression, [model_document(rules), rows])
    table = frame(grown, rows)
    np.testing.assert_allclose([one[0] for one in said], rules.predict_proba(table), atol=1e-12)
    votes = rules._votes(*rules._cells(table)).toarray()
    for (_, ends), own in zip(said, votes, strict=True):
        held = [share for share in own if share > 0]
        assert ends == pytest.approx(held)
        assert sum(ends) == pytest.approx(1)
    assert any(len(one[1]) > 1 for one in said) == (kind != "list")


def test_regions_of_rules_that_vote_hold_what_they_say() -> None:
    X, y = weather()
    grown = tw.CARTClassifier(min_samples_leaf=4).fit(X, y).tree_
    rules = grown.to_rules().simplify(X, y)
    base = drawn(grown, 4, seed=3)
    names = [column.name for column in rules.schema.columns]
    used = [names.index(name) for name in rules.used]
    asked = [[row, list(axes)] for row in base for axes in [*((j,) for j in used), *itertools.combinations(used, 2)]]
    expression = (
        "(() => { const t = $rows.rowTools($model.modelOf(given[0]));"
        "return given[1].map(([r, a]) => t.regions(r, 0, a).boxes.map((b) => [b.spans, b.found.shares])); })()"
    )
    rows: list[list[Any]] = []
    shown = []
    cuts = borders(grown)
    for (row, axes), boxes in zip(asked, computed("model rows", expression, [model_document(rules), asked]), strict=True):
        for place in itertools.product(*([x for x in edges(grown, j) if x is not None] for j in axes)):
            inside = [
                told for spans, told in boxes if all(float(a) < x < float(b) for x, (a, b) in zip(place, spans, strict=True))
            ]
            at_cut = any(x in cuts[j] for j, x in zip(axes, place, strict=True))
            assert len(inside) == 1 or (at_cut and not inside), (place, axes)
            if inside:
                rows.append([place[axes.index(j)] if j in axes else x for j, x in enumerate(row)])
                shown.append(inside[0])
    assert len(rows) > 100
    np.testing.assert_allclose(shown, rules.predict_proba(frame(grown, rows)), atol=1e-12)


def test_texts_of_rules_are_those_of_python(tree: Any) -> None:
    said = computed("model", "given.nodes.first.map((_, id) => $model.modelOf(given).rule(id))", model_document(tree))
    for node in tree.leaves():
        path: dict[int, Any] = {}
        for condition in node.path:
            path = with_condition(path, condition)
        expected = [condition.text().replace("<=", "≤").replace(">=", "≥").replace("%", " %") for condition in path.values()]
        assert said[node.id] == expected


def test_only_all_is_all_and_only_nothing_is_nothing() -> None:
    given = [
        0.0,
        1.0,
        *np.linspace(0.0, 1.0, 1001).tolist(),
        *(10.0**-k for k in range(1, 12)),
        *(1 - 10.0**-k for k in range(1, 9)),
    ]
    for name, off in (("share", 0.5), ("percent", 0.05)):
        said = computed("words", f"given.map((x) => $words.{name}(x))", given)
        for fraction, text in zip(given, said, strict=True):
            number, sign = text.split(" ")
            assert sign == "%" and abs(float(number) - 100 * fraction) <= off + 1e-9
            assert (float(number) == 100) == (fraction == 1)
            if name == "share":
                assert (float(number) == 0) == (fraction == 0)
        assert said[1] == "100 %"


def test_rows_of_the_page_are_those_of_python(tree: Any) -> None:
    rows = drawn(tree, 40, seed=5)
    assert numbered(frame(tree, rows), tree.schema) == rows
