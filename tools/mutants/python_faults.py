"""Small faults of Python code, found in its syntax tree and planted in its text, so that all else stays as it was written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.mutants.fault import Fault

_COMPARE: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: (r"is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: (r"in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
_BINARY: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: ("/", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
}
_NO_MEANING = {"stacklevel", "slots", "frozen", "eq", "strict", "repr"}  # arguments that say nothing of what is computed


def python_faults(path: str, source: bytes) -> list[Fault]:
    """All faults that are planted one at a time, in the order of the text."""
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found = []
    for node in _meant(ast.parse(source)):
        for begin, end, instead, kind in _of(node, source, lines):
            fault = Fault(path, begin, end, instead, kind)
            if _compiles(fault.planted(source)):
                found.append(fault)
    return sorted(set(found))


def _meant(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that compute something: no types, no decorators, no messages, nothing that is said to the type checker."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or isinstance(child, (ast.JoinedStr, ast.Assert, ast.Raise)):
                    continue
                if isinstance(child, ast.keyword) and child.arg in _NO_MEANING:
                    continue
                if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                    continue
                waiting.append(child)


Piece = tuple[int, int, str, str]


def _of(node: ast.AST, source: bytes, lines: list[int]) -> Iterator[Piece]:
    def begin(of: ast.AST) -> int:
        return lines[of.lineno - 1] + of.col_offset  # type: ignore[attr-defined]

    def end(of: ast.AST) -> int:
        return lines[of.end_lineno - 1] + of.end_col_offset  # type: ignore[attr-defined]

    def between(one: ast.AST, other: ast.AST, sign: str, instead: str, kind: str) -> Iterator[Piece]:
        start = end(one)
        found = re.search(sign if not sign[0].isalpha() else rf"\b{sign}\b", source[start : begin(other)].decode("latin-1"))
        if found:
            yield start + found.start(), start + found.end(), instead, kind

    match node:
        case ast.Compare():
            for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                sign, others = _COMPARE[type(operator)]
                for other in others:
                    yield from between(left, right, sign, other, "comparison")
        case ast.BoolOp():
            sign, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from between(left, right, sign, other, "and, or")
        case ast.BinOp() if type(node.op) in _BINARY and not isinstance(node.left, ast.JoinedStr):
            yield from between(node.left, node.right, *_BINARY[type(node.op)], "arithmetic")
        case ast.UnaryOp(op=ast.Not()):
            yield begin(node), begin(node) + 3, "", "not"
        case ast.UnaryOp(op=ast.USub()):
            yield begin(node), begin(node) + 1, "", "sign"
        case ast.Constant(value=bool(value)):
            yield begin(node), end(node), str(not value), "constant"
        case ast.Constant(value=int() | float()):
            yield begin(node), end(node), repr(node.value + 1), "constant"
        case ast.If() | ast.IfExp():
            yield begin(node.test), end(node.test), f"(not ({source[begin(node.test) : end(node.test)].decode()}))", "branches"
        case ast.Continue():
            yield begin(node), end(node), "break", "loop"
        case ast.Break():
            yield begin(node), end(node), "continue", "loop"
        case ast.AugAssign():
            yield begin(node), end(node), "pass", "left out"
        case ast.Expr(value=ast.Call()):
            yield begin(node), end(node), "pass", "left out"
        case ast.For():
            last = node.body[-1]
            if last.lineno > node.lineno and not isinstance(last, (ast.Return, ast.Raise, ast.Break)):
                yield end(last), end(last), "\n" + " " * node.body[0].col_offset + "break", "one turn"


def _compiles(text: bytes) -> bool:
    try:
        compile(text, "planted", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
