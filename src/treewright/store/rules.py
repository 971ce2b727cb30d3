"""A rule set as a section: the schemas, whether it is ordered, and its rules as flat columns (``model/flat.py``).

Conditions come one after the other, ``rule_count`` of them per rule, with ``level_count`` and ``listed_count`` levels each. The
default, if there is one, is the last rule. Where rules say equations, ``value`` is their constant, and the terms come one after
the other, ``term_count`` of them per rule, with ``above_count`` levels each. Where surrogates decide of missing cells, there are
``instead_count`` surrogate conditions per condition, with ``surrogate_count`` surrogates each, and two conditions per surrogate
behind those of the rules: what it asks for and what it refuses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown
from treewright.model import RuleSet
from treewright.model.flat import SURROGATE_FACTS, rules_of, state_of
from treewright.store.columns import array_form, array_of
from treewright.store.damage import Damage, entry, need, only
from treewright.store.schemas import cut_limits, read_table, read_target, table_form, target_form
from treewright.table import TableSchema, TargetSchema

_FACTS = tuple(f"rule_{name}" for name in ("weight", "support", "confidence", "spread", "coverage", "lift"))
_ENDS = tuple(f"{side}_{name}" for side in ("low", "high") for name in ("at", "below", "above"))
_FLAGS = ("missing", "missing_seen", *(f"{side}_{name}" for side in ("low", "high") for name in ("strict", "inclusive")))
_POOLS = ("rule", "level", "listed")
# Every column with its type; ends of intervals that follow from others are not written.
_TYPES = {
    "leaf": "i4",
    "column": "u4",
    "known": "u1",
    "share": "f8",
    "level": "u4",
    "listed": "u4",
    **dict.fromkeys((*_FACTS, *_ENDS), "f8"),
    **dict.fromkeys(_FLAGS, "u1"),
    **{f"{pool}_count": "u4" for pool in _POOLS},
}
# What only rules with equations have, by what there is an entry for; begins are written as counts.
_BY_RULE = {"linear": "u1", "term_count": "u4"}
_BY_TERM = {"term_column": "u4", "coefficient": "f8", "term_missing": "f8", "term_levels": "u1", "above_count": "u4"}
_BY_SURROGATE_CONDITION = {
    "surrogate_count": "u4",
    "instead_last": "u1",
    "instead_levels": "u1",
    "asked_count": "u4",
    "kept_count": "u4",
}
_BY_SURROGATE = {f"surrogate_{fact}": "f8" for fact in SURROGATE_FACTS}
_SURROGATES = {"instead_count": "u4", **_BY_SURROGATE_CONDITION, **_BY_SURROGATE, "asked": "u4", "kept": "u4"}
_EQUATIONS = {**_BY_RULE, **_BY_TERM, "above": "u4"}


# Entries of a section beside the schemas.
RULES = ("ordered", "otherwise", "columns")


def pack(rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as a section."""
    return {"table": table_form(rules.schema), "target": target_form(rules.target), **pack_rules(rules)}


def pack_rules(rules: RuleSet) -> dict[str, Any]:
    """Return the section of a rule set without the schemas of its table and target."""
    state = state_of(rules.rules, rules.otherwise, rules.ordered, rules.target)
    state.update({f"{pool}_count": np.diff(state[f"{pool}_begin"]) for pool in _POOLS})
    names = [*_TYPES, *(("value",) if rules.target.classes is None else ("label", "counts"))]
    if "linear" in state:
        state.update({f"{pool}_count": np.diff(state[f"{pool}_begin"]) for pool in ("term", "above")})
        names += _EQUATIONS
    if "instead_begin" in state:
        state.update({f"{pool}_count": np.diff(state[f"{pool}_begin"]) for pool in ("instead", "surrogate", "asked", "kept")})
        names += _SURROGATES
    return {
        "ordered": state["ordered"],
        "otherwise": state["has_otherwise"],
        "columns": {name: array_form(state[name]) for name in names},
    }


def unpack(section: dict[str, Any]) -> RuleSet:
    """Return the rule set of a section after checking all of it."""
    only(section, "kind", "table", "target", *RULES)
    return unpack_rules(section, read_table(entry(section, "table", dict)), read_target(entry(section, "target", dict)))


