"""Boosted trees are programs with the answers of the model to the last bit: scores that members add up, and their link."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.made import DERIVED, drawn, drawn_rows, made
from tests.exports.runners import EVERY, model_answers
from tests.exports.test_divided import no_answers
from tests.exports.test_forests import Grown
from tests.peers.record_boosters import table
from tests.peers.test_adopted_boosters import read
from treewright.export.forest_program import joined
from treewright.export.labels import Label

MODELS = [("lightgbm", "several"), ("lightgbm", "two"), ("lightgbm", "poisson"), ("xgboost", "quantiles"), ("xgboost", "dart")]


def rows(n: int = 50) -> pd.DataFrame:
    """Rows with missing cells, and levels that training did not show."""
    X = table()[0][:n].astype({"sex": object, "band": object})
    return X.assign(band=X["band"].where(np.arange(n) % 6 != 0, "unseen"))


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize(("library", "which"), MODELS)
def test_models_of_other_libraries(export: str, library: str, which: str) -> None:
    est, X = Grown(read(library, which)), rows()
    expected = model_answers(est, X)
    EVERY[export](est, X).equal(expected)
    assert len({str(one) for one in expected.shares or expected.prediction}) > 10


@pytest.mark.parametrize("export", EVERY)
def test_far_scores(export: str) -> None:
    """Powers of e end at 3e307 and 0, shares at 0 and 1."""
    X = rows(12)
    for library, which in MODELS[:3]:
        forest = read(library, which)
        for far in (-3.0, 900.0, -900.0):
            combine = replace(forest.combine, base=(far, *forest.combine.base[1:]))
            est = Grown(tw.Forest(forest.members, forest.schema, forest.target, forest.weights, combine))
            EVERY[export](est, X).equal(model_answers(est, X))


def added(seed: int, link: str, **options: Any) -> Any:
    """Programs of nodes that jump as they please, as members that add to scores."""
    soft = options.pop("soft", False)
    programs = [drawn(10 * seed + k, soft=soft and k > 0, numbers=True, **options) for k in range(5)]
    several, classes = link == "shares", tuple(Label("t", one) for one in "pqr")
    program = joined(programs, (0.7, 1.1, 0.3, 0.2, 0.4), "scores")
    members = tuple(one._replace(score=k % 3 if several else 0) for k, one in enumerate(program.members))
    base = (0.25, -1.5, 0.125) if several else (0.25,)
    told = {"classes": classes, "order": (2, 0, 1), "outputs": ()} if several else {}
    return made(replace(program, members=members, base=base, link=link, **told))


OPTIONS: list[dict[str, Any]] = [{}, {"soft": True}, {"derived": DERIVED}, {"derived": DERIVED, "divides": False}]


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize("link", ["identity", "exp", "shares"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_members_of_any_nodes(export: str, link: str, options: dict[str, Any]) -> None:
    if export == "onnx" and options.get("divides", True):
        pytest.skip("ONNX refuses rows that go several ways")
    for seed in range(2):
        one, X = added(seed, link, **options), drawn_rows(seed)
        EVERY[export](one, X).equal(model_answers(one, X))


@pytest.mark.parametrize("export", ["c", "duckdb", "sqlite", "postgresql", "onnx"])
@pytest.mark.parametrize("link", ["exp", "shares"])
def test_a_row_has_no_answer_if_a_member_has_none(export: str, link: str) -> None:
    found = 0
    for seed in range(3):
        one, X = added(seed, link, refusing=True, divides=False), drawn_rows(seed)
        refused = one.refused(X)
        whole = X[~refused].reset_index(drop=True)
        EVERY[export](one, whole).equal(model_answers(one, whole))
        said = no_answers(export, one, X[refused].reset_index(drop=True))
        assert all(each in (None, "", -1) or each != each for each in said)
        found += len(said)
    assert found > 10
