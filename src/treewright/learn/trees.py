"""Trees of any recipe, with any of its components replaced."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.python_criterion import PythonCriterion


@dataclass(eq=False, repr=False)
class TreeClassifierParameters:
    """Parameters of ``TreeClassifier``, which describes them."""

    recipe: Any = "cart"
    _: KW_ONLY
    criterion: str | PythonCriterion | None = None
    numeric: str | None = None
    nominal: str | None = None
    threshold_at: str | None = None
    relation: str | None = None
    missing: str | None = None
    chooser: str | None = None
    splitter: str = "best"
    ties: Any = "first"
    discretise: str | None = None
    bins: int = 10
    loss: Any = None
    priors: Any = None
    class_weight: Any = None
    max_surrogates: int | None = None
    agreement: str | None = None
    max_competitors: int | None = None
    cp: float | None = None
    ccp_alpha: float = 0.0
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity: float | None = None
    min_gain: float = 0.0
    min_impurity_decrease: float = 0.0
    purity: float | None = None
    significance: float | None = None
    max_features: Any = None
    forced: Any = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    max_bins: int | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(eq=False, repr=False)
class TreeRegressorParameters:
    """Parameters of ``TreeRegressor``, which describes them."""

    recipe: Any = "cart"
    _: KW_ONLY
    criterion: str | None = None
    numeric: str | None = None
    nominal: str | None = None
    threshold_at: str | None = None
    relation: str | None = None
    missing: str | None = None
    chooser: str | None = None
    splitter: str = "best"
    ties: Any = "first"
    discretise: str | None = None
    bins: int = 10
    max_surrogates: int | None = None
    agreement: str | None = None
    max_competitors: int | None = None
    cp: float | None = None
    ccp_alpha: float = 0.0
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity: float | None = None
    min_gain: float = 0.0
    min_impurity_decrease: float = 0.0
    max_features: Any = None
    forced: Any = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    max_bins: int | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    keep_targets: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class TreeClassifierLearner(ClassTreeLearner[TreeClassifierParameters]):
    """Classification trees of any recipe."""

    name = "TreeClassifier"
    reads_sparse = True
    Parameters = TreeClassifierParameters


class TreeRegressorLearner(NumberTreeLearner[TreeRegressorParameters]):
    """Regression trees of any recipe."""

    name = "TreeRegressor"
    reads_sparse = True
    Parameters = TreeRegressorParameters
    several = True
