"""Trees and ensembles of trees of scikit-learn: a tree becomes a Tree, an ensemble a Forest that combines members as it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, overload

import numpy as np

from treewright.adopt.binary import chosen, number_columns
from treewright.adopt.boosted import boosted
from treewright.adopt.sklearn_tree import Seen
from treewright.model import Forest, Tree
from treewright.model.combine import Combination, Mean, Median, Scores, Vote
from treewright.model.protocol import Model
from treewright.table import TargetSchema

# Ensembles of scikit-learn by the class they are or are derived from.
_COMBINED: dict[str, Combination] = {
    "ForestClassifier": Mean(),
    "ForestRegressor": Mean(),
    "BaggingClassifier": Mean(),
    "BaggingRegressor": Mean(),
    "VotingClassifier": Mean(),
    "VotingRegressor": Mean(),
    "AdaBoostClassifier": Vote(),
    "AdaBoostRegressor": Median(),
}


@overload
def from_sklearn(model: Any, tree: int) -> Tree: ...


@overload
def from_sklearn(model: Any, tree: None = None) -> Any: ...


def from_sklearn(model: Any, tree: int | None = None) -> Any:
    """Return a fitted scikit-learn tree as a Tree, an ensemble of trees as a Forest: every row ends in the same leaves.

    Parameters
    ----------
    model : fitted DecisionTree*, ExtraTree*, or an ensemble of them
        Of ensembles, random forests, extra trees, bagging, AdaBoost, votes and gradient boosting are read whole, also with
        ensembles as members; of others the trees one by one.
    tree : int, optional
        Only this tree of an ensemble, from 0, in the order of ``estimators_``; one of gradient boosting predicts its part of the
        sum.

    Returns
    -------
    Tree or Forest
        Classes are those of the ensemble, weights of nodes those that scikit-learn counted. Missing cells go where scikit-learn
        sends them. Thresholds are those of 64-bit numbers that compare as scikit-learn compares after rounding to 32 bits.
    """
    seen = _seen(model)
    if not hasattr(model, "estimators_"):
        if tree is not None:
            chosen(1, tree, type(model).__name__)
        return seen.read(_grown(model))
    if tree is None:
        return _forest(model, seen)
    members = _members(model)
    at = chosen(len(members), tree, type(model).__name__)
    return _seen_by(model, at, members[at], seen).read(_grown(members[at]))


def _members(model: Any) -> list[Any]:
    """The members, round by round where there are several a round."""
    return [one for each in model.estimators_ for one in (each if isinstance(each, np.ndarray) else [each])]


def _grown(estimator: Any) -> Any:
    """The nodes of a tree."""
    grown = getattr(estimator, "tree_", None)
    if not hasattr(grown, "children_left"):
        raise TypeError(f"{type(estimator).__name__} is no fitted tree of scikit-learn, nor an ensemble of them")
    return grown


def _seen(model: Any) -> Seen:
    """All columns and classes of a model that is no member of another."""
    if (several := getattr(model, "n_outputs_", 1)) > 1 and hasattr(model, "classes_"):
        raise ValueError(f"{type(model).__name__} has {several} targets of classes: fit one model a target")
    names, count = getattr(model, "feature_names_in_", None), getattr(model, "n_features_in_", 0)
    columns = number_columns([f"x{j}" for j in range(count)] if names is None else names)
    classes = tuple(np.asarray(model.classes_).tolist()) if hasattr(model, "classes_") else None
    return Seen(columns, names is not None, classes, np.arange(count), np.arange(len(classes or ())))


def _seen_by(model: Any, at: int, member: Any, seen: Seen) -> Seen:
    """What a member has seen of the columns and classes that its ensemble has seen."""
    features = getattr(model, "estimators_features_", None)
    columns_at = seen.columns_at if features is None else seen.columns_at[np.asarray(features[at])]
    if not hasattr(member, "classes_"):  # of numbers, or of a part of a score
        return replace(seen, columns_at=columns_at, classes=None)
    # An ensemble that shows its members some of the classes numbers them.
    known = np.asarray(member.classes_)
    fewer = len(known) < len(seen.classes_at)
    return replace(seen, columns_at=columns_at, classes_at=seen.classes_at[known.astype(np.int64)] if fewer else seen.classes_at)


def _forest(model: Any, seen: Seen) -> Forest:
    """An ensemble with all its members."""
    if _derived(model, "BaseGradientBoosting"):
        return _boosted(model, seen)
    combine, weights = _combination(model), _weights(model)
    members: list[Model] = []
    for at, member in enumerate(_members(model)):
        of = _seen_by(model, at, member, seen)
        members.append(_forest(member, of) if hasattr(member, "estimators_") else of.read(_grown(member)))
        _check(model, combine, member, members[-1])
    # A member that counts nothing is none.
    kept = [at for at, weight in enumerate(weights) if weight != 0]
    members, weights = [members[at] for at in kept], [weights[at] for at in kept]
    target = TargetSchema("target", seen.classes, outputs=members[0].target.outputs)
    return Forest(tuple(members), members[0].schema, target, tuple(weights), combine)


def _derived(model: Any, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.startswith("sklearn.") for kind in type(model).__mro__)


def _boosted(model: Any, seen: Seen) -> Forest:
    """Gradient boosting: every member adds to a score what it predicts, times the learning rate."""
    init = model.init_
    constant = _derived(init, "DummyRegressor") or (_derived(init, "DummyClassifier") and init.strategy != "stratified")
    if not constant and init != "zero":
        raise TypeError(f"the boosting begins with what {type(init).__name__} predicts, not with constants: fit it without init")
    base = np.asarray(model._raw_predict_init(np.zeros((1, len(seen.columns_at)))), np.float64)[0]
    members = _members(model)
    trees = [_seen_by(model, at, member, seen).read(_grown(member)) for at, member in enumerate(members)]
    link = "identity" if seen.classes is None else "softmax" if len(base) > 1 else "sigmoid"
    unit = 2.0 if model.loss == "exponential" else 1.0  # its score is half the logarithm of the odds
    combine = Scores(link, tuple((unit * base).tolist()), tuple(at % len(base) for at in range(len(trees))))
    return boosted(trees, combine, [unit * model.learning_rate] * len(trees), seen.classes)


def _combination(model: Any) -> Combination:
    """How an ensemble combines what its members say."""
    if getattr(model, "voting", None) == "hard":
        return Vote()
    for name, combine in _COMBINED.items():
        if _derived(model, name):
            return combine
    raise TypeError(
        f"{type(model).__name__} combines its trees in a way that no Forest of ours does: give tree= to read one of them, from 0"
    )


def _weights(model: Any) -> list[float]:
    """What the members of an ensemble count."""
    count = len(_members(model))
    given = getattr(model, "estimator_weights_", None)
    if given is None:
        given = getattr(model, "_weights_not_none", None)  # of votes: without those of members that were dropped
    weights = [1.0] * count if given is None else np.asarray(given, np.float64)[:count].tolist()
    return weights if any(weights) else [1.0] * count  # AdaBoost.R2 that ended at once


def _check(model: Any, combine: Combination, theirs: Any, ours: Model) -> None:
    """Refuse members whose class shares are read from them but are not those of scikit-learn."""
    votes = isinstance(ours, Forest) and isinstance(ours.combine, Vote)
    if votes and not isinstance(combine, Vote):
        raise TypeError(
            f"{type(model).__name__} averages what {type(theirs).__name__} makes of votes, which no Forest of ours does: "
            "read its members one by one"
        )
