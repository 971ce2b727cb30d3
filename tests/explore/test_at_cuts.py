"""Cells exactly at a cut, and one unit of rounding beside it: ranges, regions, rules and changes of the page against Python."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.node import computed
from tests.explore.rows import weather
from tests.explore.test_against_python import TREES, drawn, edges, frame
from tests.explore.test_changes import _answer
from treewright.explore.write import model_document
from treewright.model.condition import with_condition

RANGES = (
    "(() => { const t = $rows.rowTools($model.modelOf(given[0]));return given[1].map(([row, j]) => t.ranges(row, 0, j)); })()"
)
CHANGES = "(() => { const t = $rows.rowTools($model.modelOf(given[0])); return given[1].map((row) => t.whatIf(row, 0)); })()"


def lists_and_votes(kind: str) -> tuple[Any, Any]:
    """Rules, and the tree they were made of."""
    X, y = weather()
    grown = (tw.C45Classifier(pruned=False) if "parts" in kind else tw.CARTClassifier(min_samples_leaf=4)).fit(X, y).tree_
    rules = grown.to_rules().simplify(X, y)
    if "voting" not in kind:
        rules = tw.RuleSet(rules.rules, rules.schema, rules.target, True, rules.otherwise).scored(X, y)
    return rules, grown


def models() -> dict[str, Any]:
    X, y = weather()
    numbers = {"temperature", "size"}
    grown = {name: each.fit(X[sorted(numbers)] if name == "strict" else X, y).tree_ for name, each in TREES.items()}
    out = {name: (tree, tree) for name, tree in grown.items()}
    return out | {kind: lists_and_votes(kind) for kind in ("voting", "list", "parts", "voting parts")}


@pytest.fixture(scope="module")
def every() -> dict[str, Any]:
    return models()


@pytest.mark.parametrize("name", [*TREES, "voting", "list", "parts", "voting parts"])
def test_ranges_hold_the_answers_of_their_cells(every: dict[str, Any], name: str) -> None:
    model, grown = every[name]
    numbers = [j for j in grown.splits.tested() if not (grown.columns[j].levels or grown.columns[j].kind == "bool")]
    asked = [[row, j] for row in drawn(grown, 25, seed=7) for j in numbers]
    found = computed("model rows", RANGES, [model_document(model), asked])
    rows, said = [], []
    for (row, j), ranges in zip(asked, found, strict=True):
        for x in edges(grown, j):
            if x is not None:
                rows.append([x if k == j else cell for k, cell in enumerate(row)])
                said.append(_answer(ranges, x))
    assert len(rows) > 50
    assert said == model.predict(frame(grown, rows)).tolist()


@pytest.mark.parametrize("name", [*TREES, "voting", "list", "parts", "voting parts"])
def test_changes_say_what_python_says(every: dict[str, Any], name: str) -> None:
    model, grown = every[name]
    rows = drawn(grown, 40, seed=8)
    found = computed("model rows", CHANGES, [model_document(model), rows])
    now = model.predict(frame(grown, rows)).tolist()
    changed, said = [], []
    for row, answer, changes in zip(rows, now, found, strict=True):
        for change in changes:
            assert change["says"] != answer
            changed.append([change["value"] if j == change["column"] else cell for j, cell in enumerate(row)])
            said.append(change["says"])
    assert len(changed) > 20
    assert said == model.predict(frame(grown, changed)).tolist()


def beside(x: float, count: int) -> list[float]:
    """Numbers from x on, each the next one above the last."""
    return list(itertools.accumulate(range(count - 1), lambda at, _: float(np.nextafter(at, np.inf)), initial=x))


@pytest.fixture(scope="module", params=[1.0, 0.1, 2**53 - 3.0, 1.9999999999999996, 1e-300, -3.7, 5e-324, 0.0, -1e17])
def narrow(request: pytest.FixtureRequest) -> tuple[tw.Tree, list[float]]:
    """A tree whose cuts lie next to each other."""
    values = beside(request.param, 6)
    X = pd.DataFrame({"x": np.repeat(values, 2), "z": np.tile([0.0, 1.0], 6)})
    y = np.repeat(list("pqrpqr"), 2)
    return tw.CARTClassifier().fit(X, y).tree_, values


@pytest.mark.parametrize("kind", ["tree", "voting", "list"])
def test_cuts_that_lie_next_to_each_other(narrow: tuple[tw.Tree, list[float]], kind: str) -> None:
    tree, values = narrow
    model: Any = tree
    if kind != "tree":
        rules = tree.to_rules()
        model = tw.RuleSet(rules.rules, rules.schema, rules.target, kind == "list", rules.otherwise)
    around = [float(np.nextafter(values[0], -np.inf)), *values, float(np.nextafter(values[-1], np.inf))]
    document = model_document(model)
    ranges = computed("model rows", RANGES, [document, [[[values[0], 0.0], 0]]])[0]
    table = pd.DataFrame({"x": around, "z": 0.0})
    assert [_answer(ranges, x) for x in around] == model.predict(table).tolist()
    changes = computed("model rows", CHANGES, [document, [[x, 0.0] for x in around]])
    for x, answer, found in zip(around, model.predict(table).tolist(), changes, strict=True):
        assert {change["says"] for change in found} == set("pqr") - {answer}, x
        said = model.predict(pd.DataFrame({"x": [float(change["value"]) for change in found], "z": 0.0})).tolist()
        assert said == [change["says"] for change in found], x
    regions = (
        "(() => { const t = $rows.rowTools($model.modelOf(given));"
        "const m = $model.modelOf(given);"
        "const said = (b) => m.classes[b.found ? b.found.label : m.label[m.originOf(b.leaf)]];"
        "return t.regions([0, 0], 0, [0]).boxes.map((b) => [b.spans[0], said(b)]); })()"
    )
    boxes = [(float(a), float(b), told) for (a, b), told in computed("model rows", regions, document)]
    strict = bool(tree.splits.thresholds(0).strict[0])
    for x, answer in zip(around, model.predict(table).tolist(), strict=True):
        assert [told for a, b, told in boxes if (a <= x < b if strict else a < x <= b)] == [answer], x


def test_of_two_bounds_at_one_number_the_tighter_holds() -> None:
    """Nodes with ``<`` and with ``<=`` on one path, as files may have them."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    state = dict(tw.CARTClassifier().fit(X, list("aabbcc")).tree_.state())
    tree = tw.CARTClassifier().fit(X, list("aabbcc")).tree_
    inner = np.flatnonzero(state["first_child"])
    assert len(inner) == 2
    for strict in ([0, 1], [1, 0]):
        state["cut_at"] = np.full(2, 3.0)
        state["strict"] = np.zeros_like(state["strict"])
        state["strict"][inner] = strict
        both = type(tree)(type(tree._core).from_state(state), tree.schema, tree.target)
        found = computed("model", "given.nodes.first.map((_, id) => $model.modelOf(given).pathTo(id))", model_document(both))
        for leaf in both.leaves():
            path: dict[int, Any] = {}
            for condition in leaf.path:
                path = with_condition(path, condition)
            for side in ("low", "high"):
                own, page = getattr(path[0], side), found[leaf.id][0][side]
                assert (own is None) == (page is None)
                assert own is None or (own.at, own.inclusive) == (page["at"], page["holds"])


