"""What richer nodes buy: row 149, the trade-off between the complexity of a node, its branches and the size of the tree."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw

MODELS = {
    "C4.5": tw.C45Classifier(),
    "CART": tw.CARTClassifier(min_samples_leaf=5),
    "oblique": tw.ObliqueTreeClassifier(method="ldt"),
}


def read(shared: Path, name: str) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.read_parquet(shared / "data" / f"{name}.parquet")
    target = frame.pop(frame.columns[-1]).astype(str)
    return frame, target


@cache
def report(shared: Path, name: str) -> tw.Comparison:
    return tw.compare(MODELS, *read(shared, name), repeats=1)


@pytest.mark.parametrize("name", ["heart-c", "balance-scale"])
def test_row_149_the_report_weighs_nodes_branches_and_size(shared: Path, name: str) -> None:
    found = report(shared, name)
    size = {model.name: model.size or {} for model in found.models}
    assert list(size) == list(MODELS)
    for model in found.models:
        assert len(model.scores) == 10 and 0 < model.low < model.mean < model.high <= 1
        assert size[model.name]["size"] > size[model.name]["leaves"] > 1
    assert {(pair.first, pair.second) for pair in found.pairs} == {("C4.5", "CART"), ("C4.5", "oblique"), ("CART", "oblique")}
    for pair in found.pairs:
        assert pair.low <= pair.difference <= pair.high
        assert set(pair.tests) == {"corrected_t", "combined_f", "mcnemar"}
        assert all(0 <= test.p <= test.p_holm <= 1 for test in pair.tests.values())
    text = found.to_text()
    assert all(word in text for word in ("95% interval", "size", "leaves", "adjusted", *MODELS))
    # A node that looks at several columns makes far fewer leaves, and pays with the terms of its equations.
    assert size["oblique"]["leaves"] < min(size["C4.5"]["leaves"], size["CART"]["leaves"]) / 2
    assert size["oblique"]["terms"] > 0 and "terms" not in size["CART"]


def test_row_149_nodes_differ_in_branches_and_columns(shared: Path) -> None:
    X, y = read(shared, "heart-c")
    grown = {name: model.fit(X, y).tree_.node_columns for name, model in MODELS.items()}
    branches = {name: np.unique(nodes.n_children[~nodes.is_leaf]).tolist() for name, nodes in grown.items()}
    assert max(branches["C4.5"]) > 2 and branches["CART"] == branches["oblique"] == [2]
    assert grown["oblique"].n_terms.max() > 1 and grown["C4.5"].n_terms.max() == grown["CART"].n_terms.max() == 0


def test_row_149_one_column_a_node_is_usually_enough(shared: Path) -> None:
    """Usually: on heart-c nothing else is shown to be better, on balance-scale, which compares columns, planes are."""
    for pair in report(shared, "heart-c").pairs:
        assert pair.tests["corrected_t"].p_holm > 0.05
    planes = report(shared, "balance-scale").pair("CART", "oblique")
    assert planes.difference < 0 and planes.tests["corrected_t"].p_holm < 0.05
    sums = {model.name: model.size or {} for model in report(shared, "balance-scale").models}
    assert sums["oblique"]["size"] < sums["CART"]["size"]
