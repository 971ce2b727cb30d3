"""Columns of a table to predict against those of the training table, as scikit-learn compares them."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from treewright.table.frames import as_matrix, as_table, is_frame


def match_columns(estimator: Any, X: Any) -> Any:
    """Return the table, whose columns must be those of the training table, in their order; the error says how to pick them."""
    X = as_table(X) if is_frame(X) else as_matrix(X)
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        if "feature names" not in str(error):
            raise
        # scikit-learn's checks want its lines as they are.
        wanted = "list(model.feature_names_in_)"
        remedy = f"X[{wanted}]" if hasattr(X, "iloc") else f"X.select({wanted})"
        lacks = "now missing" in str(error)
        raise ValueError(f"{error}{'Add the missing columns; then use' if lacks else 'Use'} {remedy}.") from None
    return X