def test_the_next_number_is_the_next() -> None:
    given = [0.0, -0.0, 1.0, -1.0, 1.9999999999999998, 2.0, -2.0, 5e-324, -5e-324, 1e308, 0.1, -0.3, 2.0**53, 2.0**-1022, 1e-310]
    assert computed("ends", "given.map((x) => $ends.next(x))", given) == np.nextafter(given, np.inf).tolist()


def test_a_cell_inside_is_inside_wherever_there_is_one() -> None:
    places = [
        -1.7976931348623157e308,
        -2.0,
        0.0,
        5e-324,
        1e-323,
        1.5e-323,
        0.1,
        float(np.nextafter(0.1, 1)),
        1e17,
        1.7976931348623157e308,
    ]
    ends = [None, *([at, side] for at in places for side in (0, 1))]
    pairs = [[low, high] for low in ends for high in ends if not (low and high and (low[0], low[1]) >= (high[0], high[1]))]
    pairs = [pair for pair in pairs if pair[0] != [places[-1], 1] and pair[1] != [places[0], 0]]
    found = computed("ends", "given.map(([low, high]) => $ends.inside(low, high, 1))", pairs)
    for (low, high), x in zip(pairs, found, strict=True):
        least = -math.inf if low is None else low[0] if low[1] == 0 else float(np.nextafter(low[0], np.inf))
        most = math.inf if high is None else high[0] if high[1] == 1 else float(np.nextafter(high[0], -np.inf))
        assert (x is None) == (least > most), (low, high)
        assert x is None or (least <= float(x) <= most and math.isfinite(float(x))), (low, high, x)
