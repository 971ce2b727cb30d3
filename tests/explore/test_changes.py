"""What would change an answer, and the regions of answers, in a real browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tests.explore.conftest import Open
from tests.explore.rows import well
from treewright.explore.modules import script


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
