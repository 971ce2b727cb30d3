"""Soft trees on the page: every gate's shares of a row, the shares of leaves, what changes would alter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import well


def table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (400, 2)), columns=list("ab"))
    return X, np.where(X.a**2 + X.b**2 < 0.6, "in", "out")


@pytest.mark.parametrize("numbers", [False, True])
def test_shares_at_gates_and_of_leaves(opened: Open, numbers: bool) -> None:
    X, y = table()
    model = (tw.SoftTreeRegressor(restarts=1) if numbers else tw.SoftTreeClassifier(restarts=1)).fit(X, X.a**2 if numbers else y)
    tree = model.tree_
    page = opened(model, X, X.a**2 if numbers else y, include_rows=True)
    rows = X.iloc[:10].to_numpy().tolist()
    follow = "rows => rows.map(row => { const f = treewright.tools.follow(row, 0); return [f.says, f.ends, f.shares]; })"
    expected = model.predict(X.iloc[:10]).tolist()
    for at, (says, ends, shares) in enumerate(page.evaluate(follow, rows)):
        assert says == pytest.approx(expected[at]) if numbers else says == expected[at]
        assert sum(share for _, share in ends) == pytest.approx(1) and len(ends) == tree.n_leaves
        if not numbers:
            assert shares == pytest.approx(model.predict_proba(X.iloc[[at]])[0].tolist(), abs=1e-12)
    page.evaluate("row => treewright.app.follow(row)", rows[0])
    page.get_by_role("tab", name="Row", exact=True).click()
    reasons = page.locator(".way li")
    reasons.first.wait_for()
    texts = reasons.all_inner_texts()
    gates = [text for text in texts if " ± " in text and "yes" in text]
    assert len(gates) == min(tree.n_nodes - tree.n_leaves, 8) and "of the row" in texts[-1]
    changes = page.evaluate("row => treewright.tools.whatIf(row, 0).map(f => [f.column, f.value, f.says])", rows[0])
    for column, value, says in changes if not numbers else ():
        changed = X.iloc[[0]].copy()
        changed.iloc[0, column] = value
        assert model.predict(changed)[0] == says != expected[0]
    for tab in ("Node", "Row", "Rules", "Regions"):
        page.get_by_role("tab", name=tab, exact=True).click()
    well(page)
