"""Why a tuple follows from clauses: the clause, the tuples it rests on, and why those that follow themselves do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treewright.model.clauses.clause import Clause, Literal


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a tuple follows, or why it does not.

    Attributes
    ----------
    fact : Literal
        The tuple.
    holds : bool
        Whether it follows.
    clause : Clause or None
        The clause that covers it.
    body : tuple of Literal
        The literals of the clause with their constants.
    because : tuple of Proof
        Why the literals hold that follow from clauses themselves.
    near : tuple of (Clause, int)
        Where it does not follow: how many literals of each clause can hold together, from the first one on.
    """

    fact: Literal
    holds: bool
    clause: Clause | None = None
    body: tuple[Literal, ...] = ()
    because: tuple[Proof, ...] = ()
    near: tuple[tuple[Clause, int], ...] = ()

    def __bool__(self) -> bool:
        return self.holds

    def walk(self) -> Iterator[tuple[int, Proof]]:
        """The proof and those it rests on, each with its depth."""
        open_proofs = [(0, self)]
        while open_proofs:
            depth, proof = open_proofs.pop()
            yield depth, proof
            open_proofs += [(depth + 1, one) for one in reversed(proof.because)]

    def text(self) -> str:
        """The proof, a line for every tuple that it rests on, indented."""
        if not self.holds:
            lines = [f"{self.fact.text()} does not follow"]
            for clause, n in self.near:
                lines.append(f"  {clause.text()}")
                if n < len(clause.body):
                    lines.append(f"    fails at {clause.body[n].text()}")
            return "\n".join(lines)
        lines = []
        for depth, proof in self.walk():
            pad = "  " * min(depth, 40)
            lines.append(f"{pad}{proof.fact.text()}" + (f"   by {proof.clause.text()}" if proof.clause is not None else ""))
            later = {one.fact for one in proof.because}
            lines += [f"{pad}  {literal.text()}" for literal in proof.body if literal not in later]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()
