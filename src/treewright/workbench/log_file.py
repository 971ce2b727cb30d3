"""The log of a session on the disk: what was done, and the versions that were named; written whole before an edit is told."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import shown, visible
from treewright.store.atomic import write_whole
from treewright.store.values import read, written
from treewright.workbench.versions import read_scores

Entry = dict[str, Any]
_LOG = 1 << 26  # bytes of a log that is read again


@dataclass(frozen=True)
class Kept:
    """What a log holds.

    Attributes
    ----------
    edits : list of dict
        What was done, and not undone.
    versions : dict of str to (list of dict, dict)
        What had been done when a version was named, and how it fared.
    """

    edits: list[Entry]
    versions: dict[str, tuple[list[Entry], dict[str, Any]]] = field(default_factory=dict)


class LogFile:
    """The file in which a session keeps its log.

    Parameters
    ----------
    path : str
        Where it is.
    table : str
        What it is about: a log of something else is refused, and stays as it is.
    """

    def __init__(self, path: str, table: str) -> None:
        self.path, self.table = path, table
        self._seen: tuple[int, ...] | None = None  # the file as it was read or written last

    def read(self) -> Kept | None:
        """What is there, None where nothing is; an error where it is no log, or that of another table."""
        if not os.path.exists(self.path):
            return None
        name = visible(self.path)
        self._seen = _state(self.path)
        if os.path.getsize(self.path) > _LOG:
            raise ValueError(f"{name} is larger than any log: name another file")
        try:
            with open(self.path, encoding="utf-8") as file:
                held = json.load(file)
            edits = _entries(held["edits"])
            versions = {
                str(each["name"]): (_entries(each["edits"]), read_scores(each["scores"])) for each in held.get("versions", [])
            }
            told = held["table"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{name} is no log of the workbench: name another file, or remove it") from error
        if told != self.table:
            raise ValueError(f"{name} is the log of another table or another estimator: name another file, or remove it")
        return Kept(edits, versions)

    def write(self, kept: Kept) -> None:
        """Write the file whole, or leave the old one; refuse to write over what another session has written meanwhile."""
        if _state(self.path) not in (None, self._seen):
            raise ValueError(f"{visible(self.path)} was changed by another workbench: end one of them, and start this one again")
        versions = [{"name": name, "edits": _plain(edits), "scores": scores} for name, (edits, scores) in kept.versions.items()]
        held = {"format": "treewright-edits", "table": self.table, "edits": _plain(kept.edits), "versions": versions}
        write_whole(self.path, json.dumps(held, indent=1).encode("utf-8", "backslashreplace"))
        self._seen = _state(self.path)

    def refused(self, error: Exception) -> ValueError:
        """An edit of the file that cannot be made."""
        return ValueError(f"{visible(self.path)} holds an edit that cannot be made: {error}")

    def __repr__(self) -> str:
        return f"<LogFile {shown(self.path)}>"


def _state(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _entries(held: Any) -> list[Entry]:
    return [{str(name): read(value) for name, value in entry.items()} for entry in held]


def _plain(edits: list[Entry]) -> list[dict[str, Any]]:
    return [{name: written(value) for name, value in entry.items()} for entry in edits]