def unpack_rules(section: dict[str, Any], schema: TableSchema, target: TargetSchema) -> RuleSet:
    """Return the rule set of a section whose schemas were read, after checking all of it."""
    state: dict[str, Any] = {"ordered": entry(section, "ordered", bool), "has_otherwise": entry(section, "otherwise", bool)}
    state.update(_read_columns(entry(section, "columns", dict), target))
    _check(state, schema, target)
    try:
        rules, otherwise, ordered = rules_of(state, schema, target)
    except ValueError as error:
        raise Damage(str(error).removeprefix("the rules are damaged: ")) from error
    return RuleSet(tuple(rules), schema, target, ordered, otherwise)


def _read_columns(form: dict[str, Any], target: TargetSchema) -> dict[str, Any]:
    types = {**_TYPES, **({"value": "f8"} if target.classes is None else {"label": "i4", "counts": "f8"})}
    linear = target.classes is None and "linear" in form
    types.update(_EQUATIONS if linear else {})
    has_surrogates = "instead_count" in form
    types.update(_SURROGATES if has_surrogates else {})
    only(form, *types)
    columns = {name: array_of(form.get(name), dtype, name) for name, dtype in types.items()}
    rules, conditions = len(columns["leaf"]), len(columns["column"])
    k = len(target.classes or ())
    lengths = {
        **dict.fromkeys(("leaf", "rule_count", "label", "value", *_FACTS), rules),
        **dict.fromkeys(("column", "known", "share", "level_count", "listed_count", *_ENDS, *_FLAGS), conditions),
        "counts": rules * k,
        **(dict.fromkeys(_BY_RULE, rules) | dict.fromkeys(_BY_TERM, len(columns["term_column"])) if linear else {}),
    }
    own = conditions
    if has_surrogates:
        surrogates = len(columns["surrogate_agreement"])
        own -= 2 * surrogates
        lengths |= dict.fromkeys(_BY_SURROGATE_CONDITION, len(columns["instead_last"])) | dict.fromkeys(_BY_SURROGATE, surrogates)
        lengths["instead_count"] = own
    for name, length in lengths.items():
        if name in columns:
            need(name, len(columns[name]) == length, f"{name}: {len(columns[name])} entries instead of {length}")
    pools = {"rule": own, "level": len(columns["level"]), "listed": len(columns["listed"])}
    if linear:
        pools.update(term=len(columns["term_column"]), above=len(columns["above"]))
    if has_surrogates:
        pools.update(instead=len(columns["instead_last"]), surrogate=len(columns["surrogate_agreement"]))
        pools.update({pool: len(columns[pool]) for pool in ("asked", "kept")})
    for pool, size in pools.items():
        counts = columns.pop(f"{pool}_count").astype(np.int64)
        need(pool, int(counts.sum()) == size, f"{pool}_count: {int(counts.sum())} entries instead of {size}")
        columns[f"{pool}_begin"] = np.concatenate([[0], np.cumsum(counts)])
    return columns


