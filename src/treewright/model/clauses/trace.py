"""What a learner of clauses looked at: every state, and every literal that was weighed there with its gain."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.model.clauses.clause import Literal

VERDICTS = {
    "weighed": "",
    "chosen": "chosen",
    "determinate": "determinate",
    "reserved": "kept in reserve",
    "repeats": "repeats a variable",
    "long": "costs more bits than it saves",
    "weak": "too many without gain",
    "nothing": "",
    "too many": "gives more bindings than max_tuples",
    "unknown": "asks for tuples that were not given",
}


@dataclass(frozen=True, slots=True)
class LiteralTrace:
    """A literal that was weighed.

    Attributes
    ----------
    literal : Literal
        The literal.
    gain : float
        Positive bindings that keep an extension times the information gained of each (Quinlan 1990).
    kept : int
        Positive bindings that keep an extension.
    positive, total : int
        Bindings that come of it.
    bits : float
        What it costs to write.
    verdict : str
        What became of it.
    """

    literal: Literal
    gain: float
    kept: int
    positive: int
    total: int
    bits: float
    verdict: str

    def text(self) -> str:
        """One line."""
        said = VERDICTS.get(self.verdict, self.verdict)
        return f"{self.gain:10.3f}  {self.kept:7d}  {self.positive:7d}/{self.total:<7d}  {self.literal.text()}" + (
            f"   <- {said}" if said else ""
        )


@dataclass(frozen=True, slots=True)
class StateTrace:
    """A state in which the next literal was looked for.

    Attributes
    ----------
    clause, step : int
        Which clause, from 0, and which look at literals for it, from 1.
    head : Literal
        The head of the clause.
    body : tuple of Literal
        The literals so far.
    positive, total : int
        Bindings of their variables.
    information : float
        Bits to say that a binding is positive.
    bits_left : float
        What the code of the clause may still cost.
    literals : tuple of LiteralTrace
        What was weighed, in order.
    """

    clause: int
    step: int
    head: Literal
    body: tuple[Literal, ...]
    positive: int
    total: int
    information: float
    bits_left: float
    literals: tuple[LiteralTrace, ...]

    def ranked(self) -> tuple[LiteralTrace, ...]:
        """By gain, the largest first."""
        return tuple(sorted(self.literals, key=lambda one: -one.gain))

    def text(self, most: int | None = 10) -> str:
        """The state and its literals by gain, at most so many of them."""
        body = ", ".join(literal.text() for literal in self.body) or "…"
        listed = self.ranked()[:most]
        kept = [one for one in self.literals if one.verdict in ("chosen", "determinate") and one not in listed]
        lines = [
            f"clause {self.clause + 1}, step {self.step}: {self.head.text()} :- {body}",
            f"{self.positive} of {self.total} bindings are positive: {self.information:.3f} bits each",
            f"{'gain':>10}  {'kept':>7}  {'bindings':<15}  literal",
            *(one.text() for one in (*listed, *kept)),
        ]
        left = len(self.literals) - len(listed) - len(kept)
        return "\n".join([*lines, *([f"{'':10}  and {left} more"] if left else [])])
