"""Who carries out work on shards. Pieces are pure: any of them may be done again, in any order and at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from treewright.learn.jobs import Watch, run_jobs

T = TypeVar("T")


class Executor(Protocol):
    """Carries out pieces of work."""

    def run(self, pieces: Sequence[Callable[[], T]]) -> list[T]:
        """The results of all pieces, in their order."""


class ThreadExecutor:
    """Threads of this process, on shards that are mapped files."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def run(self, pieces: Sequence[Callable[[], T]]) -> list[T]:
        """The results of all pieces, in their order."""

        def job(piece: Callable[[], T]) -> Callable[[Watch | None], T]:
            return lambda watch: piece()

        return run_jobs([job(piece) for piece in pieces], self.threads)
