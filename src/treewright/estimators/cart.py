"""CART (Breiman, Friedman, Olshen and Stone 1984), in full: surrogates, priors, losses; also with rpart's defaults."""

from __future__ import annotations

from typing import Any, overload

from sklearn.utils.validation import check_is_fitted

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.complexity import ComplexityPath
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.learn.cart import (
    CARTClassifierLearner,
    CARTClassifierParameters,
    CARTRegressorLearner,
    CARTRegressorParameters,
)
from treewright.learn.rpart import complexity_table, judged_table
from treewright.prune.rows import given_rows
from treewright.prune.rpart import CpRow, JudgedCpRow
from treewright.recipes import find


class ComplexityTable(ComplexityPath):
    """What the CART estimators share."""

    @overload
    def cp_table(self) -> list[CpRow]: ...
    @overload
    def cp_table(
        self, X: Any, y: Any, *, sample_weight: Any = None, folds: Any, random_state: Any = None
    ) -> list[JudgedCpRow]: ...

    def cp_table(
        self, X: Any = None, y: Any = None, *, sample_weight: Any = None, folds: Any = None, random_state: Any = None
    ) -> list[CpRow] | list[JudgedCpRow]:
        """The nested trees of cost-complexity pruning as rpart lists them, the smallest first.

        Parameters
        ----------
        X, y, sample_weight : table, target and weights, optional
            The training rows, where ``folds`` asks for errors by cross-validation.
        folds : int, array or splitter, optional
            As in :meth:`prune`; rpart's ``xval`` as a vector is the fold of every row.
        random_state : int, RandomState instance or None, default None
            As in :meth:`prune`.

        Returns
        -------
        list of CpRow or JudgedCpRow
            Complexity as a share of the root's risk, number of splits and relative error; with ``folds`` also ``xerror`` and
            ``xstd``. With ``recipe="rpart"`` the figures that rpart prints, which looks at the two branches of a split only;
            otherwise those of ``pruning_path``.
        """
        check_is_fitted(self, "tree_")
        learner, rows = self._learner, given_rows(X, y, sample_weight)
        if (folds is None) != (rows is None):
            raise ValueError("errors by cross-validation need the training rows and folds=: pass X, y and folds, or none of them")
        if find(learner.chosen["recipe"]).as_rpart:
            labels = self.classes_.tolist() if hasattr(self, "classes_") else None
            if rows is None:
                return complexity_table(learner, self.tree_, labels)
            return judged_table(learner, self.tree_, labels, rows, folds, random_state)
        path = self.pruning_path(X, y, sample_weight=sample_weight, folds=folds, random_state=random_state)
        root = path.training_error[-1] or 1.0
        alpha = path.alpha[::-1] / root
        alpha[-1] = learner.pruned_at
        columns = [alpha.tolist(), (path.n_leaves[::-1] - 1).tolist(), (path.training_error[::-1] / root).tolist()]
        if path.cv is None:
            return [CpRow(*row) for row in zip(*columns, strict=True)]
        columns += [(path.cv.error[::-1] / root).tolist(), (path.cv.se[::-1] / root).tolist()]
        return [JudgedCpRow(*row) for row in zip(*columns, strict=True)]


