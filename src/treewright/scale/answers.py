"""Answers for frames of Dask: every partition is answered where it lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import shown


def predict(est: Any, X: Any) -> Any:
    """Predict the rows of a frame of Dask, each partition where it lies.

    Nothing is computed before the answer is asked for. It is what ``est.predict`` says of the same rows in memory.

    Parameters
    ----------
    est : estimator
        A fitted classifier or regressor.
    X : dask.dataframe.DataFrame
        The columns it was fitted with.

    Returns
    -------
    dask.dataframe.Series
        A class or a number for every row, with the index of the rows.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> import treewright as tw
    >>> frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": ["no", "no", "yes", "yes"]})
    >>> est = tw.CARTClassifier().fit(frame[["x"]], frame["y"])
    >>> tw.scale.predict(est, dd.from_pandas(frame[["x"]], npartitions=2)).compute().tolist()
    ['no', 'no', 'yes', 'yes']
    """
    import pandas as pd

    kind = np.asarray(est.classes_) if hasattr(est, "classes_") else np.zeros(1)
    meta = pd.Series(kind, name="prediction").iloc[:0]
    return _frame_of_dask(X).map_partitions(_predicted, est, meta, meta=meta)


def predict_proba(est: Any, X: Any) -> Any:
    """Tell the share of every class for the rows of a frame of Dask, each partition where it lies.

    Parameters
    ----------
    est : estimator
        A fitted classifier.
    X : dask.dataframe.DataFrame
        The columns it was fitted with.

    Returns
    -------
    dask.dataframe.DataFrame
        A column for every class, in the order of ``est.classes_``, with the index of the rows.
    """
    import pandas as pd

    if not hasattr(est, "predict_proba"):
        raise TypeError(f"{type(est).__name__} predicts no shares of classes; use tw.scale.predict")
    meta = pd.DataFrame(np.zeros((0, len(est.classes_))), columns=pd.Index(est.classes_))
    return _frame_of_dask(X).map_partitions(_shares, est, meta, meta=meta)


def _frame_of_dask(X: Any) -> Any:
    if not hasattr(X, "map_partitions") or not hasattr(X, "columns"):
        raise TypeError(f"X={shown(X)} is no frame of Dask: est.predict answers rows in memory")
    return X


def _predicted(part: Any, est: Any, meta: Any) -> Any:
    import pandas as pd

    return pd.Series(est.predict(part), index=part.index, name=meta.name).astype(meta.dtype) if len(part) else meta


def _shares(part: Any, est: Any, meta: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(est.predict_proba(part), index=part.index, columns=meta.columns) if len(part) else meta
