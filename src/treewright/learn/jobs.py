"""Long work: reports of progress, several pieces at once, and an end when the user wants one."""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

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
    def shown(self, title: str, kind: type[Bar] = Bar) -> Iterator[Watch | None]:
        """What the core calls now and then with the rows that are done and all rows, or what another bar shows."""
        if not self.bar:
            yield self.watch or _WATCH.get()
            return
        with kind(title) as bar:
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


class _NoThreads(Exception):
    """The system has none left."""


class _Crew(Generic[T]):
    """Threads that run jobs.

    Ctrl-C may come between any two steps of the calling thread. Were that thread just opening a lock that is written in Python
    (as futures, pools and starting threads have), the lock would stay shut, and who needs it would wait for ever. So the calling
    thread touches queues alone, whose steps are done whole or not at all, and leaves the rest to a thread that starts the others.
    """

    def __init__(self) -> None:
        self.todo: SimpleQueue[tuple[int, Callable[[Watch | None], T]] | None] = SimpleQueue()
        self.done: SimpleQueue[tuple[int, T | None, BaseException | None] | None] = SimpleQueue()
        self.gone: SimpleQueue[None] = SimpleQueue()
        self.stopped = False

    def lead(self, threads: int) -> None:
        """Start the others, as many as the system has, and tell when all of them have gone."""
        started = 0
        try:
            for one in range(threads):
                Thread(target=self.work, name=f"treewright_{one}", daemon=False).start()
                started += 1
        except RuntimeError:  # no more threads
            if not started:
                self.work()
                started = 1
        finally:
            for _ in range(started):  # not by Thread.join, for which Python would keep an object of this thread
                self.gone.get()
            self.done.put(None)

    def work(self) -> None:
        """Run jobs until there are no more."""
        _WATCH.set(self.watch)
        try:
            while not self.stopped and (job := self.todo.get()) is not None:
                try:
                    self.done.put((job[0], job[1](self.watch), None))
                except BaseException as error:
                    self.done.put((job[0], None, error))
        finally:
            self.todo.put(None)
            self.gone.put(None)

    def watch(self, _done: int, _total: int) -> None:
        """Raise once nobody waits for the jobs."""
        if self.stopped:
            raise _Stopped

    def results(self, pause: float) -> Iterator[tuple[int, T]]:
        """The results that are there, waiting for the first of them for a while."""
        try:
            while (came := self.done.get(timeout=pause)) is not None:
                at, result, error = came
                if error is not None:
                    raise error
                yield at, result  # type: ignore[misc]
                pause = 0.0
        except Empty:
            return
        self.done.put(None)
        raise MemoryError("there is no memory left for threads: n_jobs=1 needs none")


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
    if threads > 1 and len(jobs) > 1:
        with suppress(_NoThreads):
            return _together(jobs, threads, tell, take)
    out: list[T] = []
    above = _WATCH.get()  # of the work that these jobs are a part of
    for at, job in enumerate(jobs):
        if above is not None:
            above(at, len(jobs))
        out.append(job(None))
        take(at, out[-1])
        tell(len(out))
    return out


def _together(
    jobs: Sequence[Callable[[Watch | None], T]], threads: int, tell: Callable[[int], None], take: Callable[[int, T], Any]
) -> list[T]:
    out: list[T] = []
    crew: _Crew[T] = _Crew()
    begun, early, led = 0, dict[int, T](), False
    above = _WATCH.get()  # of the work that these jobs are a part of
    try:
        try:
            start_new_thread(crew.lead, (min(threads, len(jobs)),))
        except RuntimeError as error:
            raise _NoThreads from error
        led = True
        while len(out) < len(jobs):
            while begun < min(len(jobs), len(out) + _AHEAD * threads):
                crew.todo.put((begun, jobs[begun]))
                begun += 1
            if above is not None:
                above(len(out), len(jobs))
            early.update(crew.results(0.2))
            while len(out) in early:
                out.append(early.pop(len(out)))
                take(len(out) - 1, out[-1])
            tell(len(early) + len(out))
    finally:
        crew.stopped = True
        crew.todo.put(None)  # not in a function of its own, in whose beginning an interrupt could come
        while led and crew.done.get() is not None:
            pass
    return out
