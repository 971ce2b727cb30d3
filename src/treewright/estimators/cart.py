"""CART (Breiman, Friedman, Olshen and Stone 1984), in full: surrogates, priors, losses; also with rpart's defaults."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import real
from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.estimators.tree import TreeEstimator
from treewright.learn.cart import (
    CARTClassifierLearner,
    CARTClassifierParameters,
    CARTRegressorLearner,
    CARTRegressorParameters,
)
from treewright.learn.costs import loss_sums
from treewright.learn.settings import chosen
from treewright.prune.costs import costs_of
from treewright.prune.rpart import CpRow, rpart_table
from treewright.recipes import find


class ComplexityTable(TreeEstimator):
    """What the CART estimators share."""

    def cp_table(self) -> list[CpRow]:
        """The nested trees of cost-complexity pruning as rpart lists them, the smallest first.

        Returns
        -------
        list of CpRow
            Complexity as a share of the root's risk, number of splits and relative error. With ``recipe="rpart"`` the figures
            that rpart prints, which looks at the two branches of a split only; otherwise those of ``pruning_path``.
        """
        check_is_fitted(self, "tree_")
        params = self._learner.chosen
        recipe = find(params["recipe"])
        cp = real("cp", chosen(params, "cp", recipe.cp) or 0.0, 0.0)
        if recipe.as_rpart:
            target = self.tree_.target
            sums = list(loss_sums(params["loss"], target.classes or (), self.classes_.tolist())) if target.losses else []
            risk = np.asarray(_core.own_risk(self.tree_._core, "error", costs_of(target)))
            return rpart_table(self.tree_._core, risk, cp, sums)
        path = self.pruning_path()
        root = path.training_error[-1] or 1.0
        alpha = np.append(path.alpha[::-1] / root, cp)[: len(path.alpha)]
        alpha[-1] = cp
        rows = zip(alpha, path.n_leaves[::-1] - 1, path.training_error[::-1] / root, strict=True)
        return [CpRow(float(a), int(n), float(error)) for a, n, error in rows]


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
    min_impurity, min_gain, purity, significance, ties, categorical_features, unseen, keep_candidates
        As in :class:`TreeClassifier`.
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
    min_impurity, min_gain, ties, categorical_features, unseen, keep_candidates
        As in :class:`TreeClassifier`.
    keep_targets : bool, default False
        Keep the training targets of every leaf, for ``predict_quantiles`` and ``predict_interval``.
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
