"""What all tree estimators share: reading the table, growing, and the answers that need no class."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright import _core, parts
from treewright.errors import shown
from treewright.estimators.columns import match_columns
from treewright.estimators.learner import Learner
from treewright.estimators.pruning import Prunable
from treewright.estimators.settings import chosen, make_settings, threads, whole
from treewright.estimators.stability import Resampled
from treewright.estimators.stored import Stored
from treewright.estimators.training import Training, known_levels, read_training
from treewright.estimators.weights import warn_if_heavy, warn_if_light, warn_if_rounded
from treewright.inspect import Explanation, explain, one_row
from treewright.model import Tree
from treewright.model.exports import Exports
from treewright.progress import Bar
from treewright.recipe import Recipe
from treewright.recipes import find
from treewright.store.damage import need
from treewright.table import ColumnSchema, TableSchema, TargetSchema
from treewright.table.frames import as_table, is_frame
from treewright.table.target import check_counts

_NAMES: dict[type, tuple[str, ...]] = {}


def parameter_names(learner: type) -> tuple[str, ...]:
    """Names of the constructor's parameters. To read a signature takes longer than to grow a small tree."""
    if learner not in _NAMES:
        _NAMES[learner] = tuple(inspect.signature(learner).parameters)
    return _NAMES[learner]


