"""Clauses from text: ``head :- body.``, or ``IF body THEN head``. Bare words are variables, constants are quoted or numbers.

``_`` is a variable that stands there alone, as in Prolog.
"""

from __future__ import annotations

import datetime as dt
import re
from ast import literal_eval
from collections.abc import Iterator
from typing import Any

from treewright.errors import shown
from treewright.model.clauses.clause import ANONYMOUS, OPPOSITES, Clause, Literal, Variable, fresh_names

_TOKEN = re.compile(
    r"""\s*(?:%[^\n]*(?:\n|\Z)\s*)*(?:
        (?P<number>[+-]?(?:\d+\.\d+|\d+|\.\d+)(?:[eE][+-]?\d+)?)(?![\w])
      | (?P<quoted>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>:-|<-|\\\+|\\=|!=|<>|<=|=<|>=|==|[=<>(),.≤≥≠∧¬])
    )""",
    re.VERBOSE,
)
_SAME = {"<>": "!=", "\\=": "!=", "=<": "<=", "==": "=", "≤": "<=", "≥": ">=", "≠": "!="}
_TIMES: dict[str, Any] = {"date": dt.date.fromisoformat, "timestamp": dt.datetime.fromisoformat}
_COMPARES = ("=", "!=", "<", "<=", ">", ">=")


class _Tokens:
    unnamed: Iterator[str]  # names of the variables that have none

    def __init__(self, text: str) -> None:
        self.text, self.found, at = text, list[tuple[str, str, int]](), 0
        end = len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                rest = text[at:].lstrip()
                if not rest or rest.startswith("%"):
                    break
                raise ValueError(f"{shown(rest[:20])} is no part of a clause, in {shown(text)}")
            kind = str(match.lastgroup)
            word = match[kind]
            self.found.append((kind, _SAME.get(word, word), match.start(kind)))
            at = match.end()
        self.at = 0
        self.words = [word for kind, word, _ in self.found if kind == "word"]

    def peek(self, ahead: int = 0) -> tuple[str, str]:
        at = self.at + ahead
        return self.found[at][:2] if at < len(self.found) else ("end", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def sign(self, *signs: str) -> str | None:
        kind, word = self.peek()
        if kind == "sign" and word in signs:
            self.at += 1
            return word
        return None

    def word(self, *words: str) -> bool:
        kind, word = self.peek()
        if kind == "word" and word.lower() in words:
            self.at += 1
            return True
        return False

    def refuse(self, wanted: str) -> ValueError:
        kind, word = self.peek()
        found = "the end" if kind == "end" else shown(word)
        return ValueError(f"{wanted} is wanted where {found} stands, in the clause {shown(self.text.strip())}")


def parse_clauses(text: Any) -> list[Clause]:
    """All clauses of a text, one after the other."""
    if not isinstance(text, str):
        raise TypeError(f"clauses are read from text, not from {type(text).__name__}")
    tokens = _Tokens(text)
    out = []
    while tokens.peek()[0] != "end":
        out.append(_clause(tokens))
    return out


def parse_clause(text: Any) -> Clause:
    """The one clause of a text."""
    found = parse_clauses(text)
    if len(found) != 1:
        raise ValueError(f"{shown(text)} holds {len(found)} clauses: one is wanted")
    return found[0]


def _clause(tokens: _Tokens) -> Clause:
    tokens.unnamed = iter(fresh_names(tokens.words))
    if tokens.peek()[1].lower() == "if" and tokens.peek()[0] == "word" and tokens.peek(1) != ("sign", "("):
        tokens.take()
        body = _body(tokens)
        if not tokens.word("then"):
            raise tokens.refuse("THEN")
        head = _literal(tokens)
        tokens.sign(".")
        return Clause(head, body)
    head = _literal(tokens)
    body = _body(tokens) if tokens.sign(":-", "<-") else ()
    if tokens.sign(".") is None and tokens.peek()[0] != "end":
        raise tokens.refuse("a comma or a full stop")
    return Clause(head, body)


def _body(tokens: _Tokens) -> tuple[Literal, ...]:
    out = [_literal(tokens)]
    while tokens.sign(",", "∧") or tokens.word("and"):
        out.append(_literal(tokens))
    return tuple(out)


def _literal(tokens: _Tokens) -> Literal:
    negated = tokens.sign("\\+", "¬") is not None
    if not negated and tokens.peek() == ("word", "not") and tokens.peek(1)[0] in ("word", "quoted"):
        tokens.take()
        negated = True
    if tokens.peek()[0] in ("word", "quoted") and tokens.peek(1) == ("sign", "("):
        kind, name = tokens.take()
        name = _unquoted(name) if kind == "quoted" else name
        if not name:
            raise tokens.refuse("the name of a relation")
        tokens.take()
        args = [_argument(tokens)]
        while tokens.sign(","):
            args.append(_argument(tokens))
        if tokens.sign(")") is None:
            raise tokens.refuse("a comma or a closing parenthesis")
        return Literal(name, tuple(args), negated)
    first = _argument(tokens)
    sign = tokens.sign(*_COMPARES)
    if sign is None:
        raise tokens.refuse("a relation such as parent(x, y), or a comparison,")
    literal = Literal(sign, (first, _argument(tokens)))
    if negated:
        return Literal(OPPOSITES[sign], literal.args)
    return literal


def _unquoted(text: str) -> str:
    try:
        return str(literal_eval(text))
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{shown(text)} is no quoted text") from error


def _argument(tokens: _Tokens) -> Any:
    kind, word = tokens.peek()
    if kind not in ("word", "quoted", "number"):
        raise tokens.refuse("a variable or a constant")
    tokens.take()
    if kind == "word" and word.lower() in _TIMES and tokens.peek()[0] == "quoted":
        return _time(word.lower(), _unquoted(tokens.take()[1]))
    if word == ANONYMOUS:
        return Variable(next(tokens.unnamed))
    if kind == "word":
        return {"True": True, "False": False}[word] if word in ("True", "False") else Variable(word)
    if kind == "quoted":
        return _unquoted(word)
    if re.fullmatch(r"[+-]?\d+", word):
        try:
            return int(word)
        except ValueError as error:  # Python's limit of digits
            raise ValueError(f"{shown(word)} is no number that can be told: {error}") from error
    return float(word)


def _time(kind: str, text: str) -> Any:
    try:
        return _TIMES[kind](text)
    except ValueError as error:
        raise ValueError(f"{kind} {shown(text)} is none: {error}") from error
