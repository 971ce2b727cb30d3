"""A learner with what it learned: what a fitted estimator is, as a plain value that answers, is written and is cut back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.learn.learner import Learner, class_order
from treewright.learn.pruning import pruning_path
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.model.exports import Exports
from treewright.model.protocol import Model
from treewright.prune.path import PruningPath
from treewright.prune.rows import given_rows
from treewright.table.frames import column_names, is_frame, shape_of
from treewright.table.streams import as_table


class Fitted(Exports):
    """A learner with what it learned. It is asked what fitted estimators are asked.

    Attributes
    ----------
    learner : Learner
        The algorithm and its parameters.
    learned : dict
        The attributes of a fitted estimator, by name: the model and facts about it.
    """

    def __init__(self, learner: Learner[Any], learned: dict[str, Any]) -> None:
        self.learner, self.learned = learner, learned

    @property
    def name(self) -> str:
        """The name of the estimator."""
        return self.learner.name

    @property
    def _model(self) -> Model:
        model: Model = self.learned[self.learner.holds]
        return model

    @property
    def _regrows(self) -> bool:
        return isinstance(self.learner, TreeLearner)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes in the order of shares: those that occur, sorted; as declared where only a tree is known."""
        classes: NDArray[Any] | None = self.learned.get("classes_")
        return np.array(self._model.target.classes or (), object) if classes is None else classes

    def _class_order(self) -> list[int] | None:
        return None if self._model.target.classes is None else class_order(self.classes_, self._model.target)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class or number of every row."""
        return self.learner.predict(self.learned, X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class that occurs, sorted."""
        return self.learner.shares(self.learned, X)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf, or the rule, that decides every row."""
        return self._model.apply(X)

    def explain(self, X: Any) -> Any:
        """Explain the answer about one row."""
        return self._model.explain(X)

    @property
    def estimated_errors_(self) -> float | None:
        """Training rows a tree is expected to get wrong, were they new, where the algorithm estimates that."""
        return self._grower.estimated_errors(self._tree._core, self._tree.target) if self._regrows else None

    def pruning_path(self, X: Any = None, y: Any = None, *, folds: Any = None, validation: Any = None) -> PruningPath:
        """The nested trees of cost-complexity pruning, with their errors; ``folds``: by cross-validation, too."""
        rows, judging = given_rows(X, y), given_rows(validation)
        return pruning_path(self._grower, self._tree, "cost_complexity", rows, folds, judging, None, {})

    def _with_tree(self, tree: Tree) -> Fitted:
        """The same, its tree cut back to another."""
        self._grower.refuse_pruning(self._tree)
        return Fitted(self.learner, self._grower.cut_to(tree, self.learned))

    @property
    def _grower(self) -> TreeLearner[Any]:
        assert isinstance(self.learner, TreeLearner)
        return self.learner

    @property
    def _tree(self) -> Tree:
        assert isinstance(self._model, Tree)
        return self._model

    def save(self, path: Any) -> None:
        """Write it to a file, as the estimator of that name would."""
        parts.writer("file")("estimator", self, path)


def fit(learner: Learner[Any], X: Any, y: Any, sample_weight: Any = None) -> Fitted:
    """Learn from a table, and note its columns as scikit-learn's estimators do."""
    learned = learner.learn(X, y, sample_weight)
    return Fitted(learner, {**_columns(as_table(X)), **learner.attributes(learned)})


def _columns(X: Any) -> dict[str, Any]:
    """The number of columns, and their names where they are text."""
    out: dict[str, Any] = {"n_features_in_": shape_of(X)[1]}
    if is_frame(X):
        names = list(X.columns) if hasattr(X, "iloc") else column_names(X)
        if all(type(name) is str for name in names):
            out["feature_names_in_"] = np.asarray(names, dtype=object)
    return out
