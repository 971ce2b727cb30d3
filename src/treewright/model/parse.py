"""Rules written as text, read back. The grammar is what :meth:`Rule.text` writes; names and levels are those of a schema."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Any

from treewright.errors import shown, unknown
from treewright.model.condition import Bound, Condition
from treewright.model.rule import Rule, together
from treewright.table.schema import ColumnSchema, TableSchema, TargetSchema, name_text

_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_SIGN = re.compile(r" (<=|>=|<|>|=|≠|!=) | (in) (?=\{)| (is) (?=missing|known|\d)")
_SHARE = re.compile(r" or (\S+) of missing\)$")
_NOTES = re.compile(r"  \([^()]*\)$")
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
        The rule. What stands in brackets behind two blanks at its end is passed over: counts are not part of a rule.
    schema : TableSchema
        The columns that may be named.
    target : TargetSchema
        What the rule may say.

    Returns
    -------
    Rule
        Not scored.
    """
    text = text.strip()
    if found := _NOTES.search(_Text(text).shadow):
        text = text[: found.start()]
    whole = _Text(_DEFAULT.sub("", text) if _DEFAULT.match(text) and not _BEGIN.match(text) else text)
    begin = _BEGIN.match(whole.text)
    if begin is None:
        return Rule((), _answer(whole.text, target, text))
    parts = _Text(whole.text[begin.end() :]).split(" then ")
    if len(parts) != 2:
        raise ValueError(f"the rule {shown(text)} is not understood: it must read 'if … and … then {target.name} = …'")
    conditions = [parse_condition(part, schema) for part in _Text(parts[0]).split(" and ")]
    return Rule(together(conditions), _answer(parts[1], target, text))


def _answer(text: str, target: TargetSchema, rule: str) -> Any:
    parts = _Text(text).split(" = ")
    if len(parts) != 2 or _name(parts[0]) != target.name:
        raise ValueError(f"the rule {shown(rule)} is not understood: behind 'then' must stand '{name_text(target.name)} = …'")
    if target.classes is None:
        return _number(parts[1], f"the answer of the rule {shown(rule)}")
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
    if ", or if missing: " in _Text(inner).shadow:
        raise ValueError(f"the condition {shown(text)} has stand-ins, which are not read from text: write a rule for each case")
    if inner.startswith("(") and (found := _SHARE.search(_Text(inner).shadow)) is not None:
        share, inner = _share(found[1], text), inner[1 : found.start()]
    elif inner.startswith("(") and inner.endswith(" or missing)"):
        missing, inner = True, inner[1 : -len(" or missing)")]
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
