"""Fitted learners as sections of model files: their name, their parameters, and what they learned, attribute by attribute."""

from __future__ import annotations

import warnings
from dataclasses import asdict, fields
from typing import Any

from treewright.errors import TreewrightWarning, outside, shown
from treewright.learn import LEARNERS, learner_class
from treewright.learn.fitted import Fitted
from treewright.learn.learner import Learner
from treewright.recipe import Recipe
from treewright.store.damage import Damage, entry, need, only, take
from treewright.store.kinds import from_section, to_section
from treewright.store.values import read, written

_DEEPEST = 8  # members of members


def pack(value: Fitted) -> dict[str, Any]:
    """Return a fitted learner as a section."""
    learner = value.learner
    return {**_learner_form(learner), "learned": learned_form(learner, value.learned)}


def unpack(section: dict[str, Any]) -> Fitted:
    """Return the fitted learner of a section after checking all of it."""
    only(section, "kind", "class", "params", "learned")
    learner = _read_learner(section, 0)
    learned = read_learned(learner, entry(section, "learned", dict))
    _check_params(learner, learned)
    return Fitted(learner, learned)


def learned_form(learner: Learner[Any], learned: dict[str, Any]) -> dict[str, Any]:
    """Return what was learned as sections, by attribute."""
    held = learner.to_store(learned)
    return {name: to_section(kind, held[name]) for name, kind in learner.stored.items() if name in held}


def read_learned(learner: Learner[Any], section: Any) -> dict[str, Any]:
    """Return what was learned from its sections, after checking that everything fits."""
    only(take(section, dict), *learner.stored)
    return learner.from_store(
        {name: from_section(section[name], kind) for name, kind in learner.stored.items() if name in section}
    )


def _check_params(learner: Learner[Any], learned: dict[str, Any]) -> None:
    """Refuse parameters that no fit would have taken."""
    model = learned[learner.holds]
    try:
        learner.check(model.target.classes, max(1, len(model.schema.columns)), costs=False)
    except (ValueError, TypeError) as error:
        raise Damage(f"its parameters are not those of a fitted {learner.name}: {error}") from error


def _learner_form(learner: Learner[Any]) -> dict[str, Any]:
    return {"class": learner.name, "params": _params_form(learner)}


def _read_learner(section: dict[str, Any], depth: int) -> Learner[Any]:
    """The learner of a section; ``depth``: of members of members."""
    need(depth, depth <= _DEEPEST, f"learners of members are nested more than {_DEEPEST} deep")
    name = entry(section, "class", str)
    need(name, name in LEARNERS, f"class {shown(name)} is unknown")
    kind = learner_class(name)
    params = entry(section, "params", dict)
    only(params, *(field.name for field in fields(kind.Parameters)))
    return kind(kind.Parameters(**{each: _read_param(each, form, depth) for each, form in params.items()}))


def _read_inner(section: dict[str, Any], depth: int) -> Learner[Any]:
    only(section, "class", "params")
    return _read_learner(section, depth + 1)


def _learner(value: Any) -> Learner[Any] | None:
    """The learner that a parameter is, or that an estimator has."""
    learner = value if isinstance(value, Learner) else getattr(value, "_learner", None)
    return learner if isinstance(learner, Learner) else None


def _params_form(learner: Learner[Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in sorted(learner.given.items()):
        if isinstance(value, Recipe):
            out[name] = {"recipe": {field: written(each) for field, each in asdict(value).items()}}
            continue
        if (inner := _learner(value)) is not None:
            out[name] = {"learner": _learner_form(inner)}
            continue
        if isinstance(value, (tuple, list)) and value and all(_learner(each) is not None for each in value):
            out[name] = {"learners": [_learner_form(each) for each in map(_learner, value) if each is not None]}
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


def _read_param(name: str, form: Any, depth: int) -> Any:
    if not isinstance(form, dict):
        return read(form)
    if "learner" in form:
        only(form, "learner")
        return _read_inner(entry(form, "learner", dict), depth)
    if "learners" in form:
        only(form, "learners")
        return tuple(_read_inner(take(each, dict), depth) for each in entry(form, "learners", list))
    only(form, "recipe")
    values = {field: read(each) for field, each in entry(form, "recipe", dict).items()}
    only(values, *(field.name for field in fields(Recipe)))
    types = {field.name: type(getattr(Recipe(""), field.name)) for field in fields(Recipe)}
    for field, value in values.items():
        need(value, type(value) is types[field], f"{name}: {field}={shown(value)} is no {types[field].__name__}")
    if "name" not in values:
        raise Damage(f"{name}: the recipe has no name")
    return Recipe(**values)
