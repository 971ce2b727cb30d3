"""Stacking (Wolpert 1992; Ting and Witten 1999) and voting: scikit-learn's estimators, with a file, explanations and labels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright.errors import shown, visible
from treewright.estimators.logistic import LogisticTreeClassifier
from treewright.estimators.m5 import M5Regressor
from treewright.estimators.stored import Stored
from treewright.inspect import one_row
from treewright.store.files import save
from treewright.table.schema import share_text, value_text


@dataclass(frozen=True)
class Opinions:
    """What the members of a stack or a vote say of one row, and what is made of it.

    Attributes
    ----------
    members : dict
        What every member says, by name: a class or a number.
    shares : dict
        The share of the class it says, by name, of members that have shares.
    says : object
        The answer.
    final : object or None
        Of a stack: why its final estimator says so, in terms of what the members say; None where it cannot explain.
    inputs : tuple of str
        Of a stack: what the columns of its final estimator are.
    """

    members: dict[str, Any]
    shares: dict[str, float]
    says: Any
    final: Any = None
    inputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = []
        for name, says in self.members.items():
            sure = f" ({share_text(self.shares[name])})" if name in self.shares else ""
            lines.append(f"{visible(name)}: {visible(value_text(says))}{sure}")
        if self.final is not None:
            lines += ["", *(f"x{j}: {visible(each)}" for j, each in enumerate(self.inputs)), str(self.final).rstrip()]
        return "\n".join([*lines, f"→ {visible(value_text(self.says))}"])


class _Together(BaseEstimator):
    """What stacks and votes add to those of scikit-learn."""

    # Parameters that files keep.
    _kept: ClassVar[tuple[str, ...]]

    estimators: list[tuple[str, Any]]
    estimators_: list[Any]
    n_features_in_: int

    @property
    def _named(self) -> Iterator[tuple[str, Any]]:
        """The fitted members by name, without those that were dropped."""
        names = [name for name, each in self.estimators if not isinstance(each, str)]
        return zip(names, self.estimators_, strict=True)

    @property
    def _ours(self) -> dict[str, Any]:
        """All fitted estimators by name; one that is not of treewright is refused."""
        check_is_fitted(self)
        fitted = dict(self._named)
        if (final := getattr(self, "final_estimator_", None)) is not None:
            fitted["final_estimator"] = final
        for name, each in fitted.items():
            if not isinstance(each, (Stored, _Together)):
                raise TypeError(
                    f"{name}={shown(each)} is no estimator of treewright, so no model file can hold it: "
                    "use one that is, or pickle the whole"
                )
        return fitted

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file that :func:`treewright.load` reads.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        _ = self._ours
        save("together", self, path)

    def _row(self, X: Any) -> Any:
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return one_row(X, [f"x{j}" for j in range(self.n_features_in_)] if names is None else names.tolist())

    def _opinions(self, X: Any) -> tuple[dict[str, Any], dict[str, float]]:
        """What the members say of one row, and how sure they are."""
        classes, says, shares = getattr(self, "classes_", None), {}, {}
        for name, member in self._named:
            told = member.predict(X)[0]
            says[name] = told if classes is None else classes[told]
            if classes is not None and hasattr(member, "predict_proba"):
                shares[name] = float(member.predict_proba(X)[0][list(member.classes_).index(told)])
        return says, shares

    def _become(self, members: list[Any], classes: NDArray[Any] | None, facts: dict[str, Any]) -> Self:
        """Become fitted, with members that a file held."""
        self.estimators_ = members
        self.named_estimators_ = Bunch(**dict(self._named))
        if classes is not None:
            self.classes_ = classes
        # Of both, the number and the names of columns are those of the members.
        for name, value in facts.items():
            if not hasattr(type(self), name):
                setattr(self, name, value)
        return self


class _Stack(_Together):
    """What stacks for classes and for numbers share."""

    _kept: ClassVar[tuple[str, ...]] = ("cv", "stack_method", "n_jobs", "passthrough", "verbose")
    _default: ClassVar[type[Stored]]

    final_estimator: Any
    final_estimator_: Any
    stack_method_: list[str]

    @contextmanager
    def _completed(self) -> Iterator[None]:
        """While members are fitted, the final estimator is there, and knows which of its columns are labels."""
        given = self.final_estimator
        final = self._default() if given is None else given
        labels = (
            is_classifier(self) and getattr(self, "stack_method", None) == "predict" and not getattr(self, "passthrough", False)
        )
        if labels and isinstance(final, Stored) and final.get_params(deep=False).get("categorical_features", 0) is None:
            width = sum(not isinstance(each, str) for _, each in self.estimators)
            final = clone(final).set_params(categorical_features=list(range(width)))
        self.final_estimator = final
        try:
            yield
        finally:
            self.final_estimator = given

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the members to all rows, and the final estimator to what members say of rows they did not see."""
        with self._completed():
            super().fit(X, y, **params)
        return self

    def explain(self, X: Any) -> Opinions:
        """Explain what the stack says of one row: a table of one row, a Series or a dict."""
        X = self._row(X)
        says, shares = self._opinions(X)
        level_one = self.transform(X)
        final = self.final_estimator_
        why = final.explain(level_one) if hasattr(final, "explain") else None
        return Opinions(says, shares, self.predict(X)[0], why, tuple(self._inputs()))

    def _inputs(self) -> Iterator[str]:
        """What the columns of the final estimator are; those of the table itself, where it sees them, are not listed."""
        classes = getattr(self, "classes_", None)
        for (name, member), method in zip(self._named, self.stack_method_, strict=True):
            if classes is None:
                yield f"what {name} says"
            elif method == "predict":
                yield f"what {name} says ({', '.join(f'{at} is {label}' for at, label in enumerate(classes.tolist()))})"
            else:
                told = classes[member.classes_].tolist()
                yield from (f"{method} of {name} for {label}" for label in (told[1:] if len(classes) == 2 else told))


