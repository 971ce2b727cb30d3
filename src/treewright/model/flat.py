"""Rules as flat columns: what the core matches rows by, and what a model file holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.model.condition import Bound, Condition
from treewright.model.rule import Rule
from treewright.table import TableSchema, TargetSchema

_NONE, _SOME, _ALL = 0, 1, 2
_FACTS = ("weight", "support", "confidence", "spread", "coverage", "lift")
_ENDS = tuple((f"{side}_{field}", field) for side in ("low", "high") for field in ("at", "below", "above", "strict", "inclusive"))
_PER_CONDITION = ("column", "low", "high", "known", "missing", "share", "missing_seen", *(name for name, _ in _ENDS))
# Every column of the flat form with its type. Pools begin where ``*_begin`` says.
COLUMNS: dict[str, str] = {
    "rule_begin": "u4", "column": "u4", "low": "f8", "high": "f8", "level_begin": "u4", "level": "u4", "known": "u1",
    "missing": "u1", "share": "f8", "listed_begin": "u4", "listed": "u4", "missing_seen": "u1", "leaf": "i4", "value": "f8",
    "label": "i4", "counts": "f8",
    **{name: "u1" if field in ("strict", "inclusive") else "f8" for name, field in _ENDS},
    **{f"rule_{fact}": "f8" for fact in _FACTS},
}  # fmt: skip


def rule_columns(rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the conditions of rules side by side; rule r owns those from ``rule_begin[r]`` to ``rule_begin[r + 1]``."""
    conditions = [condition for rule in rules for condition in rule.when]
    if any(condition.instead for condition in conditions):
        raise ValueError("rules of a tree with surrogates cannot be written down alone: save the tree, or its estimator")
    spans = [(0.0, 0.0) if condition.column.nominal else condition.interval() for condition in conditions]
    levels = [sorted(condition.levels or ()) for condition in conditions]
    return {
        "rule_begin": _offsets([len(rule.when) for rule in rules]),
        "column": np.array([condition.index for condition in conditions], np.uint32),
        "low": np.array([low for low, _ in spans], np.float64),
        "high": np.array([high for _, high in spans], np.float64),
        "level_begin": _offsets([len(codes) for codes in levels]),
        "level": np.array([code for codes in levels for code in codes], np.uint32),
        "known": np.array([_known(condition) for condition in conditions], np.uint8),
        "missing": np.array([condition.missing for condition in conditions], np.uint8),
        "share": np.array([condition.missing_share for condition in conditions], np.float64),
    }


def _offsets(lengths: list[int]) -> Any:
    return np.concatenate([np.zeros(1, np.uint32), np.cumsum(lengths, dtype=np.uint32)])


def _known(condition: Condition) -> int:
    if not condition.known:
        return _NONE
    open_ = condition.low is None and condition.high is None and condition.levels is None
    return _ALL if open_ else _SOME


def state_of(rules: Sequence[Rule], otherwise: Rule | None, ordered: bool, target: TargetSchema) -> dict[str, Any]:
    """Return all of a rule set but its schema as flat columns; the default, if there is one, is the last rule."""
    every = [*rules, *([] if otherwise is None else [otherwise])]
    conditions = [condition for rule in every for condition in rule.when]
    state = rule_columns(every)
    for side in ("low", "high"):
        ends = [getattr(condition, side) for condition in conditions]
        for field in ("at", "below", "above"):
            state[f"{side}_{field}"] = np.array([np.nan if end is None else getattr(end, field) for end in ends], np.float64)
        for field in ("strict", "inclusive"):
            state[f"{side}_{field}"] = np.array([end is not None and getattr(end, field) for end in ends], np.uint8)
    listed = [condition.listed or () for condition in conditions]
    state["listed_begin"], state["listed"] = (
        _offsets([len(codes) for codes in listed]),
        np.array([c for cs in listed for c in cs], np.uint32),
    )
    state["missing_seen"] = np.array([condition.missing_seen for condition in conditions], np.uint8)
    if target.classes is None:
        state["value"] = np.array([rule.says for rule in every], np.float64)
    else:
        place = {label: k for k, label in enumerate(target.classes)}
        state["label"] = np.array([place[rule.says] for rule in every], np.int32)
        state["counts"] = np.array([rule.counts or [np.nan] * len(place) for rule in every], np.float64).reshape(-1)
    for field in _FACTS:
        column = [getattr(rule, field) for rule in every]
        state[f"rule_{field}"] = np.array([np.nan if value is None else value for value in column], np.float64)
    state["leaf"] = np.array([rule.leaf for rule in every], np.int32)
    state["ordered"], state["has_otherwise"] = bool(ordered), otherwise is not None
    return state


