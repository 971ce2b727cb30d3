"""Rules written as text, read back. The grammar is what :meth:`Rule.text` writes; names and levels are those of a schema."""

from __future__ import annotations

import math
import re
from ast import literal_eval
from dataclasses import replace
from typing import Any

from treewright.errors import shown, unknown
from treewright.model.condition import Bound, Condition
from treewright.model.linear import Equation, LinearTerm
from treewright.model.rule import Rule, possible, together
from treewright.model.surrogate import StandIn, Surrogate
from treewright.table.schema import ColumnSchema, TableSchema, TargetSchema, name_text

_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_SIGN = re.compile(r" (<=|>=|<|>|=|≠|!=) | (in) (?=\{)| (is) (?=missing|known|\d)")
_SHARE = re.compile(r" or (\S+) of missing\)$")
_NOTES = re.compile(r"  \((?:[^()]*|\d\S* rows?: .*)\)$")
_VOTES = re.compile(r"^\((\d\S*) rows?: (.+)\)$")
_PLUS = re.compile(r" ([+-]) ")
_FILL = re.compile(r" \[(\S+) if missing\]$")
_INSTEAD = re.compile(r", or if missing: \[(?=.*\]\)$)")
_BEGIN = re.compile(r"^(?:else if|if) ")
_DEFAULT = re.compile(r"^(?:else|otherwise) ")


class _Text:
    """A text and its shadow, in which quoted strings are blanked, so that signs and words inside them are not seen."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.shadow = _QUOTED.sub(lambda found: "'" * len(found[0]), self.text)

    def split(self, word: str) -> list[str]:
        out, at = [], 0
        for found in re.finditer(re.escape(word), self.shadow):
            out.append(self.text[at : found.start()])
            at = found.end()
        return [*out, self.text[at:]]


def parse_rule(text: str, schema: TableSchema, target: TargetSchema) -> Rule:
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

    Returns
    -------
    Rule
        Not scored; with counts of classes: weight, confidence and counts.
    """
    text = text.replace("\u2068", "").replace("\u2069", "").strip()  # what keeps words from right to left to themselves
    facts: dict[str, Any] = {}
    if found := _NOTES.search(_Text(text).shadow):
        notes, text = text[found.start() :], text[: found.start()]
        facts = _counts(notes, target) if target.classes is not None else {}
    rule = _bare(text, schema, target)
    if facts:
        share = facts["counts"][target.classes.index(rule.says)] / sum(facts["counts"]) if target.classes is not None else None
        rule = replace(rule, confidence=share, **facts)
    return rule


def _counts(notes: str, target: TargetSchema) -> dict[str, Any]:
    """The weight of the rows of a rule, and of every class among them, where notes tell."""
    read = _Text(notes)
    if (found := _VOTES.search(read.shadow)) is None:
        return {}
    notes = read.text
    texts = {target.says_text(label): k for k, label in enumerate(target.classes or ())}
    counts = [0.0] * len(texts)
    weight = _weight(found[1], notes)
    for each in _Text(notes[found.start(2) : found.end(2)]).split(", "):
        label, _, number = each.rpartition(" ")
        if label not in texts:
            raise unknown("class", label, texts)
        counts[texts[label]] = _weight(number, notes)
    if not 0 < sum(counts) < math.inf:
        raise ValueError(f"what {shown(notes)} counts must add up to a number above 0")
    return {"weight": weight, "counts": tuple(counts)}


def _weight(text: str, notes: str) -> float:
    weight = _number(text, f"every count in {shown(notes)}")
    if not 0 <= weight < math.inf:
        raise ValueError(f"every count in {shown(notes)} must be a finite number from 0 up, not {shown(text)}")
    return weight


def _bare(text: str, schema: TableSchema, target: TargetSchema) -> Rule:
    """Read a rule without what is known of its rows."""
    whole = _Text(_DEFAULT.sub("", text) if _DEFAULT.match(text) and not _BEGIN.match(text) else text)
    begin = _BEGIN.match(whole.text)
    if begin is None:
        return Rule((), _answer(whole.text, schema, target, text))
    parts = _Text(whole.text[begin.end() :]).split(" then ")
    if len(parts) != 2:
        raise ValueError(f"the rule {shown(text)} is not understood: it must read 'if … and … then {target.name} = …'")
    asked = [] if parts[0].strip() == "always" else _Text(parts[0]).split(" and ")
    when = together(parse_condition(part, schema) for part in asked)
    if not possible(when):
        raise ValueError(f"the rule {shown(text)} can never hold: no cell satisfies all it asks of a column")
    return Rule(when, _answer(parts[1], schema, target, text))


