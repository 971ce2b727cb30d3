"""Rules as flat columns: what the core matches rows by, and what a model file holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.model.condition import Bound, Condition
from treewright.model.few import of_classes
from treewright.model.linear import Equation, LinearTerm
from treewright.model.rule import Rule, refuse_edits
from treewright.model.surrogate import Surrogate, SurrogateCondition
from treewright.table import TableSchema, TargetSchema

_NONE, _SOME, _ALL = 0, 1, 2
SURROGATE_FACTS = ("agreement", "adjusted", "gain", "sent")
_FACTS = ("weight", "support", "confidence", "spread", "coverage", "lift")


def rule_columns(rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the conditions of rules side by side; rule r owns those from ``rule_begin[r]`` to ``rule_begin[r + 1]``."""
    conditions = [condition for rule in rules for condition in rule.when]
    return {"rule_begin": _offsets([len(rule.when) for rule in rules]), **_condition_columns(conditions)}


def _condition_columns(conditions: Sequence[Condition]) -> dict[str, Any]:
    spans = [(0.0, 0.0) if condition.column.nominal else condition.interval() for condition in conditions]
    levels = [sorted(condition.levels or ()) if condition.present else [] for condition in conditions]
    return {
        "column": np.array([condition.index for condition in conditions], np.uint32),
        "low": np.array([low for low, _ in spans], np.float64),
        "high": np.array([high for _, high in spans], np.float64),
        "level_begin": _offsets([len(codes) for codes in levels]),
        "level": np.array([code for codes in levels for code in codes], np.uint32),
        "known": np.array([_present_kind(condition) for condition in conditions], np.uint8),
        "missing": np.array([condition.missing for condition in conditions], np.uint8),
        "share": np.array([condition.missing_share for condition in conditions], np.float64),
    }


def _offsets(lengths: list[int]) -> Any:
    return np.concatenate([np.zeros(1, np.uint32), np.cumsum(lengths, dtype=np.uint32)])


def _present_kind(condition: Condition) -> int:
    if not condition.present:
        return _NONE
    open_ = condition.low is None and condition.high is None and condition.levels is None
    return _ALL if open_ else _SOME


def state_of(rules: Sequence[Rule], otherwise: Rule | None, ordered: bool, target: TargetSchema) -> dict[str, Any]:
    """Return all of a rule set but its schema as flat columns; the default, if there is one, is the last rule."""
    refuse_edits(rules, target)
    every = [*rules, *([] if otherwise is None else [otherwise])]
    own = [condition for rule in every for condition in rule.when]
    missing_conditions = [one for condition in own for one in condition.if_missing]
    surrogates = [surrogate for one in missing_conditions for surrogate in one.surrogates]
    # Behind the conditions of the rules come those of their surrogates: what each of them asks for, and what it refuses.
    conditions = [*own, *(each for one in missing_conditions for pair in one.ways for each in pair)]
    state = {"rule_begin": _offsets([len(rule.when) for rule in every]), **_condition_columns(conditions)}
    if missing_conditions:
        state.update(_surrogate_columns(own, missing_conditions, surrogates))
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
        state.update(_equation_columns(every))
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


def _surrogate_columns(
    own: list[Condition], missing_conditions: list[SurrogateCondition], surrogates: list[Surrogate]
) -> dict[str, Any]:
    """What decides of missing cells: so many surrogate conditions of each condition, with so many surrogates each."""
    decided, kept = (
        [sorted(codes or ()) for codes in each]
        for each in zip(*((s.own_levels, s.levels) for s in missing_conditions), strict=True)
    )
    out = {
        "instead_begin": _offsets([len(condition.if_missing) for condition in own]),
        "surrogate_begin": _offsets([len(one.surrogates) for one in missing_conditions]),
        "instead_last": np.array([one.last for one in missing_conditions], np.uint8),
        "instead_levels": np.array([one.own_levels is not None for one in missing_conditions], np.uint8),
    }
    for name, sets in (("asked", decided), ("kept", kept)):
        out |= {f"{name}_begin": _offsets([len(s) for s in sets]), name: np.array([c for s in sets for c in s], np.uint32)}
    for fact in SURROGATE_FACTS:
        out[f"surrogate_{fact}"] = np.array([getattr(surrogate, fact) for surrogate in surrogates], np.float64)
    return out