class TreeEstimator(Exports, Prunable, Resampled, Learner, Stored):
    """What tree classifiers and regressors share: reading the table, growing, and the answers that need no class."""

    # Parameters every tree estimator has, whatever its recipe; a subclass may not list all of them in its constructor.
    _recipe: ClassVar[str | Recipe] = "cart"
    _stored: ClassVar[dict[str, str]] = {**Stored._stored, "tree_": "tree"}
    # Nodes answer by their own training rows, so that a tree can be judged node by node; models in leaves do not.
    _by_nodes: ClassVar[bool] = True
    _regrows = True

    tree_: Tree

    def _parameters(self) -> dict[str, Any]:
        params: dict[str, Any] = {name: getattr(self, name) for name in parameter_names(type(self))}
        params.setdefault("recipe", self._recipe)
        return params

    def _missing(self) -> str:
        params = self._parameters()
        policy = params.get("missing")
        return find(params["recipe"]).missing if policy is None else policy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._missing() != "refuse"
        tags.input_tags.sparse = False
        return tags

    def _occurring(self) -> list[Any]:
        """Classes that occur, where there are classes."""
        return []

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._forget()
        X = as_table(X)
        params = self._parameters()
        unseen = parts.check_name("unseen", params.get("unseen", "missing"), parts.UNSEEN)
        if not isinstance(params.get("verbose", False), (bool, np.bool_)):
            whole("verbose", params["verbose"], 0)
        training = self._training(X, y, sample_weight, params)
        settings = self._settings(training, params)
        warn_if_rounded(training.weights)
        self._warn_if_light(training, settings)
        if training.weights is not None and settings.missing in ("fraction", "spread") and training.has_missing():
            warn_if_heavy(training.total / len(training.weights), max(settings.min_leaf, 1.0))
        if settings.criterion == "poisson":
            check_counts(training.codes)
        core = self._learned(training, params, settings)
        validate_data(self, X, reset=True, skip_check_array=True)
        known = known_levels(core.state(), declared=settings.nominal in ("multiway", "grouped"))
        schema = TableSchema(tuple(training.columns), is_frame(X), known, unseen, settings.missing)
        self.tree_ = self._tree_of(core, schema, self._judged(training, settings))
        self._look_back(training, settings)
        return self

    def _warn_if_light(self, training: Training, settings: _core.GrowSettings) -> None:
        warn_if_light(training.total, settings.min_split, settings.min_leaf, training.weights is not None)

    def _judged(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        """The target with what errors cost."""
        return replace(training.target, measure=parts.MEASURES.get(settings.criterion, "variance"))

    def _pruned_at(self) -> float:
        params = self._parameters()
        return float(chosen(params, "cp", find(params["recipe"]).cp) or 0.0)

    def _look_back(self, training: Training, settings: _core.GrowSettings) -> None:
        """What is to be said of the training rows once the tree is there."""

    def _training(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        recipe = find(params["recipe"])
        by_level = ("ordered", "bool") if recipe.ordered_as_nominal else ()
        return read_training(X, y, sample_weight, params.get("categorical_features"), by_level, self._read_target)

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        total = training.total if rows is None else training.total_of(rows)
        settings, _ = make_settings(params, training.target.classes, self._occurring(), len(training.columns), total)
        self._set_ties(settings, params, training.columns)
        return settings

    def _tree_of(self, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Tree:
        """The learned tree as a value."""
        return Tree(core, schema, target)

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        """The tree of the training rows."""
        table = training.table()
        return self._finished(self._grow(params, table, settings), table)

    def _regrown(
        self, training: Training, whole: _core.TableInput, rows: NDArray[np.int64], params: dict[str, Any]
    ) -> _core.Tree:
        """The tree of some of the training rows; ``whole`` is their table, encoded once for all such trees."""
        settings = self._settings(training, params, rows)
        settings.threads = 1
        if type(self)._learned is not TreeEstimator._learned:
            return self._learned(training.part(rows), params, settings)
        table = whole.part(rows)
        return self._finished(self._grow(params, table, settings), table)

    @staticmethod
    def _grow(params: dict[str, Any], table: _core.TableInput, settings: _core.GrowSettings) -> _core.Tree:
        if not params.get("verbose"):
            return _core.grow(table, settings, params.get("watch"))
        with Bar("growing") as bar:
            return _core.grow(table, settings, bar)

    def _finished(self, core: _core.Tree, table: _core.TableInput) -> _core.Tree:
        """What a learner does with the tree that its recipe gives."""
        return core

    @staticmethod
    def _set_ties(settings: _core.GrowSettings, params: dict[str, Any], columns: list[ColumnSchema]) -> None:
        ties = params.get("ties", "first")
        if not callable(ties):
            settings.ties = parts.check_name("ties", ties, ("first", "seeded"))
            return

        def ask(tied: list[tuple[int, float, float]], path: list[tuple[int, int]]) -> int:
            names = [columns[column].name for column, _, _ in tied]
            said = ties(names, [(columns[column].name, branch) for column, branch in path])
            if said in names:
                return names.index(said)
            if isinstance(said, (int, np.integer)) and 0 <= said < len(names):
                return int(said)
            raise ValueError(f"ties: the callable returned {shown(said)}; it must return one of {names} or its position")

        settings.ask(ask)

    def _checked(self, X: Any) -> Any:
        own = vars(self)
        plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu"
        if plain and "tree_" in own and "feature_names_in_" not in own and X.shape[1] == self.n_features_in_:
            return X  # all that is looked for below is known to be well
        check_is_fitted(self, "tree_")
        return match_columns(self, X)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Leaf of every row.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.

        Returns
        -------
        array of int
            Number of the leaf; where missing cells are followed down all branches, the leaf with the largest share.
        """
        X = self._checked(X)
        return self.tree_.apply(X, self._threads())

    def decision_path(self, X: Any) -> Any:
        """Sparse indicator matrix (rows x nodes) of the nodes each row passes."""
        X = self._checked(X)
        return self.tree_.decision_path(X, self._threads())

    def explain(self, X: Any, missing: str | None = None) -> Explanation:
        """Explain what the tree says of one row: its way, where missing cells lead, and what single changes would alter it.

        Parameters
        ----------
        X : table of one row, Series or dict
            The row, such as ``X.iloc[[0]]``, ``X.iloc[0]`` or ``{"outlook": "sunny", …}``: cells by column name.
        missing : str, optional
            Another way for missing cells than the tree's own, such as ``"most_common"``; see :meth:`Tree.with_missing`.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self, "tree_")
        X = self._checked(one_row(X, self.tree_.schema.names))
        tree = self.tree_ if missing is None else self.tree_.with_missing(missing)
        return explain(tree, X)

    def _class_order(self) -> list[int] | None:
        declared = self.tree_.target.classes
        place = {label: i for i, label in enumerate(declared or ())}
        return None if declared is None else [place[label] for label in self._occurring()]

    def get_depth(self) -> int:
        """Length of the longest path of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total fall of weighted impurity."""
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside")(super()._repr_mimebundle_(**kwargs), getattr(self, "tree_", None))

    def _threads(self) -> int:
        return threads(getattr(self, "n_jobs", None))

    def _check_stored(self) -> None:
        super()._check_stored()
        need(self, "tree_" in vars(self), "it has no 'tree_'")
        schema = self.tree_.schema
        names = vars(self).get("feature_names_in_")
        need(self, self.n_features_in_ == len(schema.columns), "n_features_in_ is not the number of columns")
        need(self, names is None or names.tolist() == schema.names, "feature_names_in_ are not the names of the columns")
