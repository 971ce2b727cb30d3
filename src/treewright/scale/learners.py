"""Which estimators are learned from tables larger than memory, and with which parameters: others are refused by name."""

from __future__ import annotations

from typing import Any

from treewright import parts
from treewright.errors import shown
from treewright.estimators.stored import Fits
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.forests import ForestLearner
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.tree import TreeLearner
from treewright.learn.values import threads
from treewright.recipes import find

# Parameters that need the rows themselves, or cells as they were.
_IN_MEMORY = (
    "significance",
    "max_leaf_nodes",
    "categorical_features",
    "monotonic_cst",
    "interaction_cst",
    "forced",
    "keep_candidates",
    "keep_targets",
)
_AT_HAND = "is for tables in memory, whose rows are all at hand"
_MISSING = ("learned", "majority", "refuse")


def learner_of(est: Any) -> TreeLearner[Any] | ForestLearner[Any]:
    """The learner of an estimator whose trees can be grown level by level."""
    learner = getattr(est, "_learner", None)
    if not isinstance(est, Fits) or not isinstance(learner, (TreeLearner, ForestLearner)):
        raise _refusal(f"est={shown(est)}: {type(est).__name__}")
    check(learner)
    return learner


def check(learner: Any) -> None:
    """Refuse a learner whose trees cannot be grown level by level."""
    name = learner.name
    tree = learner.base if isinstance(learner, ForestLearner) and "max_bins" in learner.given else learner
    if not isinstance(tree, TreeLearner) or not _grown_by_recipe(tree):
        raise _refusal(name)
    if isinstance(learner, ForestLearner):
        _check_forest(learner, name)
    check_tree(tree, name)
    threads(tree.given["n_jobs"])


def _refusal(name: str) -> TypeError:
    return TypeError(
        f"{name} is not learned from tables larger than memory; CARTClassifier, CARTRegressor, "
        "TreeClassifier, TreeRegressor and random forests are"
    )


def tree_of(learner: TreeLearner[Any] | ForestLearner[Any]) -> TreeLearner[Any]:
    """The learner of the trees."""
    if isinstance(learner, TreeLearner):
        return learner
    assert isinstance(learner.base, TreeLearner)
    return learner.base


def _check_forest(learner: ForestLearner[Any], name: str) -> None:
    if learner.balanced:
        raise ValueError(
            f"{name}: bootstrap='balanced' is for tables in memory; class_weight='balanced' lets classes count alike, too"
        )
    for parameter in ("oob_score", "warm_start", "keep_targets"):
        if learner.given.get(parameter, False) is not False:
            raise ValueError(f"{name}: {parameter}={shown(learner.given[parameter])} {_AT_HAND}")


def check_tree(learner: TreeLearner[Any], name: str) -> None:
    """Refuse what trees cannot be grown by level by level."""
    given, recipe = learner.chosen, find(learner.chosen["recipe"])
    if given.get("max_bins") is None:
        raise ValueError(f"{name}: tables larger than memory are put in bins first; set max_bins, such as max_bins=255")
    for parameter in _IN_MEMORY:
        if given.get(parameter) is not None and given[parameter] is not False:
            raise ValueError(f"{name}: {parameter}={shown(given[parameter])} {_AT_HAND}")
    if given.get("min_weight_fraction_leaf", 0.0) != 0.0:
        share = shown(given["min_weight_fraction_leaf"])
        raise ValueError(f"{name}: min_weight_fraction_leaf={share} is for tables in memory; min_samples_leaf takes a share, too")
    if callable(given.get("criterion")) or callable(given.get("ties")):
        raise ValueError(f"{name}: criteria and ties in Python are for tables in memory")
    classes = isinstance(learner, ClassTreeLearner)
    criterion = given.get("criterion") or (recipe.criterion if classes else recipe.regression_criterion)
    able = ("gini", "info_gain") if classes else ("squared_error", "variance")
    if parts.ALIASES.get(criterion, criterion) not in able:
        raise ValueError(f"{name}: criterion={shown(criterion)} is for tables in memory; use {able[0]!r} or {able[1]!r}")
    if learner.missing not in _MISSING:
        raise ValueError(f"{name}: missing={learner.missing!r} is for tables in memory; use 'learned', 'majority' or 'refuse'")


def _grown_by_recipe(learner: TreeLearner[Any]) -> bool:
    """Whether the recipe alone makes the trees of a learner."""
    own = (type(learner).grow, type(learner).finish) == (TreeLearner.grow, TreeLearner.finish)
    return own and isinstance(learner, (ClassTreeLearner, NumberTreeLearner))
