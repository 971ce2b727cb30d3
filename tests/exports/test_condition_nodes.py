"""Conditions with surrogates as nodes of a program: walked cell by cell, they decide as the conditions themselves do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright.export.condition_nodes import FAILS, HOLDS, condition_nodes


def _walked(block: list[Any], cells: list[Any], row: int) -> bool:
    at = 0
    while at >= 0:
        column, (_, cuts, to, missing) = block[at].condition.index, block[at]
        x = float(cells[column][row])
        at = missing if x != x or (cells[column].dtype.kind == "i" and x < 0) else to[sum(x > cut for cut in cuts)]
    assert at in (HOLDS, FAILS)
    return at == HOLDS


def test_surrogates_decide_as_their_conditions_do() -> None:
    rng = np.random.default_rng(0)
    n = 400
    sky = rng.integers(0, 6, n)
    heat = rng.normal(size=n)
    X = pd.DataFrame(
        {
            "sky": [f"s{k}" for k in sky],
            "town": [f"t{3 * k + d}" for k, d in zip(sky, rng.integers(0, 3, n), strict=True)],
            "heat": heat,
            "warmth": heat + rng.normal(0, 0.3, n),
        }
    ).mask(rng.random((n, 4)) < 0.1)
    y = (sky % 3 + (heat > 0) + (heat > 1) + (rng.random(n) < 0.1)) % 2
    rules = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_.to_rules()
    conditions = {condition for rule in rules for condition in rule.when if condition.if_missing}
    assert {condition.column.name for condition in conditions} == set(X)
    # Cells of every kind beside cells of every other.
    cells = [np.where(rng.random(n) < 0.3, -1, rng.integers(0, len(rules.schema.known[j]), n)) for j in (0, 1)]
    cells += [np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)) for _ in range(2)]
    for condition in conditions:
        block = condition_nodes(rules.schema, condition)
        assert [_walked(block, cells, row) for row in range(n)] == condition.holds(cells).tolist(), condition.text(full=True)
