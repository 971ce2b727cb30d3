"""Work on a cluster of Dask: pieces are pure tasks, which Dask may run again elsewhere when a worker is lost.

Nothing here waits for ever: who waits looks now and then whether there is a scheduler, and a worker that works.
"""

from __future__ import annotations

import itertools
import pickle
import pydoc
import time
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np

import treewright
from treewright.errors import shown
from treewright.scale.executor import Counts, Work, narrowed

PATIENCE = 60.0  # seconds without a worker, or without an answer of the scheduler, after which a fit ends
_LOOK = 2.0  # seconds after which whoever waits looks around
# What a wait of Dask ends with when its time is up: on a machine that is busy it meets its own cancelling (distributed 2026.8).
_LATE = (TimeoutError, UnboundLocalError)
_ARITY = 8  # results that one task adds up, or brings together
_AHEAD = 2  # groups a thread of the cluster that are under way


class ClusterError(RuntimeError):
    """A cluster that could not do the work: workers or the scheduler were lost, or are of another version."""


class DaskExecutor:
    """The workers of a ``distributed.Client``. Results stay on them until somebody asks for them."""

    def __init__(self, client: Any) -> None:
        self.client = _checked(client)
        self._name = uuid4().hex[:12]
        self._count = itertools.count()
        self._futures: dict[str, Any] = {}  # of what is held
        self._all: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._working = time.monotonic()

    def __enter__(self) -> Self:
        try:
            self._compare_versions()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leave nothing on the cluster: what nobody wants is not begun, and what is done is forgotten.

        Not by ``Client.cancel``, which takes the connection down when it meets a future that is being released (distributed
        2026.8). An error's traceback may still hold futures, so that these are not left to the collector.
        """
        self._futures.clear()
        for future in list(self._all.values()):
            future.release()

    # -- the work of an executor --------------------------------------------------------------------------------------

    def share(self, value: Any) -> Any:
        """The value as a task of its own: whoever needs it gets it once, and makes it anew if it was lost."""
        return self._keep(self._submit(_opened, zlib.compress(pickle.dumps(value), 1)))

    def hold(self, work: Work, things: Sequence[Any], *shared: Any) -> list[Any]:
        """Futures of the results."""
        return [self._keep(self._submit(work, thing, *shared)) for thing in things]

    def drop(self, things: Sequence[Any]) -> None:
        """Let results go; Dask makes them again should they be needed to replace others that are lost."""
        for thing in things:
            self._futures.pop(getattr(thing, "key", ""), None)

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Futures of what the user's own graph describes."""
        return [self._keep(self._known(future)) for future in self.client.compute(list(delayed))]

    def each(self, work: Work, things: Sequence[Any], *shared: Any) -> list[Any]:
        """The results, brought together on the cluster first."""
        lists = [self._submit(_listed, work, thing, *shared) for thing in things]
        return self._result(self._reduced(_joined, lists)) if lists else []

    def total(self, work: Work, things: Sequence[Any], *shared: Any, least: bool = False) -> Counts:
        """The sum, or the least, put together on the cluster: of so many answers at a time, in as few bytes as hold them."""
        parts = [self._submit(_narrow, work, thing, *shared) for thing in things]
        return np.asarray(self._result(self._reduced(_least if least else _sum, parts)), np.int64)

    def owned(
        self, collect: Work, finish: Work, things: Sequence[Any], groups: Sequence[Sequence[Any]], *shared: Any
    ) -> Iterator[list[Any]]:
        """What becomes of every group: its parts go to one worker, which finishes its members."""
        under_way: deque[Any] = deque()
        for group in groups:
            parts = [self._submit(collect, thing, list(group), *shared) for thing in things]
            under_way.append(self._submit(_finished, finish, list(group), parts, *shared))
            while len(under_way) >= _AHEAD * max(1, self._threads()):
                yield self._result(under_way.popleft())
        while under_way:
            yield self._result(under_way.popleft())

    # -- tasks --------------------------------------------------------------------------------------------------------

    def _submit(self, work: Work, *args: Any) -> Any:
        named = next((each for each in args[:1] if callable(each)), work)  # what is carried out, not what carries it
        key = f"treewright_{named.__name__.strip('_')}-{self._name}-{next(self._count)}"
        return self._known(self.client.submit(_carried, treewright.__version__, work, *args, key=key, pure=False))

    def _known(self, future: Any) -> Any:
        self._all[future.key] = future
        return future

    def _keep(self, future: Any) -> Any:
        self._futures[future.key] = future
        return future

    def _reduced(self, join: Work, parts: list[Any]) -> Any:
        """One future of all parts, joined so many at a time."""
        while len(parts) > 1:
            parts = [self._submit(join, parts[at : at + _ARITY]) for at in range(0, len(parts), _ARITY)]
        return parts[0]

    # -- waiting ------------------------------------------------------------------------------------------------------

    def _result(self, future: Any) -> Any:
        """The result of a future; who waits for it sees to it that there is something to wait for."""
        from distributed import KilledWorker

        self._working = time.monotonic()
        try:
            while True:
                try:
                    return future.result(timeout=_LOOK)
                except _LATE:
                    if future.status == "error":
                        raise
                    self._look()
        except KilledWorker as error:
            raise ClusterError(
                f"{error.last_worker.address} and other workers before it were lost while they did the same piece of work, "
                "mostly for want of memory: give workers more, make partitions smaller, or set memory= lower"
            ) from error
        except Exception as error:
            if future.status == "cancelled" or self.client.status != "running":
                raise ClusterError(f"the cluster was lost: {shown(str(error))}; {_AGAIN}") from error
            raise

    def _look(self) -> None:
        """End a wait that nobody will."""
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(f"the connection to the scheduler was lost; {_AGAIN}")
        states = self._states()
        if "running" in states:
            self._working = time.monotonic()
        elif time.monotonic() - self._working > PATIENCE:
            found = f"all {len(states)} workers are {' or '.join(sorted(set(states)))}" if states else "there is no worker"
            why = "for want of memory; give workers more or make partitions smaller" if "paused" in states else "start some"
            raise ClusterError(f"for {PATIENCE:g} seconds {found}: {why}; {_AGAIN}")

    def _states(self) -> list[str]:
        """How the workers are."""
        try:
            workers = self.client.scheduler_info(n_workers=-1, callback_timeout=PATIENCE)["workers"]
        except _LATE as error:
            raise ClusterError(f"the scheduler has not answered for {PATIENCE:g} seconds; {_AGAIN}") from error
        except OSError:  # it is being connected to
            return []
        return [str(worker.get("status", "running")) for worker in workers.values()]

    def _threads(self) -> int:
        return sum(self.client.nthreads(callback_timeout=PATIENCE).values())

    def _compare_versions(self) -> None:
        """Refuse workers of another version before they do anything; those that come later refuse work themselves."""
        try:
            found = self.client.run(pydoc.locate, "treewright.__version__", on_error="return", callback_timeout=PATIENCE)
        except _LATE as error:
            raise ClusterError(f"the workers have not answered for {PATIENCE:g} seconds") from error
        for worker, version in found.items():
            if isinstance(version, OSError):  # it has gone
                continue
            if version != treewright.__version__:
                raise ClusterError(_other_version(worker, version))


