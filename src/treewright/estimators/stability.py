"""Stability of a fitted tree as a verb on its estimator."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.estimators.pruning import Prunable
from treewright.learn.stability import stability
from treewright.model.stability import Stability


class Resampled(Prunable):
    """What fitted tree estimators can tell about trees they might have grown instead."""

    def stability(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        n_resamples: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> Stability:
        """How often each split of the tree survives when the rows are drawn anew.

        The learner, as it is set, grows a tree from each of many bootstrap samples (as many rows, drawn with replacement). A
        split survives if the resampled tree tests the same column at the same place: after the same columns on the way there.
        Thresholds may differ, and their spread is told.

        Parameters
        ----------
        X, y, sample_weight
            The rows the tree was grown from.
        n_resamples : int, default 100
            How many trees are grown.
        random_state : int, RandomState instance or None, default None
            Which rows are drawn; None is the seed 0, so that the answer is always the same.
        n_jobs : int, optional
            Trees grown at the same time. The answer does not depend on it.
        verbose : bool, default False
            Show a progress bar.

        Returns
        -------
        Stability
            Printed, the tree with the shares; ``splits`` and ``to_frame()`` are the table.

        Examples
        --------
        >>> import treewright as tw
        >>> tennis = tw.datasets.load_play_tennis()
        >>> est = tw.C45Classifier().fit(tennis.X, tennis.y)
        >>> found = est.stability(tennis.X, tennis.y, n_resamples=20)
        >>> len(found), found[0].column, 0 < found[0].kept < 1
        (3, 'outlook', True)
        """
        check_is_fitted(self, "tree_")
        return stability(
            self._learner,
            self.tree_,
            X,
            y,
            sample_weight=sample_weight,
            n_resamples=n_resamples,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
