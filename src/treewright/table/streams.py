"""Tables that have no rows yet, or hand them over once: collected before anybody looks at them twice."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_table(X: Any) -> Any:
    """Return X as a table that can be read again: streams of Arrow and lazy frames collected, other things as they are."""
    kind = type(X)
    library = kind.__module__.partition(".")[0]
    if library in ("numpy", "pandas", "scipy") or isinstance(X, (list, tuple, dict)):
        return X
    if library.startswith("dask"):
        raise TypeError(
            f"X is a Dask {kind.__name__}, whose rows lie elsewhere: call .compute() where they fit into memory; otherwise "
            "tw.scale.fit learns from frames of Dask, and tw.scale.predict answers them"
        )
    if library == "polars":
        return X.collect() if kind.__name__ == "LazyFrame" else X
    if library == "ibis" and hasattr(X, "to_pyarrow"):
        return X.to_pyarrow()
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc") and kind.__name__ != "Table":
        import pyarrow as pa

        return pa.RecordBatchReader.from_stream(X).read_all()
    if kind.__name__ == "RecordBatch" and hasattr(X, "schema"):
        import pyarrow as pa

        return pa.Table.from_batches([X])
    if hasattr(X, "__array__") and not hasattr(X, "shape") and not hasattr(X, "columns"):
        return np.asarray(X)
    return X
