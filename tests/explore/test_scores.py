"""Trees whose nodes compare several scores, or a network's: the page follows rows through them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.explore.conftest import Open
from tests.explore.rows import numbered, well
from tests.oblique.tables import mixed
from tests.oblique.test_scores import fitted


@pytest.mark.parametrize("name", ["lmdt", "network"])
def test_the_page_follows_rows_through_scores(opened: Open, name: str) -> None:
    est, X = fitted(name, depth=2)
    tree = est.tree_
    page = opened(tree, X, mixed()[1])
    rows = numbered(X, tree.schema)
    found = page.evaluate(
        "rows => rows.map(row => { const f = treewright.tools.follow(row, 0); return [f.says, f.ends[0][0]]; })", rows
    )
    assert [says for says, _ in found] == tree.predict(X).tolist()
    assert [leaf for _, leaf in found] == tree.apply(X).tolist()
    # Along a column the answers change exactly where the tree's do.
    at = page.evaluate("row => treewright.tools.ranges(row, 0, 1).map(one => [one.low, one.says])", rows[3])
    probe = pd.concat([X.iloc[[3]]] * 400, ignore_index=True)
    probe["big"] = np.linspace(X["big"].min(), X["big"].max(), 400)
    ends = [(-np.inf if low is None else low[0], says) for low, says in at]
    told = [[says for low, says in ends if low < x][-1] for x in probe["big"]]
    assert np.mean(np.array(told) == tree.predict(probe)) > 0.995
    well(page)
