"""Contributions of columns to what an estimator predicts."""

from __future__ import annotations

from typing import Any

from treewright.learn.values import threads
from treewright.model.protocol import Model


class Contributing:
    """An estimator that says what each column contributes to its answers."""

    # Of the estimator.
    _model: Model
    _checked: Any

    def contributions(self, X: Any, background: Any = None) -> Any:
        """What each column contributes to what is predicted of every row: Shapley values, which add up to the answer.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.
        background : array or frame, optional
            Rows that stand in for what is not known of a row, such as a hundred training rows. Without it the training rows do,
            as far as trees remember them: where a column is not known, a row goes down all branches by their training weight.

        Returns
        -------
        Contributions
            To the shares of ``predict_proba``, in the order of ``classes_``, or to the numbers of ``predict``: ``base`` plus the
            sum of ``values`` over the columns.
        """
        model = self._model
        against = None if background is None else self._checked(background)
        found = model.contributions(self._checked(X), against, threads(getattr(self, "n_jobs", None)))
        return found if found.classes is None else found.ordered(vars(self)["classes_"].tolist())
