"""Stacking (Wolpert 1992; Ting and Witten 1999) and voting: scikit-learn's estimators, with a file, explanations and labels."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright.errors import shown, visible
from treewright.estimators.logistic import LogisticTreeClassifier
from treewright.estimators.m5 import M5Regressor
from treewright.estimators.stored import Stored
from treewright.inspect import one_row
from treewright.model.combine import Mean, Vote
from treewright.model.forest import Forest
from treewright.model.protocol import Model
from treewright.model.renaming import renamed
from treewright.store.files import save
from treewright.table.files.target import TargetColumn
from treewright.table.schema import share_text, value_text
from treewright.table.target import target_name


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
        Of a stack: the columns of its final estimator, but for those of the table itself.
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
            lines += ["", str(self.final).rstrip()]
        return "\n".join([*lines, f"→ {visible(value_text(self.says))}"])

    def to_text(self) -> str:
        """Write what the members say, a line each, why the final estimator says what it says, and the answer."""
        return str(self)


class _Rows(BaseEstimator):
    """In place of a final estimator: keeps what it would be fitted to."""

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        self.rows, self.target, self.params = X, y, params
        return self


class _Classes(ClassifierMixin, _Rows):
    """Of classes."""


class _Numbers(RegressorMixin, _Rows):
    """Of numbers."""


class _Together(BaseEstimator):
    """What stacks and votes add to those of scikit-learn."""

    # Parameters that files keep.
    _kept: ClassVar[tuple[str, ...]]

    estimators: list[tuple[str, Any]]
    estimators_: list[Any]
    n_features_in_: int
    target_name_: str = "target"

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

    def _copy(self) -> Self:
        """The same, to be fitted in its place: a fit that fails or is interrupted leaves the one before it."""
        new = object.__new__(type(self))
        new.__dict__ = dict(vars(self))
        return new

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
            if name == "target_name_" or not hasattr(type(self), name):
                setattr(self, name, value)
        return self


class _Stack(_Together):
    """What stacks for classes and for numbers share."""

    _kept: ClassVar[tuple[str, ...]] = ("cv", "stack_method", "n_jobs", "passthrough", "verbose")
    _default: ClassVar[type[Stored]]

    cv: Any
    final_estimator: Any
    final_estimator_: Any
    stack_method_: list[str]

    @contextmanager
    def _completed(self) -> Iterator[None]:
        """While members are fitted, a final estimator is there, in place of ours what keeps its rows; folds are mixed."""
        given, cv = self.final_estimator, self.cv
        if cv is None or (isinstance(cv, numbers.Integral) and not isinstance(cv, bool)):
            # In tables that are sorted, rows that follow each other are no sample: members would never see the like.
            folds = StratifiedKFold if is_classifier(self) else KFold
            self.cv = folds(5 if cv is None else cv, shuffle=True, random_state=0)
        final = self._default() if given is None else given
        if isinstance(final, Stored) and is_classifier(final) == is_classifier(self):
            final = _Classes() if is_classifier(self) else _Numbers()
        self.final_estimator = final
        try:
            yield
        finally:
            self.final_estimator, self.cv = given, cv

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the members to all rows, and the final estimator to what members say of rows they did not see."""
        new = self._copy()
        with new._completed():
            super(_Stack, new).fit(X, y, **params)
        if isinstance(kept := new.final_estimator_, _Rows):
            final = new._default() if new.final_estimator is None else clone(new.final_estimator)
            labels = is_classifier(new) and new.stack_method == "predict" and not new.passthrough
            if labels and final.get_params(deep=False).get("categorical_features", 0) is None:
                final.set_params(categorical_features=list(range(len(new.estimators_))))
            new.final_estimator_ = final.fit(new._level_one(kept.rows), new._target(y, kept.target), **kept.params)
        new.target_name_ = target_name(y)
        self.__dict__ = new.__dict__
        return self

    def explain(self, X: Any) -> Opinions:
        """Explain what the stack says of one row: a table of one row, a Series or a dict."""
        X = self._row(X)
        says, shares = self._opinions(X)
        final = self.final_estimator_
        why = final.explain(self._inputs(X)) if hasattr(final, "explain") else None
        return Opinions(says, shares, self.predict(X)[0], why, tuple(name for name, _ in self._columns()))

    def _inputs(self, X: Any) -> Any:
        """Rows as the final estimator takes them."""
        rows = self.transform(X)
        return self._level_one(rows) if hasattr(self.final_estimator_, "feature_names_in_") else rows

    def _level_one(self, rows: NDArray[Any]) -> Any:
        """What members say of rows as a table with names, labels as they are; behind it the table itself where it is seen."""
        import pyarrow as pa

        told = list(self._columns())
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(rows.shape[1] - len(told))])
        columns: dict[str, Any] = {}
        for j, (name, labels) in enumerate([*told, *((str(name), False) for name in names)][: rows.shape[1]]):
            while name in columns:
                name += "′"
            cells = self.classes_[rows[:, j].astype(np.int64)] if labels else rows[:, j]
            columns[name] = pa.array(cells.tolist())
        return pa.table(columns)

    def _columns(self) -> Iterator[tuple[str, bool]]:
        """The columns of level one by name, and whether they hold labels."""
        classes = getattr(self, "classes_", None)
        for (name, member), method in zip(self._named, self.stack_method_, strict=True):
            if classes is None or method == "predict":
                yield name, classes is not None
            else:
                told = classes[member.classes_].tolist()
                yield from ((f"{name}: {label}", False) for label in (told[1:] if len(classes) == 2 else told))

    def _target(self, given: Any, codes: NDArray[Any]) -> Any:
        """The target under its name; classes as they are."""
        import pyarrow as pa

        values = self.classes_[codes] if is_classifier(self) else codes
        return TargetColumn(target_name(given), pa.array(values.tolist()))


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
        Unlike scikit-learn's, folds given by their number are mixed (by the seed 0), so that it does not matter whether a table
        is sorted: where the order of rows counts, give a splitter such as ``KFold(5)``.
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
        The fitted final estimator. One of treewright is fitted to a table whose columns are named after the members: the member
        where it says a label, else ``member: class``. The classes of others are positions in ``classes_``.
    classes_ : array
        The classes.
    """

    _default = LogisticTreeClassifier

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        check_is_fitted(self)
        told = self.final_estimator_.predict(self._inputs(X))
        labels: NDArray[Any] = told if hasattr(self.final_estimator_, "feature_names_in_") else self.classes_[told]
        return labels.astype(self.classes_.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, by the final estimator."""
        check_is_fitted(self)
        shares: NDArray[np.float64] = self.final_estimator_.predict_proba(self._inputs(X))
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
        As in :class:`StackingClassifier`; folds are not stratified.

    Attributes
    ----------
    estimators_, named_estimators_ : list, Bunch
        The fitted members.
    final_estimator_ : estimator
        The fitted final estimator; one of treewright knows its columns by the names of the members.
    """

    _kept = ("cv", "n_jobs", "passthrough", "verbose")
    _default = M5Regressor

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of every row."""
        check_is_fitted(self)
        answers: NDArray[np.float64] = self.final_estimator_.predict(self._inputs(X))
        return answers


