"""An executor that stands for a cluster: whatever goes to work and comes back goes through pickles, and nothing is remembered."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from treewright.scale.executor import added


class Handle:
    """A value that lies elsewhere, as bytes."""

    def __init__(self, value: Any) -> None:
        self.content = pickle.dumps(value)


def _here(value: Any) -> Any:
    """The value as whoever works gets it."""
    if isinstance(value, Handle):
        return pickle.loads(value.content)
    if isinstance(value, list):
        return [_here(each) for each in value]
    return pickle.loads(pickle.dumps(value))


class Wire:
    """Takes the place of a cluster's executor; ``client`` may hold a list of what is asked for."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *rest: Any) -> None:
        return None

    def drop(self, things: Sequence[Any]) -> None:
        for thing in things:
            if isinstance(thing, Handle):
                del thing.content

    def share(self, value: Any) -> Any:
        return Handle(value)

    def hold(self, work: Any, things: Sequence[Any], *shared: Any) -> list[Any]:
        return [Handle(result) for result in self.each(work, things, *shared)]

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        return [Handle(each.compute()) for each in delayed]

    def each(self, work: Any, things: Sequence[Any], *shared: Any) -> list[Any]:
        return [_here(work(_here(thing), *map(_here, shared))) for thing in things]

    def total(self, work: Any, things: Sequence[Any], *shared: Any, least: bool = False) -> Any:
        pieces = [lambda thing=thing: work(_here(thing), *map(_here, shared)) for thing in things]
        return added(lambda some: [piece() for piece in some], pieces, join=np.minimum if least else np.add)

    def owned(
        self, collect: Any, finish: Any, things: Sequence[Any], groups: Sequence[Sequence[Any]], *shared: Any
    ) -> Iterator[list[Any]]:
        for group in groups:
            held = [collect(_here(thing), _here(list(group)), *map(_here, shared)) for thing in things]
            yield [_here(finish(member, [part[at] for part in held], *map(_here, shared))) for at, member in enumerate(group)]


NO_CLUSTER = SimpleNamespace()
