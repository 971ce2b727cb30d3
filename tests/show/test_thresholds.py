"""Thresholds are written short, but never so that a training row of the node would seem to go another way."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import modest
from treewright.cli import main
from treewright.table.schema import short_threshold


@modest(200)
@given(
    ends=st.tuples(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12)).filter(lambda ends: ends[0] != ends[1]),
    share=st.floats(0, 1),
    strict=st.booleans(),
)
def test_a_short_threshold_separates_and_stays_near(ends: tuple[float, float], share: float, strict: bool) -> None:
    below, above = sorted(ends)
    at = min(max(below + share * (above - below), below), above)
    if not (below < at <= above if strict else below <= at < above):
        return
    said = short_threshold(at, below, above, strict)
    assert below < said <= above if strict else below <= said < above
    assert abs(said - at) <= max((above - below) / 100, abs(at) * 1e-5)


@pytest.mark.parametrize(
    ("at", "below", "above", "said"),
    [
        (2.45, 1.9, 3.0, 2.45),
        (5.0615, 1.0, 9.123, 5.0615),  # was 5, which a new row of 5.03 contradicts
        (1234567.0, 0.0, 1e7, 1234567.0),  # seven digits are written as they are
        (0.48291748217, 0.3, 0.7, 0.4829),
        (1000.4512345678, 1000.0001, 1000.9, 1000.45),
        (5.1499999999999995, 5.1, 5.2, 5.15),
    ],
)
def test_how_many_digits(at: float, below: float, above: float, said: float) -> None:
    assert short_threshold(at, below, above, strict=False) == said


def learned(**parameters: Any) -> tuple[tw.TreeClassifier, pd.DataFrame]:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.random(60) * 3 + 1000, "z": rng.random(60)})
    y = (X["x"] + rng.random(60) > 1001.7).map({True: "yes", False: "no"})
    return tw.TreeClassifier(**parameters).fit(X, y), X


def test_all_digits_on_request() -> None:
    est, _ = learned(max_depth=3)
    texts = est.tree_.to_text(exact=True), est.tree_.to_svg(kind="tree", exact=True)
    for node in est.tree_.nodes():
        if node.split is not None:
            assert all(f"{node.split.column} <= {node.split.cuts[0]!r}?" in text.replace("&lt;", "<") for text in texts)
            assert f"<= {node.split.cuts[0]!r}?" not in est.tree_.to_text()


@pytest.mark.parametrize("discretise", ["equal_width", "equal_frequency", "mdlp"])
def test_intervals_are_short_as_well(discretise: str) -> None:
    est, X = learned(numeric="discretised", discretise=discretise, bins=6 if discretise != "mdlp" else 10)
    told = re.findall(r"([\d.]+) < (?:x|z) <= ([\d.]+)|<= ([\d.]+)", est.tree_.to_text(width=None))
    numbers = {number for found in told for number in found if number}
    assert numbers
    assert max(map(len, numbers)) <= 8
    # Every row is in the interval it seems to be in.
    for node in est.tree_.nodes():
        if node.split is None:
            continue
        cells = X[node.split.column].to_numpy()
        bounds = [condition.high for child in node.children if (condition := child.condition) is not None and condition.high]
        said = [float(bound.text) for bound in bounds]
        assert said == sorted(set(said))
        assert np.array_equal(np.searchsorted(said, cells), np.searchsorted(node.split.cuts, cells))


def test_the_command_line_writes_them_alike(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    est, _ = learned(max_depth=2)
    est.save(tmp_path / "model.json")
    cut = est.tree_.root.split.cuts[0]
    for more in ((), ("--exact",)):
        assert main(["show", str(tmp_path / "model.json"), *more]) == 0
        assert (f"<= {cut!r}?" in capsys.readouterr().out) == bool(more)


def test_days_are_written_as_days() -> None:
    X = pd.DataFrame({"at": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-05", "2020-01-08"])})
    for relation, day in (("<=", "2020-01-01"), ("<", "2020-01-02")):
        tree = tw.TreeClassifier(relation=relation).fit(X, ["p", "q", "q", "q"]).tree_
        assert tree.to_text().startswith(f"at {relation} {day}?")
        assert str(tree.to_rules()).startswith(f"if at {relation} 2020-01-01 12:00 then")  # what the tree does, and no more