@own_constructor
class CARTClassifier(ComplexityTable, ClassifyingTree, CARTClassifierParameters):
    """CART for classes: binary splits by the Gini index or twoing, with priors, losses and surrogates.

    Nominal columns are split into two sets of levels. By default trees are fully grown and missing cells go to the side where
    they serve best.

    Parameters
    ----------
    recipe : {"cart", "rpart", "cart1984"}, default "cart"
        Whose defaults are used where nothing else is said: fully grown trees whose missing cells go where they serve best;
        rpart's (surrogates, nodes of 20 rows split, leaves of 7, pruned at ``cp=0.01``); or the book's (surrogates, nodes of
        six rows split).
    criterion : {"gini", "twoing", "info_gain", "error", "risk", "generalised_gini"} or callable, default "gini"
        How candidates are judged; a function as in :class:`TreeClassifier`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state, max_leaf_nodes,
    min_impurity_decrease
        As in scikit-learn's DecisionTreeClassifier, but the two minima count weight (see :class:`TreeClassifier`).
    class_weight : dict, "balanced" or None
        How much a row of each class counts, in splits and answers. Minima still count the rows as they are.
    priors : sequence or dict of float, optional
        Probability of each class in the population, in the order of ``classes_``: splits and answers count the rows of a
        class as if it had that share. Not together with ``class_weight``.
    loss : array of shape (n_classes, n_classes), optional
        ``loss[i, j]``: what it costs to say class j where class i is right, in the order of ``classes_``. Leaves say what costs
        least. Splits see it as altered priors; with ``criterion="generalised_gini"`` by Σ loss(i, j) p(i) p(j), with "risk" as
        it is.
    missing : str, optional
        Policy for missing cells; "surrogate": other columns stand in, best first, then the majority. Others as in
        :class:`TreeClassifier`.
    max_surrogates : int, optional
        How many surrogates a node keeps.
    agreement : {"all", "known"}, optional
        Whether the agreement of a surrogate is a share of all rows that the split knows (rpart), or of those that both know
        (the book).
    max_competitors : int, optional
        How many of the splits that were not chosen a node keeps, see ``node.competitors``.
    cp : float, optional
        Complexity parameter: splits that lower the risk by no more than this share of the root's risk each are pruned.
    ccp_alpha : float, default 0
        The same in scikit-learn's unit: branches that lower the impurity, weighted by their share of the rows, by no more than
        this per leaf are pruned. Not together with ``cp``, and instead of a recipe's.
    min_impurity, min_gain, purity, significance, splitter, ties, forced, monotonic_cst, interaction_cst, categorical_features,
    unseen, keep_candidates
        As in :class:`TreeClassifier`.
    max_bins : int, optional
        Put the numbers of every column in at most so many bins of about equal weight (2 to 65,535; up to 255 take a byte a
        cell) and place thresholds between bins: faster and smaller for large tables. None: every number counts.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    feature_importances_ : array
        Share of each column in the total fall of weighted impurity; where there are surrogates, these count as in rpart.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> est = tw.CARTClassifier(recipe="rpart").fit(iris.X, iris.y)
    >>> est.tree_.root.surrogates[0].column, est.tree_.n_leaves
    ('petal width (cm)', 3)
    """

    _learner_class = CARTClassifierLearner


@own_constructor
class CARTRegressor(ComplexityTable, RegressionTree, CARTRegressorParameters):
    """CART for numbers: binary splits by squared error, with surrogates.

    The target may be several numbers per row, as in :class:`TreeRegressor`.

    Parameters
    ----------
    recipe : {"cart", "rpart", "cart1984"}, default "cart"
        Whose defaults are used where nothing else is said: fully grown trees whose missing cells go where they serve best;
        rpart's (surrogates, nodes of 20 rows split, leaves of 7, pruned at ``cp=0.01``); or the book's (surrogates, nodes of
        six rows split).
    criterion : {"variance", "absolute_error", "worst_case", "poisson"}, default "variance"
        How candidates are judged, and what leaves say; see :class:`TreeRegressor`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state, max_leaf_nodes,
    min_impurity_decrease
        As in scikit-learn's DecisionTreeRegressor, but the two minima count weight (see :class:`TreeClassifier`).
    missing : str, optional
        Policy for missing cells; "surrogate": other columns stand in, best first, then the majority. Others as in
        :class:`TreeClassifier`.
    max_surrogates : int, optional
        How many surrogates a node keeps.
    agreement : {"all", "known"}, optional
        Whether the agreement of a surrogate is a share of all rows that the split knows (rpart), or of those that both know
        (the book).
    max_competitors : int, optional
        How many of the splits that were not chosen a node keeps, see ``node.competitors``.
    cp : float, optional
        Complexity parameter: splits that lower the risk by no more than this share of the root's risk each are pruned.
    ccp_alpha : float, default 0
        The same in scikit-learn's unit: branches that lower the impurity, weighted by their share of the rows, by no more than
        this per leaf are pruned. Not together with ``cp``, and instead of a recipe's.
    min_impurity, min_gain, splitter, ties, forced, monotonic_cst, interaction_cst, categorical_features, unseen,
    keep_candidates
        As in :class:`TreeClassifier`.
    keep_targets : bool, default False
        Keep the training targets of every leaf, for ``predict_quantiles`` and ``predict_interval``.
    max_bins : int, optional
        Put numbers in bins first, as in :class:`CARTClassifier`.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    feature_importances_ : array
        Share of each column in the total fall of weighted variance; where there are surrogates, these count as in rpart.
    """

    _learner_class = CARTRegressorLearner