def _check(state: dict[str, Any], schema: TableSchema, target: TargetSchema) -> None:
    """Refuse conditions on columns, values and levels that are not there."""
    need(state, not state["has_otherwise"] or len(state["leaf"]) > 0, "it has no default")
    column = state["column"].astype(np.int64)
    _first(column >= len(schema.columns), "column", "is no column of its table", column)
    owner = np.repeat(np.arange(len(state["leaf"])), np.diff(state["rule_begin"]))
    place = np.sort(owner * len(schema.columns) + column[: len(owner)])
    _first(place[1:] == place[:-1], "rule", "has two conditions on one column", place // len(schema.columns))
    if state["has_otherwise"]:
        need(state, state["rule_begin"][-1] == state["rule_begin"][-2], "its default has conditions")
    nominal = np.array([each.nominal for each in schema.columns])[column]
    levels = np.array([len(each.levels) for each in schema.columns])[column]
    for pool in ("level", "listed"):
        counts = np.diff(state[f"{pool}_begin"])
        _first((counts > 0) & ~nominal, "condition", "lists levels of a column that has none", np.arange(len(column)))
        _first(state[pool] >= np.repeat(levels, counts), pool, "is no level of its column", state[pool])
        held = np.repeat(np.arange(len(column)), counts)
        falls = (held[1:] == held[:-1]) & (state[pool][1:] <= state[pool][:-1])
        _first(falls, "condition", "has levels that do not ascend", held)
    _check_ends(state, schema, column, nominal)
    if "instead_begin" in state:
        _check_surrogates(state, column, nominal, levels)
    for name in _FACTS:
        _first(np.isinf(state[name]), name, "is no number", state[name])
    for name in _FLAGS:
        _first(state[name] > 1, name, "is no flag", state[name])
    _first(state["known"] > 2, "known", "is unknown", state["known"])
    _first(~((state["share"] >= 0) & (state["share"] <= 1)), "share", "is no share", state["share"])
    if target.classes is None:
        _first(~np.isfinite(state["value"]), "value", "is no number", state["value"])
        if "linear" in state:
            _check_equations(state, schema)
    else:
        _first((state["label"] < 0) | (state["label"] >= len(target.classes)), "label", "is no class", state["label"])
        _first(state["counts"] < 0, "counts", "is no weight", state["counts"])
        _first(np.isinf(state["counts"]), "counts", "is no weight", state["counts"])


def _check_surrogates(
    state: dict[str, Any], column: NDArray[np.int64], nominal: NDArray[np.bool_], levels: NDArray[np.int64]
) -> None:
    n_own = int(state["rule_begin"][-1])
    asks, refuses = column[n_own::2], column[n_own + 1 :: 2]
    _first(asks != refuses, "column", "is not that of the other side of its surrogate", refuses)
    for name in ("instead_last", "instead_levels"):
        _first(state[name] > 1, name, "is no flag", state[name])
    counts = np.diff(state["instead_begin"])
    _first(
        np.repeat(nominal[:n_own], counts) != (state["instead_levels"] == 1), "instead_levels", "does not fit its column", counts
    )
    for pool in ("asked", "kept"):
        most = np.repeat(np.repeat(levels[:n_own], counts), np.diff(state[f"{pool}_begin"]))
        _first(state[pool] >= most, pool, "is no level of its column", state[pool])
    for name in _BY_SURROGATE:
        _first(np.isinf(state[name]), name, "is no number", state[name])


def _check_equations(state: dict[str, Any], schema: TableSchema) -> None:
    for name in ("linear", "term_levels"):
        _first(state[name] > 1, name, "is no flag", state[name])
    counts = np.diff(state["term_begin"])
    _first((counts > 0) & (state["linear"] == 0), "term_count", "belongs to a rule without an equation", counts)
    column = state["term_column"].astype(np.int64)
    _first(column >= len(schema.columns), "term_column", "is no column of its table", column)
    nominal = np.array([each.nominal for each in schema.columns])[column]
    _first(nominal != (state["term_levels"] == 1), "term_levels", "does not fit its column", state["term_levels"])
    counts = np.diff(state["above_begin"])
    _first((counts > 0) & ~nominal, "above_count", "lists levels of a column that has none", counts)
    levels = np.array([len(each.levels) for each in schema.columns])[column]
    _first(state["above"] >= np.repeat(levels, counts), "above", "is no level of its column", state["above"])
    for name in ("coefficient", "term_missing"):
        _first(~np.isfinite(state[name]), name, "is no number", state[name])


def _check_ends(state: dict[str, Any], schema: TableSchema, column: NDArray[np.int64], nominal: NDArray[np.bool_]) -> None:
    low, high = np.array([cut_limits(each) for each in schema.columns])[column].T
    for side in ("low", "high"):
        at = state[f"{side}_at"]
        given = ~np.isnan(at)
        _first(given & (nominal | np.isinf(at)), f"{side}_at", "is no end of an interval", at)
        for beside in ("below", "above"):
            values = state[f"{side}_{beside}"]
            _first(given & np.isnan(values), f"{side}_{beside}", "is no number", values)
        whole = np.where(state[f"{side}_strict"] == 1, np.ceil(at), np.floor(at))
        _first(given & ((whole < low) | (whole > high)), f"{side}_at", "is no value of its column", at)


def _first(bad: NDArray[np.bool_], name: str, what: str, values: NDArray[Any]) -> None:
    """Refuse the first entry that is bad, by name and value."""
    where = np.flatnonzero(bad)
    if len(where):
        need(bad, False, f"{name} {shown(values[where[0]].item())} (entry {int(where[0])}) {what}")
