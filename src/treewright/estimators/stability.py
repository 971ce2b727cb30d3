"""Stability of a fitted tree: the same learner on bootstrap samples of its rows, tree by tree compared with it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.estimators.jobs import Watch, run_jobs
from treewright.estimators.regrow import twin
from treewright.estimators.settings import seed_of, threads, whole
from treewright.model.stability import Seen, Stability, survivors
from treewright.table.frames import as_table


class Resampled:
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
        est: Any = self
        count = whole("n_resamples", n_resamples, 1)
        seed = seed_of(random_state)
        reader = twin(est)  # reading the target sets attributes
        params = {**reader._parameters(), "verbose": False}
        training = reader._training(as_table(X), y, sample_weight, params)
        tree = est.tree_
        if [column.name for column in training.columns] != [column.name for column in tree.columns] or (
            training.target.classes != tree.target.classes
        ):
            raise ValueError("stability grows trees anew on X and y, which must be the training rows: columns or classes differ")
        n = len(training.codes)

        def one(number: int, watch: Watch | None) -> tuple[dict[int, Seen], int]:
            rows = np.sort(np.random.default_rng((seed, number)).integers(0, n, n))
            learner = twin(reader)  # so does learning, of some
            part = training.part(rows)
            settings = learner._settings(part, params)
            settings.threads = 1
            state = learner._learned(part, {**params, "watch": watch}, settings).state()
            return survivors(tree, state), int(np.sum(np.asarray(state["n_children"]) == 0))

        jobs = [partial(one, number) for number in range(count)]
        return Stability(tree, run_jobs(jobs, threads(n_jobs), "resampling" if verbose else None))
