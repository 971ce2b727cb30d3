"""The cases: which workload, which peer, which of our learners. Everything a case is stands in its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Case:
    """One comparison; `fits` is how many fits a measurement is the mean of, a `slow` case is not repeated."""

    group: str
    workload: str
    peer: str
    ours: str
    fits: int = 1
    slow: bool = False

    @property
    def name(self) -> str:
        """The group and the workload, as the command line takes it."""
        return f"{self.group}-{self.workload}"


CASES = [
    Case("core", "W1s", "sklearn_cart", "cart"),
    Case("core", "W2s", "sklearn_cart", "cart"),
    Case("core", "W5", "sklearn_cart", "cart", slow=True),
    Case("core", "iris", "sklearn_cart", "cart", fits=200),
    Case("core", "W3s", "ydf_cart", "cart"),
    Case("core", "W4s", "ydf_cart", "cart"),
]


def chosen(wanted: Sequence[str], group: str | None) -> list[Case]:
    """The cases of a group that are named, by case or by workload; all of them if none is named."""
    groups = {case.group for case in CASES}
    if group is not None and group not in groups:
        raise ValueError(f"group {group!r} is unknown; there are {', '.join(sorted(groups))}")
    known = {word for case in CASES for word in (case.name, case.workload)}
    for word in wanted:
        if word not in known:
            near = get_close_matches(word, known, n=1)
            raise ValueError(f"case {word!r} is unknown; " + (f"did you mean {near[0]!r}?" if near else "see --list"))
    return [
        case for case in CASES if group in (None, case.group) and (not wanted or case.name in wanted or case.workload in wanted)
    ]