def check_lengths(state: dict[str, Any], target: TargetSchema) -> None:
    """Refuse columns that do not fit each other; what the core matches by is checked there."""
    n_rules, n_conditions = len(state["rule_begin"]) - 1, len(state["column"])
    classes = target.classes
    lengths = dict.fromkeys(_PER_CONDITION, n_conditions) | dict.fromkeys((f"rule_{fact}" for fact in _FACTS), n_rules)
    lengths |= {"leaf": n_rules, "listed_begin": n_conditions + 1}
    lengths |= {"value": n_rules} if classes is None else {"label": n_rules, "counts": n_rules * len(classes)}
    for name, length in lengths.items():
        if len(state[name]) != length:
            raise ValueError(f"the rules are damaged: {name} has {len(state[name])} entries instead of {length}")
    begin = state["listed_begin"]
    if begin[0] != 0 or begin[-1] != len(state["listed"]) or np.any(np.diff(begin.astype(np.int64)) < 0):
        raise ValueError("the rules are damaged: the offsets of listed levels are out of order")


def rules_of(state: dict[str, Any], schema: TableSchema, target: TargetSchema) -> tuple[list[Rule], Rule | None, bool]:
    """Rebuild what :func:`state_of` wrote: the rules, the default and whether they are ordered."""
    n = len(state["leaf"])
    rules = []
    for r in range(n):
        begin, end = int(state["rule_begin"][r]), int(state["rule_begin"][r + 1])
        when = tuple(_condition(state, c, schema) for c in range(begin, end))
        facts = {f: _or_none(state[f"rule_{f}"][r]) for f in ("confidence", "spread", "coverage", "lift")}
        says: Any
        counts = None
        if target.classes is None:
            says = float(state["value"][r])
        else:
            label, k = int(state["label"][r]), len(target.classes)
            if not 0 <= label < k:
                raise ValueError(f"the rules are damaged: class {shown(label)} does not exist")
            says = target.classes[label]
            found = state["counts"][r * k : (r + 1) * k]
            counts = None if np.any(np.isnan(found)) else tuple(found.tolist())
        weight, support = float(state["rule_weight"][r]), float(state["rule_support"][r])
        rules.append(Rule(when, says, weight, support, leaf=int(state["leaf"][r]), counts=counts, **facts))
    again = rule_columns(rules)
    if any(name in state and not np.array_equal(state[name], column) for name, column in again.items()):
        raise ValueError("the rules are damaged: the ends of an interval and its cut differ")
    otherwise = rules.pop() if state["has_otherwise"] else None
    if otherwise is not None and otherwise.when:
        raise ValueError("the rules are damaged: the default has conditions")
    return rules, otherwise, bool(state["ordered"])


def _or_none(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _condition(state: dict[str, Any], c: int, schema: TableSchema) -> Condition:
    index = int(state["column"][c])
    column = schema.columns[index]
    known = int(state["known"][c])

    def end(side: str) -> Bound | None:
        at = float(state[f"{side}_at"][c])
        if np.isnan(at):
            return None
        facts = (float(state[f"{side}_below"][c]), float(state[f"{side}_above"][c]))
        return Bound(column, at, *facts, bool(state[f"{side}_strict"][c]), bool(state[f"{side}_inclusive"][c]))

    def codes(pool: str) -> tuple[int, ...]:
        begin, stop = int(state[f"{pool}_begin"][c]), int(state[f"{pool}_begin"][c + 1])
        found = tuple(int(code) for code in state[pool][begin:stop])
        if any(code >= len(column.levels) for code in found):
            raise ValueError("the rules are damaged: a level does not exist")
        return found

    levels = frozenset(codes("level")) if column.nominal and known == _SOME else None
    return Condition(
        column, index, end("low"), end("high"), levels, codes("listed") or None, bool(state["missing"][c]), known != _NONE,
        bool(state["missing_seen"][c]), float(state["share"][c]),
    )  # fmt: skip
