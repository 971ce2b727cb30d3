"""Rules written as text, read back. The grammar is what :meth:`Rule.text` writes; names and levels are those of a schema.

What people write besides is taken where it can mean one thing only: words in upper case, signs without blanks about them,
``==`` for ``=``, ``<>`` and ``!=`` for ``≠``, numbers before the column.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from treewright.errors import shown, unknown
from treewright.model.condition import Bound, Condition
from treewright.model.digits import PLAIN, Digits
from treewright.model.parse_equation import parse_equation
from treewright.model.rule import Rule, possible, together
from treewright.model.sentence import Text, code_of, column_of, finite, name_of, number_of
from treewright.model.surrogate import Surrogate, SurrogateCondition
from treewright.table.schema import ColumnSchema, TableSchema, TargetSchema, name_text

_I = re.IGNORECASE
_SIGN = re.compile(
    r" *(<=|>=|<>|==|!=|<|>|=|≠|≤|≥) *| +(in) *(?=\{)| +(is) +(?=missing|known|not +missing|\d)", _I  # longer signs first
)  # fmt: skip
_SAME = {"==": "=", "!=": "≠", "<>": "≠", "≤": "<=", "≥": ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OR_MISSING = re.compile(r"^(\(?)(.*?) +or +(?:(\S+) +of +)?missing *(\)?)$", _I)
_INSTEAD = re.compile(r", or if missing: \[(?=.*\]\)$)")
_NOTES = re.compile(r"  \((?:[^()]*|\d\S* rows?: .*)\)$| +\(\d\S* rows?(?:\)|, [^()]*\)|: .*\))$")
_VOTES = re.compile(r"^\((\d\S*) rows?: (.+)\)$")
_FORMS = "it must compare one column: 'x <= 2.5', '1 < x <= 5', 'c = level', 'c in {level, level}' or 'x is missing'"
_OPENING = re.compile(r"^(?:(else|otherwise) +)?(if +)?", _I)


def opening(line: str) -> tuple[str, bool]:
    """How a line begins: with "else" or "otherwise", or "" for neither; and whether it asks for something."""
    found = _OPENING.match(line)
    assert found is not None
    return (found[1] or "").lower(), found[2] is not None


def parse_rule(text: Any, schema: TableSchema, target: TargetSchema, digits: Digits = PLAIN) -> Rule:
    """Read a rule such as ``if petal length <= 2.45 and color in {red, blue} then class = setosa``.

    Parameters
    ----------
    text : str
        The rule. Of what stands in brackets behind two blanks at its end, counts of classes as :meth:`RuleSet.to_text` writes
        them in full, ``(5 rows: no 3, yes 2)``, are read: rules vote, and predict shares, by them. Anything else is passed over.
    schema : TableSchema
        The columns that may be named.
    target : TargetSchema
        What the rule may say.
    digits : Digits
        Of other rules: a number that is written as theirs is theirs.

    Returns
    -------
    Rule
        Not scored; with counts of classes: weight, confidence and counts.
    """
    if not isinstance(text, str):
        raise TypeError(f"a rule is read from text such as 'if … then {target.name} = …', not from {type(text).__name__}")
    text = text.replace("\u2068", "").replace("\u2069", "").strip()  # what keeps words from right to left to themselves
    facts: dict[str, Any] = {}
    if found := _NOTES.search(Text(text).shadow):
        notes, text = text[found.start() :], text[: found.start()]
        facts = _counts(notes, target) if target.classes is not None else {}
    rule = _bare(text, schema, target, digits)
    if facts:
        share = facts["counts"][target.classes.index(rule.says)] / sum(facts["counts"]) if target.classes is not None else None
        rule = replace(rule, confidence=share, **facts)
    return rule


def _counts(notes: str, target: TargetSchema) -> dict[str, Any]:
    """The weight of the rows of a rule, and of every class among them, where notes tell."""
    read = Text(notes)
    if (found := _VOTES.search(read.shadow)) is None:
        return {}
    notes = read.text
    texts = {target.says_text(label): k for k, label in enumerate(target.classes or ())}
    counts = [0.0] * len(texts)
    weight = _weight(found[1], notes)
    for each in Text(notes[found.start(2) : found.end(2)]).split(", *"):
        label, _, number = each.rpartition(" ")
        if label not in texts:
            raise unknown("class", label, texts)
        counts[texts[label]] = _weight(number, notes)
    if not 0 < sum(counts) < math.inf:
        raise ValueError(f"what {shown(notes)} counts must add up to a number above 0")
    return {"weight": weight, "counts": tuple(counts)}


def _weight(text: str, notes: str) -> float:
    weight = number_of(text, f"every count in {shown(notes)}")
    if weight < 0:
        raise ValueError(f"every count in {shown(notes)} must be a finite number from 0 up, not {shown(text)}")
    return weight


def _bare(text: str, schema: TableSchema, target: TargetSchema, digits: Digits) -> Rule:
    """Read a rule without what is known of its rows."""
    begin = _OPENING.match(text)
    assert begin is not None
    rest = text[begin.end() :]
    if begin[2] is None:
        return Rule((), _answer(rest, schema, target, text, digits))
    halves = Text(rest).split(" +then +")
    if len(halves) != 2:
        raise ValueError(f"the rule {shown(text)} is not understood: it must read 'if … and … then {target.name} = …'")
    conditions = [] if halves[0].strip().lower() == "always" else Text(halves[0]).split(" +and +")
    when = together(parse_condition(each, schema, digits) for each in conditions)
    if not possible(when):
        raise ValueError(f"the rule {shown(text)} can never hold: no cell satisfies all it asks of a column")
    return Rule(when, _answer(halves[1], schema, target, text, digits))


def _answer(text: str, schema: TableSchema, target: TargetSchema, rule: str, digits: Digits) -> Any:
    name, *rest = Text(text).split(" *==? *", most=1)
    if not rest or name_of(name) not in (target.name, "target"):  # as a rule alone is printed
        raise ValueError(f"the rule {shown(rule)} is not understood: behind 'then' must stand '{name_text(target.name)} = …'")
    answer = rest[0].strip()
    if target.classes is None:
        what = f"the answer of the rule {shown(rule)}"
        if answer in digits.answer_of:
            return digits.answer_of[answer]
        return parse_equation(answer, schema, what) if " * " in Text(answer).shadow else number_of(answer, what)
    return target.classes[code_of(ColumnSchema(target.name, "nominal", target.classes), answer, "class")]


def parse_condition(text: str, schema: TableSchema, digits: Digits = PLAIN) -> Condition:
    """Read one condition, such as ``2 < x <= 5``, ``(color = red or missing)`` or ``x is missing``."""
    inner, missing, share = Text(text), False, 0.0
    if (found := _INSTEAD.search(inner.shadow)) is not None and inner.text.startswith("("):
        condition = parse_condition(inner.text[1 : found.start()], schema, digits)
        if_missing = tuple(
            _surrogate_condition(each, condition.column, schema) for each in Text(inner.text[found.end() : -2]).split(r"\] & \[")
        )
        return replace(condition, missing=all(each.last for each in if_missing), missing_seen=True, if_missing=if_missing)
    if ", or if missing: " in inner.shadow:
        raise ValueError(f"the condition {shown(text)} does not write its stand-ins in full: use to_text(full=True)")
    if (found := _OR_MISSING.match(inner.shadow)) is not None and (found[1] == "(") == (found[4] == ")"):
        missing, share = found[3] is None, 0.0 if found[3] is None else _share(found[3], text)
        inner = Text(inner.text[found.start(2) : found.end(2)])
    elif inner.shadow.startswith("(") and inner.shadow.endswith(")"):
        inner = Text(inner.text[1:-1])
    facts: dict[str, Any] = {"missing": missing, "missing_seen": missing or share > 0, "missing_share": share}
    terms, kinds = _taken_apart(inner, schema)
    if len(terms) == 3 and all(kind in ("<", "<=") for kind in kinds):
        column, index = column_of(terms[1], schema)
        low, high = (_bound(column, index, terms[at], kinds[at // 2] == "<=", digits) for at in (0, 2))
        return Condition(column, index, low, high, **facts)
    if len(terms) != 2:
        raise ValueError(f"the condition {shown(text)} is not understood: {_FORMS}")
    column, index = column_of(terms[0], schema)
    sign, value = kinds[0], terms[1]
    if sign == "is":
        return _presence(column, index, value.lower(), facts, text)
    if column.nominal:
        return Condition(column, index, levels=_codes(column, sign, value, text), **facts)
    return Condition(column, index, *_ends(column, index, sign, value, text, digits), **facts)


def _taken_apart(read: Text, schema: TableSchema) -> tuple[list[str], list[str]]:
    """What stands between the signs, and the signs; the column first, or between two numbers the lower of which is the first."""
    signs = list(_SIGN.finditer(read.shadow))
    ends = [0, *(place for found in signs for place in found.span()), len(read.text)]
    terms = [read.text[a:b].strip() for a, b in zip(ends[::2], ends[1::2], strict=True)]
    kinds = [(found[1] or found[2] or found[3]).lower() for found in signs]
    kinds = [_SAME.get(kind, kind) for kind in kinds]
    turns = len(terms) == 3 and all(kind in (">", ">=") for kind in kinds)
    if len(terms) == 2 and kinds[0] in {*_TURNED, "="}:
        turns = name_of(terms[0]) not in schema.names and name_of(terms[1]) in schema.names
    return (terms[::-1], [_TURNED.get(kind, kind) for kind in kinds[::-1]]) if turns else (terms, kinds)


def _surrogate_condition(text: str, column: ColumnSchema, schema: TableSchema) -> SurrogateCondition:
    """Read the surrogates of a missing cell, as :meth:`SurrogateCondition.full_text` writes them, without the brackets."""
    *rest, last = Text(text).split(", else ")
    if last not in ("always", "never"):
        raise ValueError(f"what stands in for a missing cell must end in 'always' or 'never', not {shown(last)}")
    own_levels = levels = None
    if column.nominal and rest:
        inside, *own = Text(rest.pop(0)).split(" of ")
        levels, own_levels = (_codes(column, "in", each, text) for each in (inside, own[0] if len(own) == 1 else ""))
    return SurrogateCondition(tuple(_surrogate(each, schema) for each in rest), 0, last == "always", own_levels, levels)


def _surrogate(text: str, schema: TableSchema) -> Surrogate:
    first, *against = Text(text).split(r" against (?=\{)")
    asks = parse_condition(first, schema)
    column, index = asks.column, asks.index
    if column.nominal:
        refused = (
            _codes(column, "in", against[0], text) if against else frozenset(range(len(column.levels))) - (asks.levels or set())
        )
        refuses = Condition(column, index, levels=refused)
    else:
        low, high = asks.low, asks.high
        if column.kind == "ordered" and low is not None and high is not None:  # its first or last level alone is written "="
            low, high = (None, high) if low.at <= 0 else (low, None) if high.at >= len(column.levels) - 1 else (low, high)
            asks = replace(asks, low=low, high=high)
        if (low is None) == (high is None):
            raise ValueError(f"what stands in for a missing cell must be one comparison, not {shown(text)}")
        refuses = Condition(column, index, _beyond(high), _beyond(low))
    nan = math.nan
    return Surrogate(column.name, (asks, refuses), nan, nan, nan, nan)


def _beyond(end: Bound | None) -> Bound | None:
    return None if end is None else end._replace(inclusive=not end.inclusive)


def _share(text: str, condition: str) -> float:
    share = number_of(text.removesuffix("%"), f"the share of missing cells in {shown(condition)}")
    share = share / 100 if text.endswith("%") else share
    if not 0 <= share <= 1:
        raise ValueError(f"the share of missing cells in {shown(condition)} must lie between 0 and 1")
    return share


def _presence(column: ColumnSchema, index: int, value: str, facts: dict[str, Any], text: str) -> Condition:
    if value == "known" or value.split() == ["not", "missing"]:
        return Condition(column, index, **facts)
    if value == "missing":
        return Condition(column, index, missing=True, present=False, missing_seen=True)
    share, _, word = value.partition(" ")
    if word.strip() != "missing":
        raise ValueError(f"the condition {shown(text)} is not understood: a column 'is known' or 'is missing'")
    return Condition(column, index, present=False, missing_seen=True, missing_share=_share(share, text))


def _codes(column: ColumnSchema, sign: str, value: str, text: str) -> frozenset[int]:
    if sign == "=":
        return frozenset({code_of(column, value)})
    if sign == "≠":
        return frozenset(range(len(column.levels))) - {code_of(column, value)}
    if sign != "in" or not (value.startswith("{") and value.endswith("}")):
        raise ValueError(f"the condition {shown(text)} is not understood: levels are compared by '=', '≠' or 'in {{…}}'")
    inside = value[1:-1].strip()
    return frozenset(code_of(column, each.strip()) for each in Text(inside).split(",")) if inside else frozenset()


def _value(column: ColumnSchema, text: str) -> float:
    if column.kind == "ordered":
        return float(code_of(column, text))
    try:
        value = column.value_of(text)
    except ValueError:
        value = math.nan
    if value != value:
        raise ValueError(f"column {column.name!r} holds a {column.kind}; {shown(text)} is none")
    return finite(value, text, f"what column {column.name!r} is compared with")


def _bound(column: ColumnSchema, index: int, text: str, inclusive: bool, digits: Digits) -> Bound:
    if (found := digits.bounds.get((index, text))) is not None:
        return found._replace(inclusive=inclusive)
    at = _value(column, text)
    return Bound(column, at, at, at, False, inclusive)


def _ends(
    column: ColumnSchema, index: int, sign: str, value: str, text: str, digits: Digits
) -> tuple[Bound | None, Bound | None]:
    if sign in ("<", "<="):
        return None, _bound(column, index, value, sign == "<=", digits)
    if sign in (">", ">="):
        return _bound(column, index, value, sign == ">=", digits), None
    if sign != "=":
        raise ValueError(f"the condition {shown(text)} is not understood: numbers are compared by <, <=, >, >= or =")
    at = _value(column, value)
    if column.kind == "bool":  # written by which side of the cut it lies on
        lower, upper = (Bound(column, 0.5, 0.5, 0.5, False, inclusive) for inclusive in (False, True))
        return (lower, None) if at > 0.5 else (None, upper)
    return Bound(column, at, at, at, False, True), Bound(column, at, at, at, False, True)
