"""Why a tuple follows from clauses: the clause, the tuples it rests on, and why those that follow themselves do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import counted
from treewright.model.clauses.clause import Clause, Literal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
        """The proof and those it rests on, each once, with the depth at which it first stands."""
        seen: set[int] = set()
        open_proofs = [(0, self)]
        while open_proofs:
            depth, proof = open_proofs.pop()
            if id(proof) not in seen:
                seen.add(id(proof))
                yield depth, proof
                open_proofs += [(depth + 1, one) for one in reversed(proof.because)]

    def text(self) -> str:
        """The proof: every tuple that it rests on with its clause, once, what it rests on below it, indented."""
        if not self.holds:
            lines = [f"{self.fact.text()} does not follow"]
            for clause, n in self.near:
                lines.append(f"  {clause.text()}")
                if n < len(clause.body):
                    lines.append(f"    fails at {clause.body[n].text()}")
            return "\n".join(lines)
        lines, told = [], set[int]()
        open_items: list[tuple[int, Proof | Literal]] = [(0, self)]
        while open_items:
            depth, item = open_items.pop()
            pad = "  " * min(depth, 40)
            if isinstance(item, Literal):
                lines.append(pad + item.text())
            elif id(item) in told:
                lines.append(f"{pad}{item.fact.text()}   as above")
            else:
                told.add(id(item))
                lines.append(f"{pad}{item.fact.text()}" + (f"   by {item.clause.text()}" if item.clause is not None else ""))
                proofs = {one.fact: one for one in item.because}
                open_items += [(depth + 1, proofs.get(literal, literal)) for literal in reversed(item.body)]
        return "\n".join(lines)

    def _flat(self) -> tuple[Any, ...]:
        """All proofs in the order of the walk, with the numbers of those that each rests on: no depth."""
        proofs = [proof for _, proof in self.walk()]
        number = {id(proof): i for i, proof in enumerate(proofs)}
        return tuple(
            (one.fact, one.holds, one.clause, one.body, tuple(number[id(other)] for other in one.because), one.near)
            for one in proofs
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proof) and self._flat() == other._flat()

    def __hash__(self) -> int:
        return hash((self.fact, self.holds, self.clause))

    def __repr__(self) -> str:
        said = f"by {counted(sum(1 for _ in self.walk()), 'step')}" if self.holds else "does not follow"
        return f"<Proof: {self.fact.text()} {said}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unflattened, (self._flat(),)

    def __str__(self) -> str:
        return self.text()


def _unflattened(rows: Sequence[tuple[Any, ...]]) -> Proof:
    """The proof of flat rows: each is made once all it rests on are."""
    made: dict[int, Proof] = {}
    waiting = [0]
    while waiting:
        at = waiting[-1]
        fact, holds, clause, body, because, near = rows[at]
        missing = [other for other in because if other not in made]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        made.setdefault(at, Proof(fact, holds, clause, body, tuple(made[other] for other in because), near))
    return made[0]