def _answer(text: str, schema: TableSchema, target: TargetSchema, rule: str) -> Any:
    first, *rest = _Text(text).split(" = ")
    parts = [first, text.strip()[len(first) + 3 :]] if rest and target.classes is None else [first, *rest]
    if len(parts) != 2 or _name(parts[0]) != target.name:
        raise ValueError(f"the rule {shown(rule)} is not understood: behind 'then' must stand '{name_text(target.name)} = …'")
    if target.classes is None:
        what = f"the answer of the rule {shown(rule)}"
        if " * " in _Text(parts[1]).shadow:
            return parse_equation(parts[1], schema, what)
        number = _number(parts[1], what)
        if not math.isfinite(number):
            raise ValueError(f"{what} must be a finite number, not {shown(parts[1].strip())}")
        return number
    texts = {target.says_text(label): label for label in target.classes}
    said = parts[1].strip()
    if said not in texts:
        raise unknown("class", said, texts)
    return texts[said]


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{what} must be a number, not {shown(text)}") from None


def parse_equation(text: str, schema: TableSchema, what: str) -> Equation:
    """Read an equation such as ``2.5 + 3 * x [1.5 if missing] - 4 * (color = red or blue)``; ``what`` it is, for errors.

    Where it is not said what a missing cell counts as, it counts 0.
    """
    read = _Text(text)
    signs = list(_PLUS.finditer(read.shadow))
    ends = [0, *(place for found in signs for place in found.span()), len(read.text)]
    first, *others = [read.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)]
    terms = []
    for sign, part in zip(signs, others, strict=True):
        size, star, rest = part.partition(" * ")
        if not star:
            raise ValueError(f"{what} is not understood: {shown(part)} must read 'number * column'")
        coefficient = _number(size, what) * (-1.0 if sign[1] == "-" else 1.0)
        terms.append(_term(rest.strip(), coefficient, schema, what))
    intercept = _number(first, what)
    if not all(math.isfinite(number) for term in terms for number in (intercept, term.coefficient, term.missing)):
        raise ValueError(f"{what} holds a number that is not finite")
    return Equation(intercept, tuple(terms))


def _term(text: str, coefficient: float, schema: TableSchema, what: str) -> LinearTerm:
    missing = 0.0
    if found := _FILL.search(_Text(text).shadow):
        missing, text = _number(found[1], what), text[: found.start()]
    if not text.startswith("("):
        column, index = _column(text, schema)
        if column.nominal:
            raise ValueError(f"{what} is not understood: {shown(text)} has levels, name some: ({text} = …)")
        return LinearTerm.of(column, index, coefficient, None, missing)
    parts = _Text(text[1:-1]).split(" = ")
    column, index = _column(parts[0], schema)
    if len(parts) != 2 or not text.endswith(")") or not column.nominal:
        raise ValueError(f"{what} is not understood: {shown(text)} must read '(column = level or level)'")
    codes = tuple(sorted({_code(column, part.strip()) for part in _Text(parts[1]).split(" or ")}))
    return LinearTerm.of(column, index, coefficient, codes, missing)


def _name(text: str) -> str:
    text = text.strip()
    if not _QUOTED.fullmatch(text):
        return text
    try:
        return str(literal_eval(text))
    except SyntaxError as error:
        raise ValueError(f"{shown(text)} is no quoted name") from error


def parse_condition(text: str, schema: TableSchema) -> Condition:
    """Read one condition, such as ``2 < x <= 5``, ``(color = red or missing)`` or ``x is missing``."""
    inner, missing, share = text.strip(), False, 0.0
    if inner.startswith("(") and (found := _SHARE.search(_Text(inner).shadow)) is not None:
        share, inner = _share(found[1], text), inner[1 : found.start()]
    elif inner.startswith("(") and inner.endswith(" or missing)"):
        missing, inner = True, inner[1 : -len(" or missing)")]
    elif inner.startswith("(") and (found := _INSTEAD.search(_Text(inner).shadow)) is not None:
        condition = parse_condition(inner[1 : found.start()], schema)
        instead = tuple(_stand_in(part, condition.column, schema) for part in _Text(inner[found.end() : -2]).split("] & ["))
        return replace(condition, missing=all(each.last for each in instead), missing_seen=True, instead=instead)
    if ", or if missing: " in _Text(inner).shadow:
        raise ValueError(f"the condition {shown(text)} does not write its stand-ins in full: use to_text(full=True)")
    read = _Text(inner)
    signs = list(_SIGN.finditer(read.shadow))
    ends = [0, *(place for found in signs for place in found.span()), len(read.text)]
    terms = [read.text[a:b].strip() for a, b in zip(ends[::2], ends[1::2], strict=True)]
    kinds = [found[1] or found[2] or found[3] for found in signs]
    if len(terms) == 3 and all(kind in ("<", "<=") for kind in kinds):
        column, index = _column(terms[1], schema)
        low, high = _value(column, terms[0], kinds[0] == "<"), _value(column, terms[2], kinds[1] == "<=")
        ends_ = _bound(column, low, kinds[0] == "<="), _bound(column, high, kinds[1] == "<=")
        return Condition(column, index, *ends_, missing=missing, missing_seen=missing or share > 0, missing_share=share)
    if len(terms) != 2:
        raise ValueError(f"the condition {shown(text)} is not understood: it must compare one column, such as 'x <= 2.5'")
    column, index = _column(terms[0], schema)
    sign, said = kinds[0], terms[1]
    if sign == "is":
        return _presence(column, index, said, missing, share, text)
    seen = missing or share > 0
    if column.nominal:
        codes = _codes(column, sign, said, text)
        return Condition(column, index, levels=codes, missing=missing, missing_seen=seen, missing_share=share)
    low_, high_ = _ends(column, sign, said, text)
    return Condition(column, index, low_, high_, missing=missing, missing_seen=seen, missing_share=share)


