"""What can be asked of a fitted forest beside predictions: importances, near rows, typical rows, quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import parts
from treewright.errors import real
from treewright.estimators.ensemble import EnsembleEstimator
from treewright.inspect.proximity import prototypes, proximities
from treewright.learn.ensemble import SampledLearner
from treewright.learn.importances import corrected, permuted
from treewright.learn.values import whole
from treewright.model.forest_targets import ForestTargets


class ForestFacts(EnsembleEstimator):
    """Importances, near rows and typical rows."""

    def importances(self, method: str = "impurity", X: Any = None, y: Any = None, sample_weight: Any = None) -> dict[str, float]:
        """What every column means to the forest, by its name.

        Parameters
        ----------
        method : {"impurity", "corrected", "permutation"}, default "impurity"
            "impurity": the share in the fall of impurity, as in ``feature_importances_``; columns of many distinct values get too
            much. "corrected": the fall of impurity less that of shadows, copies whose cells are permuted, in a second forest that
            sees both (Nembrini, König and Wright 2018; ranger's ``impurity_corrected``); columns that tell nothing are near 0, on
            either side. "permutation": by how much trees err more on rows they were grown without once the cells of the column
            are permuted (Breiman 2001): a share of rows, or of squared error.
        X, y, sample_weight
            The training table, which the last two methods need.
        """
        check_is_fitted(self, "forest_")
        name = parts.check_name("method", method, ("impurity", "corrected", "permutation"))
        names = self.forest_.schema.names
        if name == "impurity":
            return dict(zip(names, self.feature_importances_.tolist(), strict=True))
        if X is None or y is None:
            raise ValueError(f"importances({name!r}) needs the training table: importances({name!r}, X, y)")
        learner = self._ensemble_learner
        assert isinstance(learner, SampledLearner)
        X = self._checked(X)
        if name == "corrected":
            return dict(zip(names, corrected(learner, X, y, sample_weight).tolist(), strict=True))
        drawing = vars(self).get("drawing_")
        if drawing is None:
            raise ValueError(
                "importances('permutation') judges trees by rows they were grown without, and there are none: "
                "each learned from all rows of its fit (bootstrap=False, or warm_start with other rows)"
            )
        if len(drawing.counts(0)) != (len(y) if drawing.kept is None else int(np.count_nonzero(drawing.kept))):
            raise ValueError("X and y are not the training table: it had another number of rows")
        return dict(zip(names, permuted(learner, self.forest_, drawing, X, y, sample_weight)[0].tolist(), strict=True))

    def proximities(self, X: Any, k: int = 10, to: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The nearest rows of every row: in how many trees both end in the same leaf.

        Parameters
        ----------
        X : table
            The rows.
        k : int, default 10
            How many near rows are wanted.
        to : table, optional
            Where they are looked for, such as the training table; by default among the rows of X, of which none is its own
            neighbour.

        Returns
        -------
        rows : array of shape (n_rows, k)
            Positions of the nearest rows, the nearest first; of equally near ones the first.
        shares : array of shape (n_rows, k)
            Share of trees in which both end in the same leaf.
        """
        X = self._checked(X)
        to = None if to is None else self._checked(to)
        return proximities(self.forest_, X, whole("k", k, 1), to, self._threads())

    def prototypes(self, X: Any, y: Any, k: int = 50) -> dict[Any, dict[str, Any]]:
        """A typical row of every class, as a dict by column.

        The row that has most rows of its class among its nearest k stands in the middle of them; of these, numbers are told by
        their median, levels by the most frequent.
        """
        X = self._checked(X)
        if self.forest_.target.classes is None:
            raise ValueError("prototypes are of classes, this forest predicts numbers")
        return prototypes(self.forest_, X, y, whole("k", k, 1), self._threads())


class ForestQuantiles(EnsembleEstimator):
    """Quantiles by the targets of leaves (Meinshausen 2006)."""

    leaf_targets_: ForestTargets

    def predict_quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> NDArray[np.float64]:
        """Quantiles of the target for every row (Meinshausen 2006); fit with ``keep_targets=True``.

        Parameters
        ----------
        X : table
            The rows.
        q : float or list of float, default (0.05, 0.5, 0.95)
            Shares from 0 to 1. A training row weighs, in every tree, its share of the leaf that both end in; a quantile is the
            lowest target at which the cumulated weight reaches the share.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, number of shares)
        """
        X = self._checked(X)
        if self.forest_.target.outputs:
            raise ValueError("quantiles are of one number a row, this forest tells several: fit one for each of them")
        kept = vars(self).get("leaf_targets_")
        if kept is None:
            raise ValueError("the targets of the leaves were not kept: fit with keep_targets=True")
        quantiles: NDArray[np.float64] = kept.quantiles(self.forest_.apply(X, self._threads()), q)
        return quantiles

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Lower and upper end of an interval that holds this share of the weight of the training targets, for every row."""
        rest = (1 - real("coverage", coverage, 0.0, 1.0)) / 2
        return self.predict_quantiles(X, (rest, 1 - rest))