class StackingClassifier(_Stack, ensemble.StackingClassifier):
    """Stacking (Wolpert 1992) for classes: an estimator that learns from what others say of rows they were not fitted to.

    scikit-learn's, and more: a model file, ``explain``, and labels as nominal cells of the final estimator.

    Parameters
    ----------
    estimators : list of (name, estimator)
        The members; estimators of treewright, or any others, with which the stack cannot be saved.
    final_estimator : estimator, optional
        What learns from the members; ``LogisticTreeClassifier()`` by default.
    cv : int, splitter or "prefit", optional
        How rows are divided into those that members are fitted to and those they are asked about; 5 stratified folds by default.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default "auto"
        What members are asked; class shares by default (Ting and Witten 1999). With "predict", labels (Wolpert 1992), which a
        final estimator of treewright reads as nominal.
    n_jobs : int, optional
        Members that are fitted at the same time.
    passthrough : bool, default False
        Whether the final estimator sees the table, too.
    verbose : int, default 0
        As in scikit-learn.

    Attributes
    ----------
    estimators_, named_estimators_ : list, Bunch
        The fitted members.
    final_estimator_ : estimator
        The fitted final estimator. Its classes are positions in ``classes_``.
    classes_ : array
        The classes.
    """

    _default = LogisticTreeClassifier

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self.final_estimator_.predict(self.transform(X))]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, by the final estimator."""
        check_is_fitted(self)
        shares: NDArray[np.float64] = self.final_estimator_.predict_proba(self.transform(X))
        return shares


class StackingRegressor(_Stack, ensemble.StackingRegressor):
    """Stacking (Wolpert 1992; Breiman 1996) for numbers: an estimator that learns from what others say of rows they did not see.

    scikit-learn's, and more: a model file, and ``explain``.

    Parameters
    ----------
    estimators : list of (name, estimator)
        The members; estimators of treewright, or any others, with which the stack cannot be saved.
    final_estimator : estimator, optional
        What learns from the members; ``M5Regressor()`` by default.
    cv, n_jobs, passthrough, verbose
        As in :class:`StackingClassifier`.

    Attributes
    ----------
    estimators_, named_estimators_ : list, Bunch
        The fitted members.
    final_estimator_ : estimator
        The fitted final estimator.
    """

    _kept = ("cv", "n_jobs", "passthrough", "verbose")
    _default = M5Regressor


class _Voters(_Together):
    """What votes of classes and means of numbers share."""

    weights: Any

    def explain(self, X: Any) -> Opinions:
        """Explain what the members say of one row: a table of one row, a Series or a dict."""
        X = self._row(X)
        return Opinions(*self._opinions(X), self.predict(X)[0])


class VotingClassifier(_Voters, ensemble.VotingClassifier):
    """Voting for classes: every member votes for a class, or their class shares are averaged.

    scikit-learn's, and more: a model file, and ``explain``.

    Parameters
    ----------
    estimators : list of (name, estimator)
        The members; estimators of treewright, or any others, with which the vote cannot be saved.
    voting : {"hard", "soft"}, default "hard"
        "hard": the class of most votes; "soft": that of the largest mean share.
    weights : list of float, optional
        What every member counts.
    n_jobs : int, optional
        Members that are fitted at the same time.
    flatten_transform : bool, default True
        As in scikit-learn.
    verbose : bool, default False
        As in scikit-learn.

    Attributes
    ----------
    estimators_, named_estimators_ : list, Bunch
        The fitted members.
    classes_ : array
        The classes.
    """

    _kept = ("voting", "weights", "n_jobs", "flatten_transform", "verbose")

    def _become(self, members: list[Any], classes: NDArray[Any] | None, facts: dict[str, Any]) -> Self:
        self.le_ = LabelEncoder().fit(classes)
        return super()._become(members, classes, facts)


class VotingRegressor(_Voters, ensemble.VotingRegressor):
    """The mean of what several regressors say.

    scikit-learn's, and more: a model file, and ``explain``.

    Parameters
    ----------
    estimators : list of (name, estimator)
        The members; estimators of treewright, or any others, with which the vote cannot be saved.
    weights : list of float, optional
        What every member counts.
    n_jobs : int, optional
        Members that are fitted at the same time.
    verbose : bool, default False
        As in scikit-learn.

    Attributes
    ----------
    estimators_, named_estimators_ : list, Bunch
        The fitted members.
    """

    _kept = ("weights", "n_jobs", "verbose")
