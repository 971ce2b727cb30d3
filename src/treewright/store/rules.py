"""A rule set as a section: the schemas, whether it is ordered, and its rules as flat columns (``model/flat.py``).

Conditions stand one after the other, ``rule_count`` of them a rule; ``level_count`` and ``listed_count`` levels a condition. The
default, if there is one, is the last rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown
from treewright.model import RuleSet
from treewright.model.flat import rules_of, state_of
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


def pack(rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as a section."""
    state = state_of(rules.rules, rules.otherwise, rules.ordered, rules.target)
    state.update({f"{pool}_count": np.diff(state[f"{pool}_begin"]) for pool in _POOLS})
    names = [*_TYPES, *(("value",) if rules.target.classes is None else ("label", "counts"))]
    return {
        "table": table_form(rules.schema),
        "target": target_form(rules.target),
        "ordered": state["ordered"],
        "otherwise": state["has_otherwise"],
        "columns": {name: array_form(state[name]) for name in names},
    }


def unpack(section: dict[str, Any]) -> RuleSet:
    """Return the rule set of a section after checking all of it."""
    only(section, "kind", "table", "target", "ordered", "otherwise", "columns")
    schema, target = read_table(entry(section, "table", dict)), read_target(entry(section, "target", dict))
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
    only(form, *types)
    columns = {name: array_of(form.get(name), dtype, name) for name, dtype in types.items()}
    rules, conditions = len(columns["leaf"]), len(columns["column"])
    k = len(target.classes or ())
    lengths = {
        **dict.fromkeys(("leaf", "rule_count", "label", "value", *_FACTS), rules),
        **dict.fromkeys(("column", "known", "share", "level_count", "listed_count", *_ENDS, *_FLAGS), conditions),
        "counts": rules * k,
    }
    for name, length in lengths.items():
        if name in columns:
            need(name, len(columns[name]) == length, f"{name}: {len(columns[name])} entries instead of {length}")
    for pool, size in (("rule", conditions), ("level", len(columns["level"])), ("listed", len(columns["listed"]))):
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
    place = np.sort(owner * len(schema.columns) + column)
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
    for name in _FACTS:
        _first(np.isinf(state[name]), name, "is no number", state[name])
    for name in _FLAGS:
        _first(state[name] > 1, name, "is no flag", state[name])
    _first(state["known"] > 2, "known", "is unknown", state["known"])
    _first(~((state["share"] >= 0) & (state["share"] <= 1)), "share", "is no share", state["share"])
    if target.classes is None:
        _first(~np.isfinite(state["value"]), "value", "is no number", state["value"])
    else:
        _first((state["label"] < 0) | (state["label"] >= len(target.classes)), "label", "is no class", state["label"])
        _first(state["counts"] < 0, "counts", "is no weight", state["counts"])
        _first(np.isinf(state["counts"]), "counts", "is no weight", state["counts"])


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
