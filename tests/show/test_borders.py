"""The leaf at each place of a picture of regions that are no boxes."""

from __future__ import annotations

import numpy as np
import pandas as pd

import treewright as tw
from treewright.show.borders import leaves_at


def test_leaves_of_places_are_those_of_rows() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": rng.normal(size=200)})
    y = np.where(X.a + X.b > 0.3 * X.c, "p", "q")
    tree = tw.ObliqueTreeClassifier(method="cart-lc").fit(X, y).tree_
    ticks, leaves = leaves_at(tree, (1, 0), ((-2, 2), (-3, 1)), X.iloc[[7]])
    assert len(np.unique(leaves)) > 1
    places = [(i, j) for i in range(0, len(ticks[1]), 37) for j in range(0, len(ticks[0]), 41)]
    rows = pd.DataFrame([{"a": ticks[1][i], "b": ticks[0][j], "c": X.c.iloc[7]} for i, j in places])
    assert tree.apply(rows).tolist() == [leaves[i, j] for i, j in places]
