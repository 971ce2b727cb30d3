"""What ensemble estimators share: reading rows to predict, their members as estimators, samples and importances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright import parts
from treewright.estimators.classes import Classifier
from treewright.estimators.columns import match_columns
from treewright.estimators.contributing import Contributing
from treewright.estimators.stored import Fits, Stored, unfitted
from treewright.inspect import one_row
from treewright.learn.ensemble import EnsembleLearner, SampledLearner
from treewright.learn.learner import Learned, Learner, class_order
from treewright.learn.sampling import Samples
from treewright.learn.values import threads
from treewright.model.exports import Programs
from treewright.model.forest import Forest

_MEMBERS = "_members_of"  # the members as estimators, beside the forest they were made of


class EnsembleEstimator(Contributing, Programs, Fits):
    """What ensembles for classes and for numbers share."""

    forest_: Forest
    drawing_: Samples
    seed_: int
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = self._ensemble_learner.base
        tags.input_tags.allow_nan = getattr(base, "missing", "learned") != "refuse"
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any) -> Any:
        own = vars(self)
        plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu"
        if plain and "forest_" in own and "feature_names_in_" not in own and X.shape[1] == self.n_features_in_:
            return X  # nothing that is checked below can be wrong
        check_is_fitted(self, "forest_")
        return match_columns(self, X)

    def _learn(self, learner: Learner[Any], X: Any, y: Any, sample_weight: Any) -> Learned:
        begun = vars(self).get("forest_") if learner.given.get("warm_start") is True else None
        if begun is None or not isinstance(learner, SampledLearner):
            return super()._learn(learner, X, y, sample_weight)
        return learner.seeded(self.seed_).learn_more(begun, vars(self).get("rows_digest_"), X, y, sample_weight)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop(_MEMBERS, None)
        return state

    @property
    def estimators_(self) -> list[Stored]:
        """The members as fitted estimators, in the order in which they were learned."""
        check_is_fitted(self, "forest_")
        forest, kept = self.forest_, vars(self).get(_MEMBERS)
        if kept is None or kept[0] is not forest:
            kept = self.__dict__[_MEMBERS] = (forest, [self._member(at) for at in range(len(forest))])
        members: list[Stored] = kept[1]
        return members

    def _member(self, at: int) -> Stored:
        """A member as a fitted estimator."""
        return self._fitted_member(self._ensemble_learner.member(at), at)

    def _fitted_member(self, learner: Learner[Any], at: int) -> Stored:
        own = vars(self)
        facts = {name: own[name] for name in ("n_features_in_", "feature_names_in_", "classes_") if name in own}
        return unfitted(learner)._take({**facts, learner.holds: self.forest_.members[at]})

    @property
    def _ensemble_learner(self) -> EnsembleLearner[Any]:
        learner = self._learner
        assert isinstance(learner, EnsembleLearner)
        noted = vars(self).get("seed_")
        return learner if noted is None else learner.seeded(noted)

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """Of every member the rows it was learned from, by position, each as often as it was drawn."""
        check_is_fitted(self, "forest_")
        drawing = vars(self).get("drawing_")
        if drawing is None:
            raise AttributeError("no samples were drawn for the members of this model: each learned from all rows of its fit")
        return [drawing.sample(at) for at in range(len(self.forest_))]

    @property
    def estimators_features_(self) -> list[NDArray[np.int64]]:
        """Of every member the columns it saw, by position."""
        check_is_fitted(self, "forest_")
        learner, n_columns = self._ensemble_learner, self.n_features_in_
        seen = [learner.columns_of(at, n_columns) for at in range(len(self.forest_))]
        return [np.arange(n_columns) if columns is None else columns for columns in seen]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the fall of weighted impurity, the mean over the members."""
        check_is_fitted(self, "forest_")
        return self.forest_.feature_importances

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Leaf, or rule, of every row in every member: rows x members."""
        X = self._checked(X)
        return self.forest_.apply(X, self._threads())

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Sparse indicator of the nodes each row passes in all members, and where the nodes of each member begin."""
        from scipy.sparse import hstack

        X = self._checked(X)
        trees = self.forest_.trees
        begin = np.concatenate([[0], np.cumsum([tree.n_nodes for tree in trees])])
        return hstack([tree.decision_path(X, self._threads()) for tree in trees]).tocsr(), begin

    def explain(self, X: Any) -> Any:
        """Explain what the ensemble says of one row: a table of one row, a Series or a dict."""
        check_is_fitted(self, "forest_")
        X = self._checked(one_row(X, self.forest_.schema.names))
        return self.forest_.explain(X)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside_forest")(super()._repr_mimebundle_(**kwargs), vars(self).get("forest_"))

    def _threads(self) -> int:
        return threads(self.n_jobs)


class EnsembleClassifier(Classifier, EnsembleEstimator):
    """Ensembles for classes."""

    oob_score_: float
    oob_errors_: NDArray[np.float64]
    oob_decision_function_: NDArray[np.float64]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        X, own = self._checked(X), vars(self)
        forest: Forest = own["forest_"]
        return forest.predict(X, self._threads()).astype(own["classes_"].dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, combined over the members, in the order of ``classes_``."""
        X, own = self._checked(X), vars(self)
        forest: Forest = own["forest_"]
        shares = forest.predict_proba(X, self._threads())
        if list(forest.target.classes or ()) == own["classes_"].tolist():
            return shares
        return shares[:, class_order(own["classes_"], forest.target)]

    def _class_order(self) -> list[int]:
        return class_order(self.classes_, self.forest_.target)


class EnsembleRegressor(RegressorMixin, EnsembleEstimator):
    """Ensembles for numbers."""

    oob_score_: float
    oob_errors_: NDArray[np.float64]
    oob_prediction_: NDArray[np.float64]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._ensemble_learner.takes_several
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the number of every row; a column per number where the target had several."""
        X = self._checked(X)
        return self.forest_.predict(X, self._threads())
