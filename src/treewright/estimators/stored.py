"""Fitted estimators in files and pickles: their class, their parameters, and what they learned, part by part."""

from __future__ import annotations

import warnings
from dataclasses import asdict, fields
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import treewright
from treewright.errors import TreewrightWarning, outside, shown
from treewright.model.protocol import Model
from treewright.recipe import Recipe
from treewright.store.binary import section_of, to_bytes, trusting_nothing
from treewright.store.damage import Damage, entry, need, only, take
from treewright.store.files import save
from treewright.store.kinds import LEARNED, from_section, to_section
from treewright.store.values import beside, read, written

_HOME = "treewright.estimators"
_MODEL, _BESIDE = "_model", "_beside"  # where a pickle carries what was learned, and values that have no form


class Stored(BaseEstimator):
    """An estimator that can be saved. What it learned is named in ``_stored``: attribute and the kind of its section."""

    _stored: ClassVar[dict[str, str]] = {"n_features_in_": "value", "feature_names_in_": "value"}

    n_features_in_: int

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file that :func:`treewright.load` reads.

        The file is one JSON document (packed by gzip if its name ends in .gz), the same bytes for the same model, and is
        written whole or not at all. Parameters that are code are left out, with a warning.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        check_is_fitted(self)
        save("estimator", self, path)

    # Whether its trees can be grown anew from other rows, judged and cut back: only of tree estimators.
    _regrows: ClassVar[bool] = False

    @property
    def _model(self) -> Model:
        """What was learned, as a value."""
        name = next(name for name, kind in self._stored.items() if kind in LEARNED)
        check_is_fitted(self, name)
        model: Model = getattr(self, name)
        return model

    def _check_stored(self) -> None:
        """Refuse parts that do not fit each other; called before a loaded estimator is handed out."""
        names = vars(self).get("feature_names_in_")
        if names is not None:
            fits = (
                isinstance(names, np.ndarray) and names.dtype == object and all(isinstance(name, str) for name in names.tolist())
            )
            need(names, fits and names.shape == (self.n_features_in_,), "feature_names_in_ does not name the columns")

    def _to_store(self) -> dict[str, Any]:
        """What was learned, by the names it has in files and pickles."""
        return {name: value for name, value in vars(self).items() if name in self._stored}

    def _take(self, learned: dict[str, Any]) -> None:
        """Take what a file or a pickle held."""
        for name, value in learned.items():
            setattr(self, name, value)
        need(self, type(vars(self).get("n_features_in_")) is int, "it has no 'n_features_in_'")
        self._check_stored()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        with beside([]) as more:
            section = _learned_form(self)
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
                _learn(self, section_of(content))


def _learned_form(estimator: Stored) -> dict[str, Any]:
    learned = estimator._to_store()
    return {name: to_section(kind, learned[name]) for name, kind in estimator._stored.items() if name in learned}


def _learn(estimator: Stored, section: dict[str, Any]) -> None:
    kinds = estimator._stored
    only(take(section, dict), *kinds)
    estimator._take({name: from_section(section[name], kind) for name, kind in kinds.items() if name in section})


def pack(estimator: Stored) -> dict[str, Any]:
    """Return a fitted estimator as a section."""
    name = type(estimator).__name__
    if getattr(treewright, name, None) is not type(estimator):
        raise TypeError(f"{name} is no class of treewright, so no file can name it; save its tree_ instead, or use pickle")
    return {"class": name, "params": _params_form(estimator), "learned": _learned_form(estimator)}


def unpack(section: dict[str, Any]) -> Stored:
    """Return the fitted estimator of a section after checking all of it."""
    only(section, "kind", "class", "params", "learned")
    name = entry(section, "class", str)
    known = [each for each, home in treewright._HOMES.items() if home == _HOME]
    need(name, name in known, f"class {shown(name)} is unknown")
    estimator_class = getattr(treewright, name)
    savable = isinstance(estimator_class, type) and issubclass(estimator_class, Stored)
    need(name, savable, f"{shown(name)} is not a class of models")
    params = entry(section, "params", dict)
    only(params, *estimator_class().get_params(deep=False))
    estimator: Stored = estimator_class(**{each: _read_param(each, form) for each, form in params.items()})
    _learn(estimator, entry(section, "learned", dict))
    _check_params(estimator)
    return estimator


def _check_params(estimator: Stored) -> None:
    """Refuse parameters that no fit would have taken."""
    from treewright.estimators.check import check_parameters

    model = estimator._model
    try:
        check_parameters(estimator, model.target.classes, max(1, len(model.schema.columns)), costs=False)
    except (ValueError, TypeError) as error:
        raise Damage(f"its parameters are not those of a fitted {type(estimator).__name__}: {error}") from error


def _params_form(estimator: Stored) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in sorted(estimator.get_params(deep=False).items()):
        if isinstance(value, Recipe):
            out[name] = {"recipe": {field: written(each) for field, each in asdict(value).items()}}
            continue
        try:
            out[name] = written(value)
        except TypeError:
            warnings.warn(
                f"{name}={shown(value)} has no form in a model file and is left out: the loaded estimator predicts the same, "
                f"but has the default {name} if it is fitted again",
                TreewrightWarning,
                stacklevel=outside(),
            )
    return out


def _read_param(name: str, form: Any) -> Any:
    if not isinstance(form, dict):
        return read(form)
    only(form, "recipe")
    values = {field: read(each) for field, each in entry(form, "recipe", dict).items()}
    only(values, *(field.name for field in fields(Recipe)))
    types = {field.name: type(getattr(Recipe(""), field.name)) for field in fields(Recipe)}
    for field, value in values.items():
        need(value, type(value) is types[field], f"{name}: {field}={shown(value)} is no {types[field].__name__}")
    if "name" not in values:
        raise Damage(f"{name}: the recipe has no name")
    return Recipe(**values)
