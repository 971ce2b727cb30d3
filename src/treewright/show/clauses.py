"""Clauses as text."""

from __future__ import annotations

from treewright.errors import counted
from treewright.model.clauses import Clause, Clauses


def clauses_text(clauses: Clauses, sentences: bool = False, scores: bool = False) -> str:
    """The clauses, one a line."""
    lines = []
    for clause in clauses:
        line = clause.sentence() if sentences else clause.text()
        lines.append(f"{line}  % {said}" if scores and (said := _scores(clause)) else line)
    return "\n".join(lines)


def _scores(clause: Clause) -> str:
    if clause.positive is None or clause.negative is None:
        return ""
    said = counted(clause.positive, "tuple")
    if clause.new_positive is not None and clause.new_positive < clause.positive:
        said += f" ({clause.new_positive} new)"
    return said + (f", {clause.negative} wrong" if clause.negative else "")
