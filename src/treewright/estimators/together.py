"""Stacks and votes as sections of model files: their parameters, and each fitted member as the estimator it is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treewright.errors import TreewrightWarning, outside, shown
from treewright.estimators import stacking
from treewright.estimators.stored import Stored, estimator_of, unfitted
from treewright.store.damage import Damage, entry, need, only, take
from treewright.store.kinds import from_section, to_section
from treewright.store.values import read, written

CLASSES: dict[str, type[Any]] = {
    each.__name__: each
    for each in (
        stacking.StackingClassifier,
        stacking.StackingRegressor,
        stacking.VotingClassifier,
        stacking.VotingRegressor,
    )
}
_METHODS = ("predict_proba", "decision_function", "predict")
_DEEPEST = 8  # stacks of stacks


def pack(value: Any) -> dict[str, Any]:
    """Return a fitted stack or vote as a section."""
    params = {}
    for name in value._kept:
        given = getattr(value, name)
        if name == "weights" and given is not None:  # members that were dropped are not in the file, nor what they would count
            given = [
                float(weight) for (_, each), weight in zip(value.estimators, given, strict=True) if not isinstance(each, str)
            ]
        try:
            params[name] = written(given)
        except TypeError:
            warnings.warn(
                f"{name}={shown(given)} has no form in a model file and is left out: the loaded estimator predicts the same, "
                f"but has the default {name} if it is fitted again",
                TreewrightWarning,
                stacklevel=outside(),
            )
    _ = value._ours
    out = {
        "class": type(value).__name__,
        "params": params,
        "names": [name for name, _ in value._named],
        "members": [_form(member) for _, member in value._named],
        "classes": written(np.asarray(value.classes_)) if hasattr(value, "classes_") else None,
        "target": value.target_name_,
    }
    if hasattr(value, "final_estimator_"):
        out |= {"final": _form(value.final_estimator_), "methods": list(value.stack_method_)}
    return out


def _form(member: Any) -> dict[str, Any]:
    return to_section("estimator", member._fitted()) if isinstance(member, Stored) else to_section("together", member)


def unpack(section: dict[str, Any]) -> Any:
    """Return the fitted stack or vote of a section after checking all of it."""
    return _read(section, 0)


def _read(section: dict[str, Any], depth: int) -> Any:
    need(depth, depth <= _DEEPEST, f"stacks of stacks are nested more than {_DEEPEST} deep")
    name = entry(section, "class", str)
    need(name, name in CLASSES, f"class {shown(name)} is unknown")
    kind, stacked = CLASSES[name], name.startswith("Stacking")
    only(section, "kind", "class", "params", "names", "members", "classes", "target", *(("final", "methods") if stacked else ()))
    params = entry(section, "params", dict)
    only(params, *kind._kept)
    given = {each: read(form) for each, form in params.items()}
    names = entry(section, "names", list)
    for each in names:
        need(
            each,
            isinstance(each, str) and "__" not in each and each not in kind._kept,
            f"a member cannot be called {shown(each)}",
        )
    members = [_member(form, depth) for form in entry(section, "members", list)]
    need(names, 0 < len(members) == len(names) == len(set(names)), "its members do not have a name each")
    width = members[0].n_features_in_
    need(width, all(each.n_features_in_ == width for each in members), "its members are of different tables")
    classes = _classes(section, members, name.endswith("Classifier"))
    voters = list(zip(names, [_unfitted(each) for each in members], strict=True))
    # Files of earlier versions do not name the target.
    facts: dict[str, Any] = {
        "n_features_in_": width,
        "target_name_": entry(section, "target", str) if "target" in section else "target",
    }
    labelled = next((each for each in members if hasattr(each, "feature_names_in_")), None)
    if labelled is not None:
        facts["feature_names_in_"] = labelled.feature_names_in_
    if not stacked:
        _check_votes(given, len(members))
        return kind(voters, **given)._become(members, classes, facts)
    final = _member(entry(section, "final", dict), depth)
    methods = entry(section, "methods", list)
    need(methods, len(methods) == len(members), "its members are not asked for one answer each")
    inputs = sum(_width(member, method, classes) for member, method in zip(members, methods, strict=True))
    inputs += width if given.get("passthrough") else 0
    need(inputs, final.n_features_in_ == inputs, "its final estimator is not of as many columns as the members say")
    if classes is not None:
        _check_final(final, classes)
    need(given, given.get("passthrough", False) in (True, False), "passthrough is neither True nor False")
    facts |= {"final_estimator_": final, "stack_method_": methods}
    return kind(voters, _unfitted(final), **given)._become(members, classes, facts)


def _member(form: Any, depth: int) -> Any:
    if take(form, dict).get("kind") == "together":
        return _read(form, depth + 1)
    return estimator_of(from_section(form, "estimator"))


def _unfitted(member: Any) -> Any:
    if isinstance(member, Stored):
        return unfitted(member._learner)
    return type(member)(**member.get_params(deep=False))


def _classes(section: dict[str, Any], members: list[Any], classifies: bool) -> Any:
    classes = read(section.get("classes"))
    if not classifies:
        need(classes, classes is None, "classes of a regressor")
        need(members, not any(hasattr(each, "classes_") for each in members), "a member predicts classes")
        return None
    fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
    need(classes, fits and len(set(classes.tolist())) == len(classes), "it has no classes")
    for each in members:
        _check_codes(each, classes)
    return classes


def _check_codes(member: Any, classes: Any) -> None:
    """Members predict positions of the classes."""
    own = getattr(member, "classes_", None)
    fits = isinstance(own, np.ndarray) and own.dtype.kind in "iu" and set(own.tolist()) <= set(range(len(classes)))
    need(member, fits, "a member predicts other classes")


def _check_final(final: Any, classes: Any) -> None:
    """Final estimators that know their columns by name know classes, too; the others, of older files, their positions."""
    if not hasattr(final, "feature_names_in_"):
        return _check_codes(final, classes)
    own = getattr(final, "classes_", None)
    fits = isinstance(own, np.ndarray) and set(own.tolist()) <= set(classes.tolist())
    return need(final, fits, "its final estimator predicts other classes")


def _width(member: Any, method: Any, classes: Any) -> int:
    """How many columns a member is for the final estimator."""
    known = isinstance(method, str) and method in _METHODS and hasattr(member, method)
    need(method, known, f"a member cannot be asked for {shown(method)}")
    if method == "predict":
        return 1
    need(method, method == "predict_proba" and classes is not None, f"a member cannot be asked for {shown(method)}")
    return 1 if len(classes) == 2 else len(member.classes_)


def _check_votes(given: dict[str, Any], n_members: int) -> None:
    voting, weights = given.get("voting", "hard"), given.get("weights")
    need(voting, isinstance(voting, str) and voting in ("hard", "soft"), f"voting={shown(voting)} is neither hard nor soft")
    if weights is None:
        return
    fits = isinstance(weights, list) and len(weights) == n_members
    for weight in weights if fits else []:
        fits = fits and type(weight) in (int, float) and 0 <= weight < float("inf")
    if not fits or not sum(weights) > 0:
        raise Damage("its weights are not a number from 0 up for each member")
