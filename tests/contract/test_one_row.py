"""One row as a frame or a dict answers as the same row in a table does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(80, 3)), columns=list("abc"))
MIXED = NUMBERS.assign(
    whole=RNG.integers(-(2**50), 2**50, 80),
    small=NUMBERS["a"].astype(np.float32),
    text=np.where(NUMBERS["b"] > 0, "up", "down"),
    flag=NUMBERS["c"] > 0,
)
Y = np.where(NUMBERS["a"] * NUMBERS["b"] > 0, "yes", "no")


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.C45Classifier, tw.RipperClassifier, tw.LogisticTreeClassifier])
@pytest.mark.parametrize("X", [NUMBERS, MIXED, MIXED.drop(columns=["text", "flag"])], ids=["numbers", "mixed", "types"])
def test_every_row_alone_answers_as_in_the_table(kind: Any, X: pd.DataFrame) -> None:
    est = kind().fit(X, Y)
    together = est.predict_proba(X)
    for i in range(0, len(X), 7):
        one = X.iloc[[i]]
        row = {name: one[name].tolist()[0] for name in X}
        backwards = dict(reversed(row.items()))
        for asked in (one, row, backwards):
            assert np.array_equal(est.predict_proba(asked)[0], together[i])


def test_columns_of_numbers_in_one_matrix_are_read_as_columns_are() -> None:
    est = tw.CARTClassifier().fit(MIXED[["a", "whole", "small"]], Y)
    table = MIXED[["a", "whole", "small"]]
    assert np.array_equal(est.predict(table), est.predict(pd.concat([table] * 20)).reshape(20, -1)[0])
    with pytest.raises(ValueError, match="infinity"):
        est.predict(table.assign(a=np.inf))
    with pytest.raises(ValueError, match="feature names"):
        est.predict(table[["whole", "a", "small"]])


def test_a_row_that_lacks_a_cell_or_has_one_too_many() -> None:
    est = tw.CARTClassifier().fit(NUMBERS, Y)
    row: dict[str, Any] = {"a": 1.0, "b": 2.0, "c": 3.0}
    with pytest.raises(ValueError, match="the row has no cell for 'c'"):
        est.predict({"a": 1.0, "b": 2.0})
    with pytest.raises(ValueError, match="feature names"):
        est.predict({**row, "d": 1.0})
    assert np.array_equal(est.predict({**row, "c": None}), est.predict(pd.DataFrame([{**row, "c": np.nan}])))
    with pytest.raises(TypeError, match="a dict of columns was passed"):
        est.predict({name: np.zeros(3) for name in "abc"})
    with pytest.raises(ValueError, match="column 'b' holds"):
        est.predict({**row, "b": 10**400})