def _with_surrogates(state: dict[str, Any], conditions: list[Condition], n_own: int) -> list[Condition]:
    """The conditions of the rules with their surrogates; ``conditions`` are theirs and those of surrogates."""
    if "instead_begin" not in state:
        return conditions

    def codes(name: str, at: int) -> frozenset[int]:
        return frozenset(state[name][int(state[f"{name}_begin"][at]) : int(state[f"{name}_begin"][at + 1])].tolist())

    def surrogate(at: int) -> Surrogate:
        asks, refuses = conditions[n_own + 2 * at : n_own + 2 * at + 2]
        facts = [float(state[f"surrogate_{fact}"][at]) for fact in SURROGATE_FACTS]
        return Surrogate(asks.column.name, (asks, refuses), *facts)

    def surrogate_condition(at: int) -> SurrogateCondition:
        found = tuple(surrogate(s) for s in range(int(state["surrogate_begin"][at]), int(state["surrogate_begin"][at + 1])))
        decided, kept = (codes("asked", at), codes("kept", at)) if state["instead_levels"][at] else (None, None)
        return SurrogateCondition(found, 0, bool(state["instead_last"][at]), decided, kept)

    begin = state["instead_begin"].tolist()
    return [
        replace(condition, if_missing=tuple(surrogate_condition(at) for at in range(first, last)))
        for condition, first, last in zip(conditions[:n_own], begin[:-1], begin[1:], strict=True)
    ]


def _equation_columns(rules: Sequence[Rule]) -> dict[str, Any]:
    """Numbers that rules say, or the beginnings of their equations; the terms of those stand side by side."""
    linear = [isinstance(rule.says, Equation) for rule in rules]
    out: dict[str, Any] = {
        "value": np.array(
            [rule.says.intercept if yes else rule.says for rule, yes in zip(rules, linear, strict=True)], np.float64
        )
    }
    if not any(linear):
        return out
    counts = [len(rule.says.terms) if yes else 0 for rule, yes in zip(rules, linear, strict=True)]
    terms = [term for rule, yes in zip(rules, linear, strict=True) if yes for term in rule.says.terms]
    return out | {
        "linear": np.array(linear, np.uint8),
        "term_begin": _offsets(counts),
        "term_column": np.array([term.index for term in terms], np.uint32),
        "coefficient": np.array([term.coefficient for term in terms], np.float64),
        "term_missing": np.array([term.missing for term in terms], np.float64),
        "term_levels": np.array([term.codes is not None for term in terms], np.uint8),
        "above_begin": _offsets([len(term.codes or ()) for term in terms]),
        "above": np.array([code for term in terms for code in term.codes or ()], np.uint32),
    }


def _says(state: dict[str, Any], r: int, schema: TableSchema) -> float | Equation:
    value = float(state["value"][r])
    if "linear" not in state or not state["linear"][r]:
        return value
    terms = []
    for t in range(int(state["term_begin"][r]), int(state["term_begin"][r + 1])):
        index = int(state["term_column"][t])
        codes = None
        if state["term_levels"][t]:
            codes = tuple(int(code) for code in state["above"][int(state["above_begin"][t]) : int(state["above_begin"][t + 1])])
        facts = float(state["coefficient"][t]), codes, float(state["term_missing"][t])
        terms.append(LinearTerm.of(schema.columns[index], index, *facts))
    return Equation(value, tuple(terms))


def rules_of(state: dict[str, Any], schema: TableSchema, target: TargetSchema) -> tuple[list[Rule], Rule | None, bool]:
    """Rebuild what :func:`state_of` wrote: the rules, the default and whether they are ordered."""
    n = len(state["leaf"])
    conditions = [_condition(state, c, schema) for c in range(len(state["column"]))]
    again = _condition_columns(conditions)
    if any(name in state and not np.array_equal(state[name], column) for name, column in again.items()):
        raise ValueError("the rules are damaged: the ends of an interval and its cut differ")
    conditions = _with_surrogates(state, conditions, int(state["rule_begin"][-1]))
    rules = []
    for r in range(n):
        begin, end = int(state["rule_begin"][r]), int(state["rule_begin"][r + 1])
        when = tuple(conditions[begin:end])
        facts = {f: _or_none(state[f"rule_{f}"][r]) for f in ("confidence", "spread", "coverage", "lift")}
        says: Any
        counts = None
        if target.classes is None:
            says = _says(state, r, schema)
        else:
            label, k = int(state["label"][r]), len(target.classes)
            if not 0 <= label < k:
                raise ValueError(f"the rules are damaged: class {shown(label)} does not exist")
            says = target.classes[label]
            found = state["counts"][r * k : (r + 1) * k]
            counts = None if np.any(np.isnan(found)) else of_classes(found)
        weight, support = float(state["rule_weight"][r]), float(state["rule_support"][r])
        rules.append(Rule(when, says, weight, support, leaf=int(state["leaf"][r]), counts=counts, **facts))
    otherwise = rules.pop() if state["has_otherwise"] else None
    if otherwise is not None and otherwise.when:
        raise ValueError("the rules are damaged: the default has conditions")
    return rules, otherwise, bool(state["ordered"])


def _or_none(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _condition(state: dict[str, Any], c: int, schema: TableSchema) -> Condition:
    index = int(state["column"][c])
    column = schema.columns[index]
    kind = int(state["known"][c])

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

    levels = frozenset(codes("level")) if column.nominal and kind == _SOME else None
    return Condition(
        column, index, end("low"), end("high"), levels, codes("listed") or None, bool(state["missing"][c]), kind != _NONE,
        bool(state["missing_seen"][c]), float(state["share"][c]),
    )  # fmt: skip