_AGAIN = "what a fit with checkpoint= has found so far is kept, and the same fit goes on from there"


def _checked(client: Any) -> Any:
    """The client, if it is one that may be waited for."""
    if not type(client).__module__.startswith("distributed") or not hasattr(client, "submit"):
        raise TypeError(f"client={shown(client)} is no distributed.Client: make one, such as by distributed.Client(address)")
    if client.asynchronous:
        raise TypeError("client= is asynchronous: pass a distributed.Client without asynchronous=True")
    if client.status != "running":
        raise ClusterError(f"client={shown(client)} is {client.status}: connect it to a scheduler that runs")
    return client


def _other_version(worker: str, version: Any) -> str:
    has = f"treewright {version}" if isinstance(version, str) else "no treewright that could be loaded"
    if isinstance(version, Exception):
        has += f" ({shown(str(version))})"
    return f"worker {worker} has {has}, and here it is {treewright.__version__}: install the same version everywhere"


# -- on workers ----------------------------------------------------------------------------------------------------------


def _carried(version: str, work: Work, *args: Any) -> Any:
    """Carry work out, if it is of this version."""
    if version != treewright.__version__:
        from distributed import get_worker

        raise ClusterError(
            f"worker {get_worker().address} has treewright {treewright.__version__}, and the fit was begun with {version}: "
            "install the same version everywhere"
        )
    return work(*args)


def _opened(packed: bytes) -> Any:
    return pickle.loads(zlib.decompress(packed))


def _listed(work: Work, *args: Any) -> list[Any]:
    return [work(*args)]


def _joined(lists: list[list[Any]]) -> list[Any]:
    return [each for one in lists for each in one]


def _narrow(work: Work, *args: Any) -> Any:
    return narrowed(work(*args))


def _sum(parts: list[Any]) -> Any:
    return _together(parts, np.add)


def _least(parts: list[Any]) -> Any:
    return _together(parts, np.minimum)


def _together(parts: list[Any], join: Any) -> Any:
    out = np.array(parts[0], np.int64)
    for part in parts[1:]:
        join(out, part, out=out)
    return narrowed(out)


def _finished(finish: Work, members: list[Any], parts: list[list[Any]], *shared: Any) -> list[Any]:
    return [finish(member, [part[at] for part in parts], *shared) for at, member in enumerate(members)]
