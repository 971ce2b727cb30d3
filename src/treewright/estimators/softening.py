"""Gates in the place of tests as a verb on a fitted estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

import treewright
from treewright.estimators.stored import Fits
from treewright.table.streams import as_table

if TYPE_CHECKING:
    from treewright.estimators.soft import SoftTreeClassifier, SoftTreeRegressor


class Softens(Fits):
    """What fitted tree estimators can do about the jumps of their answers."""

    def soften(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        columns: str = "tested",
        ridge: float = 0.1,
        holdout: float = 0.2,
        iterations: int = 100,
        random_state: Any = None,
    ) -> SoftTreeClassifier | SoftTreeRegressor:
        """Return a fitted soft tree: this one with sigmoid gates in the place of its tests, trained on rows.

        Parameters
        ----------
        X, y, sample_weight : table, target and weights
            The rows: most often those it was fitted to.
        columns, ridge, holdout, iterations, random_state
            As in :meth:`Tree.soften`.

        Returns
        -------
        SoftTreeClassifier or SoftTreeRegressor
            Its tree has the shape of this one's. Fitted anew, it would grow one of its own.
        """
        check_is_fitted(self, "tree_")
        tree, given = self.tree_, self._learner.given
        X = as_table(X)
        self._checked(X)
        how = {"ridge": ridge, "holdout": holdout, "random_state": random_state}
        soft = tree.soften(X, y, columns=columns, iterations=iterations, sample_weight=sample_weight, **how)
        kind = getattr(treewright, "SoftTreeRegressor" if tree.target.classes is None else "SoftTreeClassifier")
        kept = {name: given[name] for name in ("categorical_features", "unseen", "n_jobs", "verbose") if name in given}
        out: SoftTreeClassifier | SoftTreeRegressor = kind(refine=True, iterations=max(iterations, 1), **how, **kept)
        names = ("n_features_in_", "feature_names_in_", "classes_")
        return out._take({name: vars(self)[name] for name in names if name in vars(self)} | {"tree_": soft})