def _stand_in(text: str, column: ColumnSchema, schema: TableSchema) -> StandIn:
    """Read what stands in for a missing cell, as :meth:`StandIn.full_text` writes it, without the brackets."""
    *parts, last = _Text(text).split(", else ")
    if last not in ("always", "never"):
        raise ValueError(f"what stands in for a missing cell must end in 'always' or 'never', not {shown(last)}")
    asked = levels = None
    if column.nominal and parts:
        inside, *known = _Text(parts.pop(0)).split(" of ")
        levels, asked = (_codes(column, "in", each, text) for each in (inside, known[0] if len(known) == 1 else ""))
    return StandIn(tuple(_surrogate(part, schema) for part in parts), 0, last == "always", asked, levels)


def _surrogate(text: str, schema: TableSchema) -> Surrogate:
    asked, *against = _Text(text).split(" against ")
    asks = parse_condition(asked, schema)
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
    share = _number(text.removesuffix("%"), f"the share of missing cells in {shown(condition)}")
    share = share / 100 if text.endswith("%") else share
    if not 0 <= share <= 1:
        raise ValueError(f"the share of missing cells in {shown(condition)} must lie between 0 and 1")
    return share


def _presence(column: ColumnSchema, index: int, said: str, missing: bool, share: float, text: str) -> Condition:
    if said == "known":
        return Condition(column, index, missing=missing, missing_seen=missing or share > 0, missing_share=share)
    if said == "missing":
        return Condition(column, index, missing=True, known=False, missing_seen=True)
    part, _, word = said.partition(" ")
    if word != "missing":
        raise ValueError(f"the condition {shown(text)} is not understood: a column 'is known' or 'is missing'")
    return Condition(column, index, known=False, missing_seen=True, missing_share=_share(part, text))


def _column(text: str, schema: TableSchema) -> tuple[ColumnSchema, int]:
    name = _name(text)
    if name not in schema.names:
        raise unknown("column", name, schema.names)
    index = schema.names.index(name)
    return schema.columns[index], index


def _code(column: ColumnSchema, text: str) -> int:
    texts = {column.level_text(code): code for code in range(len(column.levels))}
    if text not in texts and _QUOTED.fullmatch(text):
        texts = {str(level): code for code, level in enumerate(column.levels)}
        text = _name(text)
    if text not in texts:
        raise unknown(f"level of {column.name!r}", text, texts)
    return texts[text]


def _codes(column: ColumnSchema, sign: str, said: str, text: str) -> frozenset[int]:
    if sign == "=":
        return frozenset({_code(column, said)})
    if sign in ("≠", "!="):
        return frozenset(range(len(column.levels))) - {_code(column, said)}
    if sign != "in" or not (said.startswith("{") and said.endswith("}")):
        raise ValueError(f"the condition {shown(text)} is not understood: levels are compared by '=', '≠' or 'in {{…}}'")
    inside = said[1:-1].strip()
    return frozenset(_code(column, part.strip()) for part in _Text(inside).split(", ")) if inside else frozenset()


def _value(column: ColumnSchema, text: str, below: bool) -> float:
    if column.kind == "ordered":
        return float(_code(column, text))
    try:
        value = column.value_of(text)
    except ValueError:
        value = float("nan")
    if value != value:
        raise ValueError(f"column {column.name!r} holds a {column.kind}; {shown(text)} is none") from None
    return value


def _bound(column: ColumnSchema, at: float, inclusive: bool) -> Bound:
    return Bound(column, at, at, at, False, inclusive)


def _ends(column: ColumnSchema, sign: str, said: str, text: str) -> tuple[Bound | None, Bound | None]:
    at = _value(column, said, sign in ("<", "<="))
    if sign in ("<", "<="):
        return None, _bound(column, at, sign == "<=")
    if sign in (">", ">="):
        return _bound(column, at, sign == ">="), None
    if sign == "=":
        if column.kind == "bool":  # written by which side of the cut it lies on
            return (_bound(column, 0.5, False), None) if at > 0.5 else (None, _bound(column, 0.5, True))
        return _bound(column, at, True), _bound(column, at, True)
    raise ValueError(f"the condition {shown(text)} is not understood: numbers are compared by <, <=, >, >= or =")
