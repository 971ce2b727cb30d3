"""CART (Breiman, Friedman, Olshen and Stone 1984), in full: surrogates, priors, losses; also with rpart's defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import real
from treewright.estimators.asked import PythonCriterion
from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.costs import loss_sums
from treewright.estimators.regression import RegressionTree
from treewright.estimators.settings import chosen
from treewright.estimators.tree import TreeEstimator
from treewright.prune.rpart import CpRow, rpart_table
from treewright.prune.stakes import stakes_of
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
        params = self._parameters()
        recipe = find(params["recipe"])
        cp = real("cp", chosen(params, "cp", recipe.cp) or 0.0, 0.0)
        if recipe.as_rpart:
            target = self.tree_.target
            sums = None if not target.losses else np.asarray(loss_sums(params["loss"], target.classes or (), self._occurring()))
            risk = np.asarray(_core.own_risk(self.tree_._core, "error", stakes_of(target)))
            return rpart_table(self.tree_.state(), risk, cp, sums)
        path = self.pruning_path()
        root = path.training_error[-1] or 1.0
        alpha = np.append(path.alpha[::-1] / root, cp)[: len(path.alpha)]
        alpha[-1] = cp
        rows = zip(alpha, path.n_leaves[::-1] - 1, path.training_error[::-1] / root, strict=True)
        return [CpRow(float(a), int(n), float(error)) for a, n, error in rows]


class CARTClassifier(ComplexityTable, ClassifyingTree):
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

    def __init__(
        self,
        *,
        recipe: Any = "cart",
        criterion: str | PythonCriterion | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        priors: Any = None,
        loss: Any = None,
        missing: str | None = None,
        max_surrogates: int | None = None,
        agreement: str | None = None,
        max_competitors: int | None = None,
        cp: float | None = None,
        min_impurity: float | None = None,
        min_gain: float = 0.0,
        purity: float | None = None,
        significance: float | None = None,
        ties: Any = "first",
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.recipe = recipe
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.priors = priors
        self.loss = loss
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.agreement = agreement
        self.max_competitors = max_competitors
        self.cp = cp
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.purity = purity
        self.significance = significance
        self.ties = ties
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.n_jobs = n_jobs
        self.verbose = verbose


class CARTRegressor(ComplexityTable, RegressionTree):
    """CART for numbers: binary splits by squared error, with surrogates.

    The target may be several numbers a row, as in :class:`TreeRegressor`.

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

    _several = True

    def __init__(
        self,
        *,
        recipe: Any = "cart",
        criterion: str | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        missing: str | None = None,
        max_surrogates: int | None = None,
        agreement: str | None = None,
        max_competitors: int | None = None,
        cp: float | None = None,
        min_impurity: float | None = None,
        min_gain: float = 0.0,
        ties: Any = "first",
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        keep_targets: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.recipe = recipe
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.agreement = agreement
        self.max_competitors = max_competitors
        self.cp = cp
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.ties = ties
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.keep_targets = keep_targets
        self.n_jobs = n_jobs
        self.verbose = verbose
