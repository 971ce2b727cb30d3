"""A learner with what it learned: what a fitted estimator is, as a plain value that answers, is written and is cut back."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.inspect import explain
from treewright.learn.learner import Learner
from treewright.learn.pruning import pruning_path
from treewright.learn.tree import TreeLearner
from treewright.learn.tree_columns import TreeNeighborsLearner, Votes
from treewright.learn.values import threads
from treewright.model import RuleSet, Tree
from treewright.model.exports import Exports, Programs
from treewright.prune.path import PruningPath
from treewright.prune.rows import given_rows
from treewright.table import TargetSchema
from treewright.table.frames import as_table, column_names, is_frame, shape_of


class Fitted:
    """A learner with what it learned.

    Attributes
    ----------
    learner : Learner
        The algorithm and its parameters.
    learned : dict
        The attributes of a fitted estimator, by name: the model and facts about it.
    """

    # The kind of its section in files.
    kind: ClassVar[str] = "estimator"

    def __init__(self, learner: Learner[Any], learned: dict[str, Any]) -> None:
        self.learner, self.learned = learner, learned

    @property
    def name(self) -> str:
        """The name of the estimator."""
        return self.learner.name

    @property
    def model(self) -> Tree | RuleSet:
        """The tree, or the rules."""
        held: Tree | RuleSet = self.learned[self.learner.holds]
        return held

    @property
    def classes_(self) -> NDArray[Any] | None:
        """The classes that occur, sorted; None of numbers."""
        return self.learned.get("classes_")

    @property
    def class_order(self) -> list[int] | None:
        """Where the classes that occur stand among the declared ones; None of numbers."""
        return None if self.classes_ is None else class_order(self.classes_, self.model.target)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class or number of every row."""
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class that occurs, sorted."""
        return self.model.predict_proba(X)[:, self.class_order]

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf, or the rule, that decides every row."""
        return self.model.apply(X)

    def save(self, path: Any) -> None:
        """Write it to a file, as the estimator of that name would."""
        parts.writer("file")(self.kind, self, path)


class FittedTree(Fitted, Exports):
    """A learner with a tree."""

    @property
    def tree_(self) -> Tree:
        """The tree."""
        tree: Tree = self.learned["tree_"]
        return tree

    @property
    def _threads(self) -> int:
        return threads(self.learner.given.get("n_jobs"))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class or number of every row."""
        return self.tree_.predict(X, self._threads)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class that occurs, sorted."""
        return self.tree_.predict_proba(X, self._threads)[:, self.class_order]

    def explain(self, X: Any) -> Any:
        """Explain the answer about one row."""
        return explain(self.tree_, X)

    def _exported(self) -> dict[str, Any]:
        return {"tree": self.tree_, "order": self.class_order}


class GrownTree(FittedTree):
    """A learner of trees with the tree it grew, which it can grow again."""

    learner: TreeLearner[Any]

    @property
    def estimated_errors_(self) -> float | None:
        """Training rows the tree is expected to get wrong, were they new, where the algorithm estimates that."""
        return self.learner.estimated_errors(self.tree_._core)

    def pruning_path(self, X: Any = None, y: Any = None, *, folds: Any = None, validation: Any = None) -> PruningPath:
        """The nested trees of cost-complexity pruning, with their errors; ``folds``: by cross-validation, too."""
        rows, judging = given_rows(X, y), given_rows(validation)
        return pruning_path(self.learner, self.tree_, "cost_complexity", rows, folds, judging, None, {})

    def with_tree(self, tree: Tree) -> GrownTree:
        """The same, its tree cut back to another."""
        return GrownTree(self.learner, self.learner.cut_to(tree, self.learned))


class FittedRules(Fitted, Programs):
    """A learner with the rules it found."""

    @property
    def ruleset_(self) -> RuleSet:
        """The rules."""
        rules: RuleSet = self.learned["ruleset_"]
        return rules

    def explain(self, X: Any) -> Any:
        """Explain the answer about one row."""
        return self.ruleset_.explain(X)

    def _explored(self) -> dict[str, Any]:
        order = {} if self.class_order is None else {"order": self.class_order}
        return {"rules": self.ruleset_, **order}

    def _program(self) -> Any:
        return parts.writer("rule_program")(**self._explored())


class FittedVotes(FittedTree):
    """A tree whose columns are those in which neighbours vote."""

    def __init__(self, learner: Learner[Any], learned: dict[str, Any]) -> None:
        super().__init__(learner, learned)
        self._votes = Votes(learned)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most frequent class among the neighbours of every row."""
        return self._votes.labels(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the neighbours, sorted."""
        return self._votes.shares(X)


def fitted(learner: Learner[Any], learned: dict[str, Any]) -> FittedTree | FittedRules:
    """Put a learner and what it learned together."""
    if isinstance(learner, TreeLearner):
        return GrownTree(learner, learned)
    if isinstance(learner, TreeNeighborsLearner):
        return FittedVotes(learner, learned)
    return (FittedTree if learner.holds == "tree_" else FittedRules)(learner, learned)


def fit(learner: Learner[Any], X: Any, y: Any, sample_weight: Any = None) -> FittedTree | FittedRules:
    """Learn from a table, and note its columns as scikit-learn's estimators do."""
    learned = learner.learn(X, y, sample_weight)
    return fitted(learner, {**_columns(as_table(X)), **learner.attributes(learned)})


def class_order(classes: NDArray[Any], target: TargetSchema) -> list[int]:
    """Where classes stand among those that were declared."""
    place = {label: i for i, label in enumerate(target.classes or ())}
    return [place[label] for label in classes.tolist()]


def _columns(X: Any) -> dict[str, Any]:
    """The number of columns, and their names where they are text."""
    out: dict[str, Any] = {"n_features_in_": shape_of(X)[1]}
    if is_frame(X):
        names = list(X.columns) if hasattr(X, "iloc") else column_names(X)
        if all(type(name) is str for name in names):
            out["feature_names_in_"] = np.asarray(names, dtype=object)
    return out
