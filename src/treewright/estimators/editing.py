"""Editing as a verb on fitted tree estimators, and making the same edits again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from treewright.errors import shown
from treewright.estimators.stored import Stored, unfitted
from treewright.inspect.drift import Drift, drift
from treewright.learn.edits.edit import Edit
from treewright.learn.edits.folds import REFUSALS
from treewright.learn.edits.log import checked, learner_of, tree_of
from treewright.learn.edits.scores import CrossValidated, LeftOut, Scores
from treewright.learn.fitted import fit
from treewright.learn.refreshing import refresh
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.prune.rows import Rows

if TYPE_CHECKING:
    from treewright.workbench import Workbench


class Editable(Stored):
    """What fitted tree estimators can have done to them by a person, or by other rows."""

    tree_: Tree
    drift_: Drift

    def edit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        validation: Any = None,
        folds: Any = None,
        random_state: Any = None,
    ) -> Edit[Any]:
        """Edit the tree by hand, on its training rows; this estimator stays as it is.

        Parameters
        ----------
        X, y : table and target
            The rows the tree was grown from.
        sample_weight : array, optional
            Their weights.
        validation : (X, y) or (X, y, sample_weight), optional
            Rows that judge every edit.
        folds : int, array or splitter, optional
            Judge every edit by cross-validation, too: the estimator is fitted to all folds but one and the edits are made
            again. As in :meth:`prune`.
        random_state : int, RandomState instance or None, default None
            Which rows go to which fold.

        Returns
        -------
        Edit
            Its verbs give new trees, its ``estimator()`` is a fitted estimator with the tree as it then is.

        Examples
        --------
        >>> import treewright as tw
        >>> tennis = tw.datasets.load_play_tennis()
        >>> edit = tw.ID3Classifier().fit(tennis.X, tennis.y).edit(tennis.X, tennis.y)
        >>> edit.split(1, "wind").n_leaves, edit.cut(3).n_leaves, edit.undo().n_leaves
        (5, 4, 5)
        """
        check_is_fitted(self, "tree_")
        learner = self._learner
        assert isinstance(learner, TreeLearner)
        how: dict[str, Any] = {"validation": validation, "folds": folds, "random_state": random_state}
        return Edit(learner, self._learned(), Rows(X, y, sample_weight), **how, finish=self._with_learned())

    def workbench(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        validation: Any = None,
        folds: Any = None,
        random_state: Any = None,
        log: Any = None,
        port: int = 0,
        browser: bool | None = None,
    ) -> Workbench:
        """Edit the tree on screen: a page that this machine serves to itself alone; see ``docs/workbench.md``.

        In a notebook the page is shown where the last value of a cell is; elsewhere it is opened in the browser.

        Parameters
        ----------
        X, y, sample_weight, validation, folds, random_state
            As in :meth:`edit`.
        log : path, optional
            A file that holds the log. One that is there already, of the same table and estimator, is taken up again.
        port : int, default 0
            The port of the page; 0: any that is free.
        browser : bool, optional
            Whether a browser is opened; by default outside notebooks.

        Returns
        -------
        Workbench
            With the page's ``url``, ``estimator()`` with the tree as it then is, and ``close()``.

        Examples
        --------
        >>> import treewright as tw
        >>> iris = tw.datasets.load_iris()
        >>> bench = tw.CARTClassifier().fit(iris.X, iris.y).workbench(iris.X, iris.y, browser=False)
        >>> bench.url.startswith("http://127.0.0.1:")
        True
        >>> bench.close()
        """
        from treewright.workbench import Workbench

        how: dict[str, Any] = {"validation": validation, "folds": folds, "random_state": random_state}
        edit = self.edit(X, y, sample_weight=sample_weight, **how)
        out = Workbench(edit, (X, y) if sample_weight is None else (X, y, sample_weight), log, port)
        if browser or (browser is None and not _in_notebook()):
            out.browse()
        return out

    def drift(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Drift:
        """Compare rows with those the tree was grown from: where they go, how many are told wrong, which columns changed.

        Parameters
        ----------
        X : table
            The rows.
        y : target, optional
            What is true of them, for errors.
        sample_weight : array, optional
            Their weights.

        Returns
        -------
        Drift
        """
        check_is_fitted(self, "tree_")
        return drift(self.tree_, X, y, sample_weight)

    def refresh(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """Return a copy of this estimator whose tree asks the same, and whose leaves answer by other rows.

        A leaf to which no row comes says what the node above it says.

        Parameters
        ----------
        X, y : table and target
            The rows; they may hold fewer classes than the tree knows, not others.
        sample_weight : array, optional
            Their weights.

        Returns
        -------
        estimator
            Fitted; ``drift_`` is how the rows differ from those the tree was grown from.
        """
        check_is_fitted(self, "tree_")
        learner = self._learner
        assert isinstance(learner, TreeLearner)
        learned = refresh(learner, self._learned(), Rows(X, y, sample_weight))
        out: Self = self._with_learned()(learned)
        out.drift_ = drift(self.tree_, X, y, sample_weight)
        return out

    def _with_learned(self) -> Callable[[dict[str, Any]], Any]:
        """How a copy of this estimator is made that has learned something else."""
        gone = {"pruning_path_", "drift_", *self._learner_class.stored}
        own = {name: value for name, value in vars(self).items() if name not in gone}

        def finish(learned: dict[str, Any]) -> Any:
            out = object.__new__(type(self))
            out.__dict__.update(own)
            return out._take(learned)

        return finish


def _in_notebook() -> bool:
    """Whether cells of a notebook are run here."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


def replay(
    log: list[dict[str, Any]],
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    estimator: Any = None,
    validation: Any = None,
    folds: Any = None,
    random_state: Any = None,
) -> Edit[Any]:
    """Make the edits of a log again: on the same table the tree is the same, to the last byte; on others as far as they apply.

    Parameters
    ----------
    log : list of dict
        ``edit.log``, or ``edits_`` of an estimator.
    X, y, sample_weight : table, target and weights
        The rows.
    estimator : estimator, optional
        Fit this one instead of the one that the log names.
    validation, folds, random_state
        As in ``est.edit``.

    Returns
    -------
    Edit
        With the edits that could be made; ``left_out`` says which could not, and why. Its ``estimator()`` is fitted.
    """
    first, *others = checked(log)
    learner = learner_of(first) if estimator is None else getattr(estimator, "_learner", None)
    if not isinstance(learner, TreeLearner):
        raise TypeError(f"estimator={shown(estimator)} is not allowed: it must be an estimator that learns a tree")
    learned = fit(learner, X, y, sample_weight).learned
    start = tree_of(first)
    if start is not None and (start.schema, start.target) == (learned["tree_"].schema, learned["tree_"].target):
        same_rows = float(start.node_columns.weight[0]) == float(learned["tree_"].node_columns.weight[0])
        learned = {**learned, "tree_": start} if same_rows else learned
    how: dict[str, Any] = {"validation": validation, "folds": folds, "random_state": random_state}
    finish = (lambda made: unfitted(learner)._take(made)) if estimator is None else Editable._with_learned(estimator)
    out: Edit[Any] = Edit(learner, learned, Rows(X, y, sample_weight), **how, finish=finish)
    left_out = []
    for entry in others:
        try:
            out.apply(entry)
        except REFUSALS as error:
            left_out.append(LeftOut(entry, str(error)))
    out.left_out = tuple(left_out)
    return out


__all__ = ["CrossValidated", "Edit", "Editable", "LeftOut", "Scores", "replay"]
