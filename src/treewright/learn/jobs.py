"""Long work: reports of progress, several pieces at once, and an end when the user wants one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from treewright.progress import Bar

T = TypeVar("T")
Watch = Callable[[int, int], None]

# What work on a thread of its own asks now and then whether it is still wanted; None on the calling thread.
_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)
_AHEAD = 4  # jobs a thread that are begun before the first of them is done


@dataclass(frozen=True)
class Progress:
    """Where a single piece of work reports its progress: a bar on the terminal, a caller that may end the work, or nowhere."""

    bar: bool = False
    watch: Watch | None = None

    @contextmanager
    def shown(self, title: str) -> Iterator[Watch | None]:
        """What the core calls now and then with the rows that are done and all rows."""
        if not self.bar:
            yield self.watch or _WATCH.get()
            return
        with Bar(title) as bar:
            yield bar


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Whatever is learned on this thread inside asks ``watch`` now and then, which raises to end it."""
    before = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(before)


class _Stopped(Exception):
    """Another piece failed, or the user wants an end."""


def run_jobs(
    jobs: Sequence[Callable[[Watch | None], T]],
    threads: int,
    title: str | None = None,
    unit: str = "trees",
    take: Callable[[int, T], str | None] | None = None,
) -> list[T]:
    """Run all jobs, on several threads if there are, and return their results in order; with a title a bar shows how far it is.

    A job gets a function to be called now and then, which raises once nobody waits for the job any more; on a single thread None:
    the core itself looks for Ctrl-C there. ``take`` gets the position and the result of every job, in their order and on the
    calling thread, as soon as those before it are there; what it returns stands behind the title.
    """
    if title is None:
        return _run(jobs, threads, lambda done: None, take or (lambda at, result: None))
    with Bar(title, unit) as bar:

        def taken(at: int, result: T) -> None:
            if take is not None and (words := take(at, result)) is not None:
                bar.title = f"{title}, {words}"

        return _run(jobs, threads, lambda done: bar(done, len(jobs)), taken)


def _run(
    jobs: Sequence[Callable[[Watch | None], T]], threads: int, tell: Callable[[int], None], take: Callable[[int, T], Any]
) -> list[T]:
    out: list[T] = []
    above = _WATCH.get()  # of the work that these jobs are a part of
    if threads <= 1 or len(jobs) <= 1:
        for at, job in enumerate(jobs):
            if above is not None:
                above(at, len(jobs))
            out.append(job(None))
            take(at, out[-1])
            tell(len(out))
        return out
    stopped = False

    def watch(_done: int, _total: int) -> None:
        if stopped:
            raise _Stopped

    def run(job: Callable[[Watch | None], T]) -> T:
        _WATCH.set(watch)
        return job(watch)

    begun: list[Future[T]] = []
    with ThreadPoolExecutor(min(threads, len(jobs)), thread_name_prefix="treewright") as pool:
        try:
            while len(out) < len(jobs):
                try:
                    while len(begun) < min(len(jobs), len(out) + _AHEAD * threads):
                        begun.append(pool.submit(run, jobs[len(begun)]))
                except RuntimeError:  # the system has no more threads: with fewer, then; what was begun is begun anew
                    stopped = True
                    pool.shutdown(wait=True, cancel_futures=True)
                    return _with_fewer(out, jobs, threads // 2, tell, take)
                if above is not None:
                    above(len(out), len(jobs))
                finished, _ = wait(begun[len(out) :], timeout=0.2, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                while len(out) < len(begun) and begun[len(out)].done():
                    out.append(begun[len(out)].result())
                    take(len(out) - 1, out[-1])
                tell(sum(future.done() for future in begun[len(out) :]) + len(out))
        except BaseException:
            stopped = True
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return out


def _with_fewer(
    out: list[T],
    jobs: Sequence[Callable[[Watch | None], T]],
    threads: int,
    tell: Callable[[int], None],
    take: Callable[[int, T], Any],
) -> list[T]:
    """The results there are, and those of the other jobs."""
    n = len(out)
    return out + _run(jobs[n:], threads, lambda done: tell(n + done), lambda at, result: take(n + at, result))
