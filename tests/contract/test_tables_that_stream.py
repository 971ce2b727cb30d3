"""Tables that hand their rows over once, or have none yet, and rows that are dicts."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

DAYS = pd.date_range("2024-01-01", periods=20)
FRAME = pd.DataFrame({"colour": ["red", "green", None, "blue"] * 5, "size": np.arange(20.0), "day": DAYS})
Y = ["small" if size < 7 else "large" for size in FRAME["size"]]


class Stream:
    """What knows no more than Arrow's protocol for streams."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Cells:
    """What knows no more than how to become an array."""

    def __init__(self, cells):
        self.cells = cells

    def __array__(self, dtype=None, copy=None):
        return np.array(self.cells, dtype)


def forms():
    duckdb = pytest.importorskip("duckdb")
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    relation = duckdb.from_arrow(table)
    return {
        "stream": Stream(table),
        "reader": table.to_reader(),
        "batch": table.to_batches()[0],
        "relation": relation,
        "lazy": pl.from_arrow(table).lazy(),
        "polars": pl.from_arrow(table),
    }


@pytest.mark.parametrize("form", ["stream", "reader", "batch", "relation", "lazy", "polars"])
@pytest.mark.parametrize("make", [tw.C45Classifier, tw.RipperClassifier, lambda: tw.RandomForestClassifier(n_estimators=3)])
def test_every_stream_of_arrow_is_a_table(form, make):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    wanted = make().fit(table, Y)
    est = make().fit(forms()[form], Y)
    assert est._model == wanted._model and est.feature_names_in_.tolist() == FRAME.columns.tolist()
    np.testing.assert_array_equal(est.predict(forms()[form]), wanted.predict(table))
    np.testing.assert_array_equal(est.predict_proba(forms()[form]), wanted.predict_proba(table))


def test_frames_of_dask_are_named():
    frame = type("DataFrame", (), {"__module__": "dask.dataframe.core", "columns": ["a"], "shape": (None, 1)})()
    with pytest.raises(TypeError, match=r"X is a Dask DataFrame, whose rows lie elsewhere: call \.compute\(\)"):
        tw.CARTClassifier().fit(frame, [1])


def test_what_can_only_become_an_array():
    cells = [[1.0, 2.0], [2.0, 1.0], [3.0, 2.0], [4.0, 1.0]]
    est = tw.CARTClassifier().fit(Cells(cells), [0, 0, 1, 1])
    assert est.n_features_in_ == 2 and est.predict(Cells(cells)).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("make", [tw.C45Classifier, tw.RipperClassifier, lambda: tw.RandomForestClassifier(n_estimators=3)])
def test_rows_that_are_dicts(make):
    est = make().fit(FRAME, Y)
    rows = [dict(zip(FRAME.columns, row, strict=True)) for row in FRAME.itertuples(index=False)]
    np.testing.assert_array_equal(est.predict(rows), est.predict(FRAME))
    np.testing.assert_array_equal(est.predict_proba(tuple(rows[3:5])), est.predict_proba(FRAME[3:5]))
    one = {"colour": None, "size": 3, "day": pd.Timestamp("2024-01-04")}
    assert est.predict(one) == est.predict([one]) == est.predict(pd.DataFrame([one]).astype({"colour": object}))


def test_rows_that_are_no_such_dicts_are_named():
    est = tw.C45Classifier().fit(FRAME[["colour", "size"]], Y)
    good = {"colour": "red", "size": 1.0}
    for rows, error, says in (
        ([good, {"colour": "red"}], ValueError, "row 1 has no cell for 'size': name every column, with None"),
        ([good, {**good, "shape": 1}], ValueError, "row 1 has a cell for 'shape', of which the model knows nothing"),
        ([good, [1, 2]], TypeError, r"row 1 is \[1, 2\], row 0 a dict of cells by column"),
        ([good, {"colour": "red", "size": "wide"}], ValueError, "the cells of column 'size' are of several kinds"),
    ):
        with pytest.raises(error, match=says):
            est.predict(rows)
