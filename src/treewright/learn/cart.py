"""CART (Breiman, Friedman, Olshen and Stone 1984), in full: surrogates, priors, losses; also with rpart's defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.python_criterion import PythonCriterion


@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifierParameters:
    """Parameters of ``CARTClassifier``, which describes them."""

    recipe: Any = "cart"
    criterion: str | PythonCriterion | None = None
    max_depth: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = None
    random_state: Any = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    class_weight: Any = None
    priors: Any = None
    loss: Any = None
    splitter: str = "best"
    missing: str | None = None
    max_surrogates: int | None = None
    agreement: str | None = None
    max_competitors: int | None = None
    cp: float | None = None
    ccp_alpha: float = 0.0
    min_impurity: float | None = None
    min_gain: float = 0.0
    purity: float | None = None
    significance: float | None = None
    ties: Any = "first"
    forced: Any = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    max_bins: int | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class CARTRegressorParameters:
    """Parameters of ``CARTRegressor``, which describes them."""

    recipe: Any = "cart"
    criterion: str | None = None
    max_depth: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = None
    random_state: Any = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    splitter: str = "best"
    missing: str | None = None
    max_surrogates: int | None = None
    agreement: str | None = None
    max_competitors: int | None = None
    cp: float | None = None
    ccp_alpha: float = 0.0
    min_impurity: float | None = None
    min_gain: float = 0.0
    ties: Any = "first"
    forced: Any = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    max_bins: int | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    keep_targets: bool = False
    n_jobs: int | None = None
    verbose: bool = False


class CARTClassifierLearner(ClassTreeLearner[CARTClassifierParameters]):
    """CART for classes."""

    name = "CARTClassifier"
    reads_sparse = True
    Parameters = CARTClassifierParameters


class CARTRegressorLearner(NumberTreeLearner[CARTRegressorParameters]):
    """CART for numbers."""

    name = "CARTRegressor"
    reads_sparse = True
    Parameters = CARTRegressorParameters
    several = True
