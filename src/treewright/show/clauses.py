"""Clauses as text."""

from __future__ import annotations

from html import escape

from treewright.errors import counted, isolated, visible
from treewright.model.clauses import Clause, Clauses

_ROOM = 10_000  # bytes in a notebook, which keeps every output


def clauses_text(clauses: Clauses, sentences: bool = False, scores: bool = False, brief: bool = False) -> str:
    """The clauses, one a line."""
    lines = []
    for clause in clauses:
        line = clause.sentence(brief=brief) if sentences else clause.text(brief=brief)
        lines.append(f"{line}  % {said}" if scores and (said := _scores(clause)) else line)
    return "\n".join(lines)


def clauses_bundle(clauses: Clauses) -> dict[str, str]:
    """The forms a notebook may choose from: the clauses, as far as there is room, and what each covers."""
    lines: list[str] = []
    room = _ROOM
    for line in map(visible, clauses_text(clauses, scores=True, brief=True).splitlines()):
        room -= len(line.encode())
        if room < 0:
            lines.append(f"… {counted(len(clauses) - len(lines), 'more clause')}")
            break
        lines.append(line)
    text = "\n".join(lines or [f"{visible(clauses.name)}: no clauses"])
    return {"text/plain": text, "text/html": f'<pre style="white-space:pre-wrap">{escape(isolated(text))}</pre>'}


def with_clauses(bundle: dict[str, str], clauses: Clauses | None) -> dict[str, str]:
    """Add to what an estimator shows, if it is fitted, its clauses."""
    if clauses is None:
        return bundle
    own = clauses_bundle(clauses)
    return {form: f"{text}\n{own[form]}" if form in own else text for form, text in bundle.items()}


def _scores(clause: Clause) -> str:
    if clause.positive is None or clause.negative is None:
        return ""
    said = counted(clause.positive, "tuple")
    if clause.new_positive is not None and clause.new_positive < clause.positive:
        said += f" ({clause.new_positive} new)"
    return said + (f", {clause.negative} wrong" if clause.negative else "")
