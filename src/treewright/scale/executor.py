"""Who carries out work where rows lie.

Pieces are pure functions of what they are given: any of them may be done again, anywhere, in any order and at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.learn.jobs import Watch, run_jobs
from treewright.scale.ingest import added

T = TypeVar("T")
Work = Callable[..., Any]
Counts = NDArray[np.int64]


class Executor(Protocol):
    """Carries out work on things that lie in several places: shards of rows, or partitions to be read.

    ``things`` and what is ``shared`` are handles: values for threads, futures on a cluster. Work gets the values. Functions and
    values must be such that they can be sent.
    """

    def share(self, value: Any) -> Any:
        """Make a value known wherever there is work; its handle."""

    def hold(self, work: Work, things: Sequence[Any], *shared: Any) -> list[Any]:
        """Handles of ``work(thing, *shared)`` for all things: the results stay where they are made."""

    def drop(self, things: Sequence[Any]) -> None:
        """Nobody needs these results any more."""

    def each(self, work: Work, things: Sequence[Any], *shared: Any) -> list[Any]:
        """The same results, in their order, brought here."""

    def total(self, work: Work, things: Sequence[Any], *shared: Any, least: bool = False) -> Counts:
        """The sum of the whole numbers that ``work(thing, *shared)`` counts, or the least of them."""

    def owned(
        self, collect: Work, finish: Work, things: Sequence[Any], groups: Sequence[Sequence[Any]], *shared: Any
    ) -> Iterator[list[Any]]:
        """What becomes of parts that are brought together, group by group.

        ``collect(thing, group, *shared)`` lists a part for every member of the group, and ``finish(member, parts, *shared)``
        gets those of all things, in one place.
        """


class ThreadExecutor:
    """Threads of this process, on shards that are mapped files."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def run(self, pieces: Sequence[Callable[[], T]]) -> list[T]:
        """The results of all pieces, in their order."""

        def job(piece: Callable[[], T]) -> Callable[[Watch | None], T]:
            return lambda watch: piece()

        return run_jobs([job(piece) for piece in pieces], self.threads)

    def share(self, value: Any) -> Any:
        """The value itself."""
        return value

    def hold(self, work: Work, things: Sequence[Any], *shared: Any) -> list[Any]:
        """The results themselves."""
        return self.each(work, things, *shared)

    def drop(self, things: Sequence[Any]) -> None:
        """They go with the list."""

    def each(self, work: Work, things: Sequence[Any], *shared: Any) -> list[Any]:
        """The results of all pieces, in their order."""
        return self.run([lambda thing=thing: work(thing, *shared) for thing in things])  # type: ignore[misc]

    def total(self, work: Work, things: Sequence[Any], *shared: Any, least: bool = False) -> Counts:
        """The sum of what is counted, or the least."""
        pieces = [lambda thing=thing: work(thing, *shared) for thing in things]
        return added(self.run, pieces, join=np.minimum if least else np.add)

    def owned(
        self, collect: Work, finish: Work, things: Sequence[Any], groups: Sequence[Sequence[Any]], *shared: Any
    ) -> Iterator[list[Any]]:
        """What becomes of the members of every group."""
        for group in groups:
            held = self.each(collect, things, group, *shared)
            members = [(member, [parts[at] for parts in held]) for at, member in enumerate(group)]
            held.clear()
            yield self.run([lambda one=one: finish(*one, *shared) for one in members])  # type: ignore[misc]


def narrowed(counts: Counts) -> NDArray[Any]:
    """The same numbers in as few bytes as hold all of them: messages are what a cluster waits for."""
    if not counts.size:
        return counts
    low, high = int(counts.min()), int(counts.max())
    kind = np.min_scalar_type(high if low >= 0 else min(low, -high - 1))
    return counts if kind.itemsize == 8 else counts.astype(kind)  # not uint64, of which NumPy makes floats beside int64
