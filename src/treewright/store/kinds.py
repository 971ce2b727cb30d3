"""What a model file can hold, by name. A new kind is a module with ``pack`` (value to section) and ``unpack``, and a line.

A section is a dictionary of JSON values and one-dimensional NumPy arrays; ``unpack`` must check everything in it before use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from treewright.errors import shown
from treewright.store.damage import Damage, need, take

KINDS = {
    "tree": "treewright.store.trees",
    "rules": "treewright.store.rules",
    "forest": "treewright.store.forests",
    "clauses": "treewright.store.clauses",
    "foil": "treewright.learn.stored_foil",
    "leaf_targets": "treewright.store.targets",
    "forest_targets": "treewright.store.forest_targets",
    "value": "treewright.store.value",
    "soft_thresholds": "treewright.store.gates",
    "samples": "treewright.learn.stored_samples",
    "estimator": "treewright.learn.stored",
    "together": "treewright.estimators.together",
}
# What may stand alone in a file; stacks and votes ("together") are estimators of scikit-learn.
MODELS = ("tree", "rules", "forest", "clauses", "foil", "estimator", "together")
# What users of Python are given instead of the plain value; it may load much, and only they need it.
_HANDED_OUT = {
    "estimator": "treewright.estimators.stored:estimator_of",
    "foil": "treewright.estimators.foil:foil_of",
}


def to_section(kind: str, value: Any) -> dict[str, Any]:
    """Return a value as a section of that kind."""
    section: dict[str, Any] = import_module(KINDS[kind]).pack(value)
    return {"kind": kind, **section}


def from_section(section: Any, *allowed: str) -> Any:
    """Return the value of a section, which must be of one of the allowed kinds."""
    kind = take(section, dict).get("kind")
    need(kind, isinstance(kind, str) and kind in allowed and kind in KINDS, f"kind {shown(kind)} is unknown here")
    try:
        return import_module(KINDS[kind]).unpack(section)
    except Damage as error:
        raise Damage(f"{kind}: {error}") from error


def handed_out(section: Any, *allowed: str) -> Any:
    """Return the value of a section as users of Python are given it."""
    value = from_section(section, *allowed)
    if (maker := _HANDED_OUT.get(section["kind"])) is None:
        return value
    module, _, function = maker.partition(":")
    return getattr(import_module(module), function)(value)
