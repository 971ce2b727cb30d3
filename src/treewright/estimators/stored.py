"""Estimators over a learner: its parameters and what it learned as attributes, in files and pickles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

import treewright
from treewright.learn.fitted import Fitted
from treewright.learn.learner import Learned, Learner
from treewright.learn.stored import learned_form, read_learned
from treewright.model.protocol import Model
from treewright.store.binary import section_of, to_bytes, trusting_nothing
from treewright.store.damage import take
from treewright.store.files import save
from treewright.store.values import beside
from treewright.table.streams import as_table

_MODEL, _BESIDE = "_model", "_beside"  # where a pickle carries what was learned, and values that have no form


# Makes the constructor of the inherited parameters anew, under the name of the estimator, by which Python's errors call it. Under
# this name mypy does not see a dataclass: one with untyped bases, as scikit-learn's are, would be let take any argument.
own_constructor = dataclass(eq=False, repr=False)


class Stored(BaseEstimator):
    """An estimator whose parameters a learner reads, and that can be saved."""

    _learner_class: ClassVar[type[Learner[Any]]]

    # Whether its trees can be grown anew from other rows, judged and cut back: only of tree estimators.
    _regrows: ClassVar[bool] = False

    n_features_in_: int

    @property
    def _learner(self) -> Learner[Any]:
        """The learner with the parameters as they are now."""
        return self._learner_class(self)

    @property
    def _model(self) -> Model:
        """What was learned, as a value."""
        check_is_fitted(self, self._learner_class.holds)
        model: Model = getattr(self, self._learner_class.holds)
        return model

    def _learned(self) -> dict[str, Any]:
        """What was learned, as far as it is there, by attribute."""
        own = vars(self)
        return {name: own[name] for name in self._learner_class.stored if name in own}

    def _fitted(self) -> Fitted:
        """The learner with what it learned."""
        return Fitted(self._learner, self._learned())

    def _take(self, learned: dict[str, Any]) -> Self:
        """Become fitted."""
        self.__dict__.update(learned)
        return self

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file that :func:`treewright.load` reads.

        The file is one JSON document (gzip-compressed if its name ends in .gz), the same bytes for the same model, and is
        written whole or not at all. Parameters that are code are left out, with a warning.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        check_is_fitted(self)
        name = type(self).__name__
        if getattr(treewright, name, None) is not type(self):
            raise TypeError(f"{name} is no class of treewright, so no file can name it; save its tree_ instead, or use pickle")
        save("estimator", self._fitted(), path)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        with beside([]) as more:
            section = learned_form(self._learner, self._learned())
            for name in section:
                state.pop(name, None)
            if section:
                state[_MODEL], state[_BESIDE] = to_bytes(section), more
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        content, more = state.pop(_MODEL, None), state.pop(_BESIDE, [])
        super().__setstate__(state)
        if content is not None:
            with trusting_nothing(), beside(take(more, list)):
                self._take(read_learned(self._learner, section_of(content)))


class Fits(Stored):
    """An estimator that is fitted by its learner."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            NumPy array, pandas or polars frame, Arrow table. Text and categories are nominal, NaN and None missing.
        y : array or series of shape (n_rows,), or array or frame of shape (n_rows, n_numbers)
            The classes, or the numbers of a regressor (several per row where it says that it takes them). A categorical series
            keeps its declared order for ties and printing.
        sample_weight : array of shape (n_rows,), optional
            Weights from 0 up; weight 2 is the same as the row twice, weight 0 as no row. Weights that are not all whole numbers
            count by their mean: with weights that sum to 1, ``min_samples_leaf=2`` is two average rows.

        Returns
        -------
        self
        """
        # What was learned is handed over in one step: who predicts meanwhile has the fit before it or this one, never a mixture,
        # and a fit that fails or is interrupted leaves the one before it.
        unfitted = {name: value for name, value in vars(self).items() if name.startswith("_") or not name.endswith("_")}
        new = object.__new__(type(self))
        new.__dict__ = unfitted
        X, learner = as_table(X), new._learner
        learned = self._learn(learner, X, y, sample_weight)
        validate_data(new, X, reset=True, skip_check_array=True)
        new._take(learner.attributes(learned))
        self.__dict__ = new.__dict__
        return self

    def _learn(self, learner: Learner[Any], X: Any, y: Any, sample_weight: Any) -> Learned:
        """What the learner makes of a table."""
        return learner.learn(X, y, sample_weight)


def estimator_of(value: Fitted) -> Stored:
    """Return the estimator that a learner and what it learned are."""
    return unfitted(value.learner)._take(value.learned)


def unfitted(learner: Learner[Any]) -> Stored:
    """Return the estimator of a learner; learners among its parameters become estimators, too."""

    def estimators(value: Any) -> Any:
        if isinstance(value, tuple) and value and all(isinstance(each, Learner) for each in value):
            return tuple(map(unfitted, value))
        return unfitted(value) if isinstance(value, Learner) else value

    params = {name: estimators(value) for name, value in learner.given.items()}
    estimator: Stored = getattr(treewright, learner.name)(**params)
    return estimator