class _Voters(_Together):
    """What votes of classes and means of numbers share."""

    weights: Any

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the members to all rows."""
        new = self._copy()
        super(_Voters, new).fit(X, y, **params)
        new.target_name_ = target_name(y)
        self.__dict__ = new.__dict__
        return self

    @property
    def forest_(self) -> Forest:
        """The members as one :class:`Forest`, to be drawn, explained, exported and explored; refused unless all have a model."""
        members, weights = self._ours, self.weights
        counts = [1.0] * len(members) if weights is None else self._weights_not_none
        counted = [(name, each, float(count)) for (name, each), count in zip(members.items(), counts, strict=True) if count]
        for name, each, _ in counted:
            if not isinstance(getattr(each, each._learner_class.holds if isinstance(each, Stored) else "", None), Model):
                raise TypeError(f"{name}={shown(each)} has no model of its own, which a forest would hold")
        models = [each._model for _, each, _ in counted]
        target = replace(models[0].target, name=self.target_name_)
        if (classes := getattr(self, "classes_", None)) is not None:
            target = replace(target, classes=tuple(classes.tolist()))
        combine = Vote() if getattr(self, "voting", "soft") == "hard" else Mean()
        held = tuple(renamed(model, target) for model in models)
        return Forest(held, models[0].schema, target, tuple(count for *_, count in counted), combine)

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
