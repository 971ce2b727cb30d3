"""Pruning as a verb on a fitted estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from treewright.estimators.stored import Fits
from treewright.learn.pruning import prune, pruning_path
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.prune.path import PruningPath
from treewright.prune.rows import given_rows


class Prunable(Fits):
    """What fitted tree estimators can do about their size."""

    _learner_class: ClassVar[type[TreeLearner[Any]]]

    tree_: Tree
    pruning_path_: PruningPath

    @property
    def _learner(self) -> TreeLearner[Any]:
        return self._learner_class(self)

    def prune(
        self,
        method: str = "cost_complexity",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        folds: Any = None,
        rule: str = "best",
        validation: Any = None,
        random_state: Any = None,
        **options: Any,
    ) -> Self:
        """Return a copy of this estimator with its tree cut back; this one stays as it is.

        Parameters
        ----------
        method : str, default "cost_complexity"
            As in :meth:`Tree.prune`.
        X, y : table and target, optional
            A pruning set. With ``folds`` the training rows.
        sample_weight : array, optional
            Their weights.
        folds : int, array or splitter, optional
            Choose by cross-validation ("cost_complexity" only): trees are grown anew on all folds but one and judged on that one.
            How many folds, the number of the fold of every row, or a scikit-learn splitter.
        rule : {"best", "1se"}, default "best"
            Where a path is chosen from: the least error, or the smallest tree within one standard error of it.
        validation : (X, y) or (X, y, sample_weight), optional
            Rows that only judge: their errors are in ``pruning_path_``.
        random_state : int, RandomState instance or None, default None
            Which rows, by position, go to which fold; None is the seed 0.
        **options
            As in :meth:`Tree.prune`.

        Returns
        -------
        estimator
            Fitted. Where a path was chosen from, it is ``pruning_path_``.
        """
        check_is_fitted(self, "tree_")
        self._learner.refuse_pruning(self.tree_)
        rows = given_rows(X, y, sample_weight)
        how: dict[str, Any] = {"folds": folds, "rule": rule, "validation": validation, "random_state": random_state}
        tree, path = prune(self._learner, self.tree_, method, rows, **how, options=options)
        out = self._with_tree(tree)
        if path is not None:
            out.pruning_path_ = path
        return out

    def pruning_path(
        self,
        X: Any = None,
        y: Any = None,
        *,
        method: str = "cost_complexity",
        sample_weight: Any = None,
        folds: Any = None,
        validation: Any = None,
        random_state: Any = None,
        **options: Any,
    ) -> PruningPath:
        """Return the nested trees that pruning chooses from, with size, alpha and errors of each.

        Parameters
        ----------
        X, y, sample_weight, folds, validation, random_state
            As in :meth:`prune`.
        method : {"cost_complexity", "critical_value", "reduced_error"}
            Which path.
        **options
            ``risk`` of "cost_complexity", ``measure`` of "critical_value".

        Returns
        -------
        PruningPath
        """
        check_is_fitted(self, "tree_")
        rows, judging = given_rows(X, y, sample_weight), given_rows(validation)
        return pruning_path(self._learner, self.tree_, method, rows, folds, judging, random_state, options)

    def _with_tree(self, tree: Tree) -> Self:
        """Return a copy with another tree; ``copy.copy`` would write the model out and read it in."""
        out = object.__new__(type(self))
        gone = {"pruning_path_", *self._learner_class.stored}
        out.__dict__.update({name: value for name, value in vars(self).items() if name not in gone})
        return out._take(self._learner.cut_to(tree, self._learned()))
