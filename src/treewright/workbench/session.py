"""A session of the workbench: one edit that several windows look at, its log on the disk, and what the page asks for.

Whoever edits says which state he saw: an edit of another state than the present one is refused, so that windows cannot cross.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from threading import RLock
from typing import Any

import numpy as np

from treewright.errors import shown, visible
from treewright.inspect.difference import diff
from treewright.learn.edits.division import column_at
from treewright.learn.edits.edit import REFUSALS, Edit
from treewright.learn.edits.log import digest, words
from treewright.show.data import plain
from treewright.show.node_text import NodeText
from treewright.store.atomic import write_whole
from treewright.store.values import read, written
from treewright.table.schema import weight_text

MOST_CUTS = 1000  # thresholds of a column that the page is told of
_BINS = 24
_LOG = 1 << 26  # bytes of a log that is read again
_VERBS = ("grow", "split", "cut", "relabel", "merge", "regrow", "lock", "unlock", "swap")


class Stale(Exception):
    """An edit of a state that is no longer the present one."""


class Session:
    """An edit, and everything that windows ask about it; one at a time.

    Parameters
    ----------
    edit : Edit
        The edit.
    rows : (X, y) or (X, y, sample_weight)
        The rows it is about.
    path : str or None
        Where the log is kept; None: nowhere.
    """

    def __init__(self, edit: Edit[Any], rows: tuple[Any, ...], path: str | None = None) -> None:
        self.edit, self.rows, self.path = edit, rows, path
        self.lock = RLock()
        self.version = 0
        self.kept: dict[str, Any] = {}
        self.resumed = 0
        if path is not None and os.path.exists(path):
            self._resume(path)

    # -- the log on the disk ---------------------------------------------------------------------------------------------

    def _resume(self, path: str) -> None:
        """Make the edits of a log that is there already; refuse one of another table."""
        if os.path.getsize(path) > _LOG:
            raise ValueError(f"{visible(path)} is larger than any log: name another file")
        try:
            with open(path, encoding="utf-8") as file:
                held = json.load(file)
            entries = [{str(name): read(value) for name, value in entry.items()} for entry in held["edits"]]
            told = held["table"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{visible(path)} is no log of the workbench: name another file, or remove it") from error
        if told != self._table():
            raise ValueError(f"{visible(path)} is the log of another table or another estimator: name another file, or remove it")
        for entry in entries:
            try:
                self.edit.apply(entry)
            except (*REFUSALS, KeyError) as error:
                raise ValueError(f"{visible(path)} holds an edit that cannot be made: {error}") from error
            self.resumed += 1

    def _table(self) -> str:
        bench = self.edit._bench
        return f"{bench.learner.name} {digest(bench.training)}"

    def _save(self) -> None:
        if self.path is None:
            return
        entries = [{name: written(value) for name, value in entry.items()} for entry in self.edit.edits]
        text = json.dumps({"format": "treewright-edits", "table": self._table(), "edits": entries}, indent=1)
        write_whole(self.path, text.encode("utf-8", "backslashreplace"))

    # -- what windows do -------------------------------------------------------------------------------------------------

    def do(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Make an edit of the state that was seen, and tell the new one; the edit is on the disk before that."""
        with self.lock:
            self._fresh(asked)
            verb, before = asked.get("verb"), self.edit.position()
            if verb in ("undo", "redo"):
                getattr(self.edit, str(verb))()
            else:
                self._edit(str(verb), asked)
            try:
                self._save()
            except OSError:
                self.edit.go_back(before)  # what is not on the disk has not been done
                raise
            self.version += 1
            return self.state()

    def _edit(self, verb: str, asked: dict[str, Any]) -> None:
        if verb not in _VERBS:
            raise ValueError(f"verb {shown(asked.get('verb'))} is unknown")
        node = asked.get("node")
        if verb == "merge":
            nodes = asked.get("nodes")
            if not isinstance(nodes, list):
                raise ValueError("nodes must be a list of numbers")
            self.edit.merge(*nodes)
        elif verb == "split":
            given = {name: asked[name] for name in ("at", "levels") if asked.get(name) is not None}
            if "levels" in given:
                given["levels"] = self._levels(asked.get("column"), given["levels"])
            self.edit.split(node, asked.get("column"), **given)  # type: ignore[arg-type]
        elif verb == "swap":
            self.edit.swap(node, asked.get("candidate"))  # type: ignore[arg-type]
        elif verb == "grow":
            self.edit.grow(node, asked.get("steps", 1))  # type: ignore[arg-type]
        elif verb == "relabel":
            self.edit.relabel(node, self._said(asked.get("says")))  # type: ignore[arg-type]
        else:
            getattr(self.edit, verb)(node)

    def _said(self, says: Any) -> Any:
        """A class by its position, or a number."""
        classes = self.edit.tree.target.classes
        if classes is None:
            return says
        if type(says) is not int or not 0 <= says < len(classes):
            raise ValueError(f"says={shown(says)} is not allowed: it must be the position of a class")
        return classes[says]

    def _levels(self, column: Any, codes: Any) -> Any:
        """Levels by their positions."""
        levels = self.edit.tree.columns[column_at(self.edit.tree, column)].levels
        if not isinstance(codes, list) or not all(type(code) is int and 0 <= code < len(levels) for code in codes):
            raise ValueError(f"levels={shown(codes)} is not allowed: it must be a list of positions of levels")
        return [levels[code] for code in codes]

    def _fresh(self, asked: dict[str, Any]) -> None:
        if asked.get("version") != self.version:
            raise Stale("another window has changed the tree: look at it first")

    def keep(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Keep the tree as it is under a name."""
        name = asked.get("name")
        if not isinstance(name, str) or not 0 < len(name) <= 100:
            raise ValueError("name must be text of 1 to 100 characters")
        with self.lock:
            if len(self.kept) >= 100 and name not in self.kept:
                raise ValueError("100 versions are kept already")
            self.kept[name] = self.edit.estimator()
            return self.state()

    def compare(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Compare a version that is kept with the tree as it is."""
        with self.lock:
            name = asked.get("name")
            if name not in self.kept:
                raise ValueError(f"no version is called {shown(name)}")
            X, y, *weight = self.rows
            found = diff(self.kept[name].tree_, self.edit.tree, X, y, sample_weight=weight[0] if weight else None)
            return {"text": found.to_text()}

    # -- what windows see ------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The tree and the log, in words and numbers."""
        with self.lock:
            edit, tree = self.edit, self.edit.tree
            nodes, entries = NodeText(tree), tree.node_entries
            below = []
            for id in range(tree.n_nodes):
                up = entries.parent[id]
                edge = "" if up < 0 else nodes.branches(up)[id - entries.first_child[up]]
                below.append(
                    {
                        "id": id,
                        "parent": up,
                        "leaf": entries.n_children[id] == 0,
                        "edge": visible(edge),
                        "text": visible(nodes.head(id)),
                        "rows": weight_text(entries.weight[id]),
                        "label": entries.label[id] if tree.target.classes is not None else -1,
                    }
                )
            return {
                "version": self.version,
                "target": visible(tree.target.name),
                "classes": None if tree.target.classes is None else [visible(str(label)) for label in tree.target.classes],
                "columns": [visible(column.name) for column in tree.columns],
                "nodes": below,
                "locked": edit.locked,
                "scores": str(edit.scores),
                "history": [visible(line) for line in edit.history],
                "undo": edit._at > 0,
                "redo": edit._at < len(edit._entries),
                "kept": list(map(visible, self.kept)),
            }

    def alternatives(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The best split of every column for the rows of a node, each with a small picture of the rows."""
        with self.lock:
            node, tree = asked.get("node"), self.edit.tree
            out = []
            for at, each in enumerate(self.edit.alternatives(node)):  # type: ignore[arg-type]
                index = tree.schema.names.index(each.column)
                column = tree.columns[index]
                cut = None if each.cut is None else float(each.cut)
                out.append(
                    {
                        "candidate": at,
                        "column": index,
                        "gain": each.gain,
                        "merit": each.merit,
                        "cut": cut,
                        "text": visible(each.column if cut is None else f"{each.column} at {column.exact_text(cut)}"),
                        "branches": {str(column.levels.index(level)): branch for level, branch in each.levels.items()},
                        "picture": self._picture(node, index),
                    }
                )
            return {"version": self.version, "alternatives": out}

    def _rows(self, node: Any, index: int) -> tuple[Any, Any, Any]:
        """Cells, weights and answers of the rows of a node whose cell of a column is there."""
        edit = self.edit
        edit._states[edit._at].path(node)
        bench = edit._bench
        held = bench.held(edit.tree._core, int(node))
        cells = np.asarray(bench.cells[index][held.rows], np.float64)
        there = ~np.isnan(cells) & ((cells >= 0) | (not edit.tree.columns[index].nominal))
        return cells[there], bench.own_weights(held)[there], bench.training.codes[held.rows][there]

    def _picture(self, node: Any, index: int) -> dict[str, Any]:
        """How the rows of a node lie on a column: weight by bin or level, and by class or as sum of the target."""
        tree = self.edit.tree
        cells, weights, codes = self._rows(node, index)
        column, classes = tree.columns[index], tree.target.classes
        if column.nominal:
            place, n, ends = cells.astype(np.int64), len(column.levels), [0.0, 0.0]
        else:
            low, high = (float(cells.min()), float(cells.max())) if len(cells) else (0.0, 0.0)
            step = (high - low) / _BINS
            ends, n = [low, high], _BINS
            place = np.zeros(len(cells), np.int64) if not step > 0 else np.clip(((cells - low) / step).astype(np.int64), 0, n - 1)
        width = 1 if classes is None else len(classes)
        kind = np.zeros(len(place), np.int64) if classes is None else codes.astype(np.int64)
        counts = np.bincount(place * width + kind, weights, n * width)
        levels = [visible(column.level_text(code)) for code in range(n)] if column.nominal else None
        return {"ends": ends, "counts": counts.tolist(), "width": width, "levels": levels}

    def column(self, asked: dict[str, Any]) -> dict[str, Any]:
        """All that dragging a threshold needs, at once: values, and by class what lies up to each of them."""
        with self.lock:
            node, index, tree = asked.get("node"), asked.get("column"), self.edit.tree
            if type(index) is not int or not 0 <= index < len(tree.columns):
                raise ValueError(f"column={shown(index)} is not allowed: it must be the position of a column")
            if tree.columns[index].nominal:
                picture = self._picture(node, index)
                return {"version": self.version, "name": tree.columns[index].name, "nominal": True, "picture": picture}
            cells, weights, codes = self._rows(node, index)
            order = np.argsort(cells, kind="stable")
            cells, weights, codes = cells[order], weights[order], codes[order]
            last = np.flatnonzero(np.append(np.diff(cells) > 0, True)) if len(cells) else np.empty(0, np.int64)
            if len(last) > MOST_CUTS:
                last = last[np.unique(np.linspace(0, len(last) - 1, MOST_CUTS).astype(np.int64))]
            classes = tree.target.classes
            width = 1 if classes is None else len(classes)
            sums = []
            for k in range(width):
                own = weights if classes is None else weights * (codes == k)
                sums.append(np.cumsum(own)[last].tolist())
            values = cells[last]
            middles = (values[:-1] / 2 + values[1:] / 2).tolist()
            extra = {} if classes is not None else {"target": np.cumsum(weights * codes.astype(np.float64))[last].tolist()}
            texts = [visible(tree.columns[index].exact_text(float(f"{cut:.6g}"))) for cut in middles]
            return {
                "version": self.version,
                "name": tree.columns[index].name,
                "nominal": False,
                "cuts": middles,
                "texts": texts,
                "sums": sums,
                **extra,
            }

    # -- what windows take away ------------------------------------------------------------------------------------------

    def export(self, asked: dict[str, Any]) -> tuple[str, bytes]:
        """A file of the tree as it is: its name and its contents."""
        makers: dict[str, tuple[str, Callable[[Any], bytes]]] = {
            "model": ("model.json", _model),
            "rules": ("rules.txt", lambda made: str(made._model.to_rules().to_text()).encode("utf-8", "backslashreplace")),
            "sql": ("model.sql", lambda made: str(made.to_sql()).encode("utf-8", "backslashreplace")),
            "text": ("tree.txt", lambda made: str(made._model.to_text(width=None)).encode("utf-8", "backslashreplace")),
            "log": ("edits.py", lambda made: self._python().encode("utf-8", "backslashreplace")),
            "page": ("tree.html", lambda made: self.page()),
        }
        what = asked.get("what")
        if what not in makers:
            raise ValueError(f"what={shown(what)} is not allowed: it must be one of {', '.join(makers)}")
        with self.lock:
            name, make = makers[str(what)]
            return name, make(self.edit.estimator())

    def page(self) -> bytes:
        """The explorer's page about the tree as it is."""
        from treewright.explore.write import model_document, page

        with self.lock:
            X, y, *_ = self.rows
            return page(model_document(self.edit.estimator(), X, y))

    def _python(self) -> str:
        """The log as a program."""
        lines = [f"# {words(entry)}" for entry in self.edit.log]
        return "\n".join([*map(visible, lines), f"log = {plain_log(self.edit.log)!r}", "edit = treewright.replay(log, X, y)", ""])


def _model(made: Any) -> bytes:
    from treewright.store.files import dumped

    out: bytes = dumped("estimator", made if not hasattr(made, "_fitted") else made._fitted())
    return out


def plain_log(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A log whose values are written as they are; what has no plain form by its text."""
    return [{name: value if isinstance(value, (dict, list)) else plain(value) for name, value in entry.items()} for entry in log]
