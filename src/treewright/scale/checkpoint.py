"""What a fit has found so far, in a folder: whoever begins the same fit again goes on from there.

Of every step the sums of all answers are kept, which the grower takes again, and of every group of subtrees the trees. Files are
written whole or not at all, say of which fit they are, and are trusted no more than model files are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import shown, visible
from treewright.scale.executor import narrowed
from treewright.scale.shards import Subtree
from treewright.store.atomic import write_whole
from treewright.store.binary import section_of, to_bytes
from treewright.store.columns import array_of
from treewright.store.damage import Damage, entry, need, only
from treewright.store.document import open_regular

_SUFFIX = ".treewright-checkpoint"
_TABLE = "the table"


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from: it is damaged, or of another fit."""


class Checkpoint:
    """The folder of a fit; ``of`` says which fit it is, name by name. Without a folder nothing is kept."""

    def __init__(self, folder: Any, of: dict[str, str]) -> None:
        if folder is not None and not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"checkpoint={shown(folder)}: it must be the path of a folder, as text or a pathlib.Path")
        self.folder = None if folder is None else Path(folder)
        self.of = of
        self._codes: NDArray[np.int64] = np.zeros(0, np.int64)
        self._nominal: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._classes = 0
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        if (first := self._path("level", 0)).exists():  # another fit is refused before the table is read
            self._section(first)

    def begin(self, table: str, facts: _core.CodedColumns) -> None:
        """The table has been read: its fingerprint, and what is known of its columns."""
        self.of = {**self.of, _TABLE: table}
        nominal, codes, _, _, class_totals, _ = cast(tuple[Any, ...], facts.__getstate__())
        self._nominal, self._codes = np.array(nominal, np.uint8), np.array(codes, np.int64)
        self._classes = len(class_totals)

    def take(self, step: int, grower: _core.LevelGrower) -> bool:
        """Give the grower the answers of a step, if they are there."""
        section = self._read("level", step)
        if section is None:
            return False
        with self._whole("level", step):
            answers = array_of(entry(section, "answers", np.ndarray), np.int64, "answers")
            try:
                grower.take(answers)
            except ValueError as error:
                raise Damage(str(error)) from error
        return True

    def keep(self, step: int, answers: NDArray[np.int64]) -> None:
        """Keep the answers of a step."""
        if self.folder is not None:
            self._write("level", step, {"answers": narrowed(answers)})

    def trees(self, group: int, size: int) -> list[Subtree] | None:
        """The subtrees of a group, if they are there."""
        section = self._read("subtrees", group)
        if section is None:
            return None
        with self._whole("subtrees", group):
            states = entry(section, "trees", list)
            need(states, len(states) == size, f"{len(states)} subtrees, where the fit asks for {size}")
            return [self._tree(state) for state in states]

    def keep_trees(self, group: int, trees: Sequence[Subtree]) -> None:
        """Keep the subtrees of a group."""
        if self.folder is not None:
            self._write("subtrees", group, {"trees": [tree.core.state() for tree in trees]})

    def drop(self) -> None:
        """Remove what was kept: the fit is done."""
        if self.folder is None:
            return
        for path in self.folder.glob(f"*{_SUFFIX}"):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # others keep things there, too
            self.folder.rmdir()

    # -- files --------------------------------------------------------------------------------------------------------

    def _path(self, kind: str, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"{kind}-{number:06}{_SUFFIX}"

    def _write(self, kind: str, number: int, section: dict[str, Any]) -> None:
        write_whole(self._path(kind, number), to_bytes({"kind": kind, "of": self.of, **section}))

    def _read(self, kind: str, number: int) -> dict[str, Any] | None:
        if self.folder is None or not (path := self._path(kind, number)).exists():
            return None
        return self._section(path)

    def _section(self, path: Path) -> dict[str, Any]:
        """The section of a file, once it is known to be of this fit."""
        kind = path.name.partition("-")[0]
        with _Whole(path), open_regular(str(path)) as file:
            section = section_of(file.read())
            need(section, isinstance(section, dict), "it is no checkpoint")
            only(section, "kind", "of", "answers" if kind == "level" else "trees")
            need(section, section.get("kind") == kind, "it is of another kind")
            of = entry(section, "of", dict)
            need(of, all(isinstance(text, str) for text in of.values()), "it does not say of which fit it is")
        for name in {**self.of, **of}:
            if name == _TABLE and name not in self.of:
                continue  # not read yet
            if of.get(name) != self.of.get(name):
                there, here = (shown(which.get(name, "nothing")) for which in (of, self.of))
                raise CheckpointError(
                    f"checkpoint={shown(str(self.folder))} is of another fit: {name} was {visible(there)} there and is "
                    f"{here} here; use another folder, or remove this one to begin anew"
                )
        return section

    def _whole(self, kind: str, number: int) -> _Whole:
        return _Whole(self._path(kind, number))

    def _tree(self, state: Any) -> Subtree:
        need(state, isinstance(state, dict), "a subtree is no tree")
        try:
            tree = _core.Tree.from_state(state)
        except (ValueError, TypeError) as error:
            raise Damage(str(error).removeprefix("the tree is damaged: ")) from error
        nominal = self._nominal == 1
        alike = (
            state["n_classes"] == self._classes
            and np.array_equal(state["column_kind"], self._nominal)
            and np.array_equal(state["column_levels"][nominal], self._codes[nominal])
        )
        need(tree, alike and not len(state["surrogate_begin"]), "a subtree is of another table")
        begin = state["cut_begin"]
        owner = np.repeat(state["column"], np.diff(begin.astype(np.int64))) if len(begin) else np.zeros(0, np.int64)
        for bound in (state["cut_below"], state["cut_above"]):
            inside = (bound >= 0) & (bound < self._codes[owner]) & ~nominal[owner]
            need(bound, bool(np.all(inside)), "a subtree cuts between codes that its column does not have")
        return Subtree(tree)


class _Whole:
    """Says of which file something is not as it must be."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Damage):
            raise CheckpointError(
                f"{visible(str(self.path))} is not a valid checkpoint: {visible(str(error))}; "
                "remove it, and the fit finds again what it held"
            ) from error
