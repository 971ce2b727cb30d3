"""A session of the workbench: one edit that several windows look at, its log on the disk, and what the page asks for.

Whoever edits says which state he saw: an edit of another state than the present one is refused, so that windows cannot cross.
"""

from __future__ import annotations

import ast
from threading import RLock
from typing import Any

from treewright.errors import shown, visible
from treewright.explore.document import tree_document
from treewright.explore.facts import node_histograms, read_rows
from treewright.explore.tested import Tested
from treewright.learn.edits.division import column_at
from treewright.learn.edits.edit import Edit
from treewright.learn.edits.folds import REFUSALS
from treewright.learn.edits.log import digest, tree_digest
from treewright.show.node_text import NodeText
from treewright.workbench import views
from treewright.workbench.log_file import Kept, LogFile
from treewright.workbench.takeaway import exported
from treewright.workbench.versions import MOST, Version, checked_name, compared, difference, scores_data

_VERBS = ("grow", "split", "cut", "relabel", "merge", "regrow", "lock", "unlock", "swap")
_PARAMETERS = 500  # characters of parameters that are typed


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
        self.edit, self.rows = edit, rows
        self.lock = RLock()
        self.kept: dict[str, Version] = {}
        self.resumed = 0
        self._version, self._seen = 0, edit.state
        self._document: tuple[Any, dict[str, Any]] | None = None
        self._read = read_rows(edit.tree.schema, edit.tree.target, rows[0], rows[1])
        self.log = None if path is None else LogFile(path, _about(edit))
        if self.log is not None:
            self._resume(self.log)

    @property
    def version(self) -> int:
        """The number of the present state; also what is done in Python makes a new one."""
        if self.edit.state is not self._seen:
            self._version, self._seen = self._version + 1, self.edit.state
        return self._version

    # -- the log on the disk ---------------------------------------------------------------------------------------------

    def _resume(self, log: LogFile) -> None:
        """Make the edits of a log that is there already; refuse one of another table."""
        held = log.read()
        if held is None:
            return
        try:
            for name, (edits, scores) in held.versions.items():
                self._go_to(edits)
                self.kept[checked_name(name)] = Version(self.edit.tree, scores, self.edit.edits)
            self._go_to(held.edits)
        except (*REFUSALS, KeyError) as error:
            raise log.refused(error) from error
        self.resumed = len(held.edits)

    def _go_to(self, edits: list[dict[str, Any]]) -> None:
        """Stand where so much has been done: undo what is not part of it, do the rest."""
        own = self.edit.edits
        same = next((k for k, (a, b) in enumerate(zip(own, edits, strict=False)) if a != b), min(len(own), len(edits)))
        for _ in range(len(own) - same):
            self.edit.undo()
        for entry in edits[same:]:
            self.edit.apply(dict(entry))

    def _save(self) -> None:
        if self.log is not None:
            versions = {name: (version.edits, version.scores) for name, version in self.kept.items()}
            self.log.write(Kept(self.edit.edits, versions))

    def _safely(self, change: Any) -> dict[str, Any]:
        """Change something, put it on the disk, and tell the new state; what is not on the disk has not been done."""
        before, state, kept = self.edit.position(), self.edit.state, dict(self.kept)
        try:
            change()
            self._save()
        except BaseException:
            if self.edit.state is not state:
                self.edit.go_back(before)
            self.kept = kept
            raise
        return self.state()

    # -- what windows do -------------------------------------------------------------------------------------------------

    def do(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Make an edit of the state that was seen, and tell the new one; the edit is on the disk before that."""
        with self.lock:
            self._fresh(asked)
            return self._safely(lambda: self._edit(asked.get("verb"), asked))

    def _edit(self, verb: Any, asked: dict[str, Any]) -> None:
        if verb in ("undo", "redo"):
            getattr(self.edit, str(verb))()
            return
        if verb not in _VERBS:
            raise ValueError(f"verb {shown(verb)} is unknown")
        node: Any = asked.get("node")
        if verb == "merge":
            nodes = asked.get("nodes")
            if not isinstance(nodes, list):
                raise ValueError("nodes must be a list of numbers")
            self.edit.merge(*nodes)
        elif verb == "split":
            self._split(node, asked)
        elif verb == "swap":
            candidate: Any = asked.get("candidate")
            self.edit.swap(node, candidate)
        elif verb == "grow":
            self.edit.grow(node, asked.get("steps", 1))
        elif verb == "relabel":
            self.edit.relabel(node, self._said(asked.get("says")))
        elif verb == "regrow":
            self.edit.regrow(node, **_parameters(asked.get("parameters")))
        else:
            getattr(self.edit, str(verb))(node)

    def _split(self, node: Any, asked: dict[str, Any]) -> None:
        """By a column, which the page names by its position, and by a threshold or by levels; or by a condition as text."""
        column: Any = asked.get("column")
        if type(column) is int:
            names = self.edit.tree.schema.names
            if not 0 <= column < len(names):
                raise ValueError(f"column={shown(column)} is not allowed: it must be the position of a column, or text")
            column = names[column]
        given = {name: asked[name] for name in ("at", "levels") if asked.get(name) is not None}
        if "levels" in given:
            given["levels"] = self._levels(column, given["levels"])
        if "at" in given:
            given["at"] = self._threshold(column, given["at"])
        self.edit.split(node, column, **given)

    def _threshold(self, column: Any, at: Any) -> Any:
        """A threshold as the edit takes it: between two ordered levels it is named by the one that it goes by."""
        schema = self.edit.tree.columns[column_at(self.edit.tree, column)]
        if schema.kind != "ordered" or type(at) not in (int, float) or not 0 <= at < len(schema.levels) - 1:
            return at
        return schema.levels[int(at) + views.less_than(self.edit)]

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
            raise Stale("the tree was changed elsewhere, in another window or in Python: look at it first")

    # -- versions --------------------------------------------------------------------------------------------------------

    def keep(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Keep the tree as it is under a name."""
        with self.lock:
            name = checked_name(asked.get("name"))
            if len(self.kept) >= MOST and name not in self.kept:
                raise ValueError(f"{MOST} versions are kept already: name one of them, to replace it")
            version = self._as_version()
            return self._safely(lambda: self.kept.__setitem__(name, version))

    def restore(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Go back to a version that was kept; what it is not part of is kept first, so that nothing is lost."""
        with self.lock:
            self._fresh(asked)
            name = asked.get("name")
            version = self._kept(name)

            def change() -> None:
                own = self.edit.edits
                if version.edits[: len(own)] != own and all(each.edits != own for each in self.kept.values()):
                    self.kept[f"before {name}"[:100]] = self._as_version()
                self._go_to(version.edits)

            return self._safely(change)

    def _as_version(self) -> Version:
        return Version(self.edit.tree, scores_data(self.edit.scores), self.edit.edits)

    def _kept(self, name: Any) -> Version:
        if not isinstance(name, str) or name not in self.kept:
            raise ValueError(f"no version is called {shown(name)}")
        return self.kept[name]

    def _pair(self, asked: dict[str, Any]) -> tuple[Version, Version]:
        """The versions that are compared; the second may be the tree as it is."""
        second = asked.get("second")
        return self._kept(asked.get("first")), self._as_version() if second is None else self._kept(second)

    def compare(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Compare a version with another, or with the tree as it is."""
        with self.lock:
            return compared(*self._pair(asked), self.rows)

    def compared_page(self, asked: dict[str, Any]) -> bytes:
        """The same as a page, with both trees side by side."""
        with self.lock:
            return str(difference(*self._pair(asked), self.rows).to_html()).encode("utf-8", "backslashreplace")

    # -- what windows see ------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The tree as the explorer shows it, the log, and what can be undone."""
        with self.lock:
            edit, tree = self.edit, self.edit.tree
            undo, redo = edit.steps
            return {
                "version": self.version,
                "document": {**self._shown(), "locked": edit.locked},
                "columns": [visible(column.label) for column in tree.columns],
                "levels": [bool(column.nominal) for column in tree.columns],
                "parameters": {name: shown(value) for name, value in edit.bench.learner.given.items()},
                "history": [visible(line) for line in edit.history],
                "undo": undo > 0,
                "redo": redo > 0,
                "kept": [{"name": name, **version.scores} for name, version in self.kept.items()],
                "log": None if self.log is None else visible(self.log.path),
            }

    def _shown(self) -> dict[str, Any]:
        """The tree as the explorer knows it, with how its rows lie on what nodes ask; made once for every tree."""
        tree = self.edit.tree
        if self._document is None or self._document[0] is not tree:
            nodes = NodeText(tree)
            histograms = {} if self._read is None else node_histograms(tree, nodes, Tested(nodes), self._read)
            document = tree_document(tree, title=f"Workbench: {visible(tree.target.name)}")
            self._document = tree, {**document, "path": None, "histograms": histograms}
        return self._document[1]

    def scores(self) -> dict[str, Any]:
        """How the tree fares, and how it fared before the last edit."""
        with self.lock:
            before = self.edit.before
            return {
                "version": self.version,
                "numbers": self.edit.tree.target.classes is None,
                "scores": scores_data(self.edit.scores),
                "before": None if before is None else scores_data(before),
            }

    def alternatives(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The best split of every column for the rows of a node, each with a small picture of the rows."""
        with self.lock:
            self._same(asked)
            return {"version": self.version, **views.alternatives(self.edit, asked.get("node"))}

    def column(self, asked: dict[str, Any]) -> dict[str, Any]:
        """All that dragging a threshold or choosing levels needs, at once."""
        with self.lock:
            self._same(asked)
            return {"version": self.version, **views.column(self.edit, asked.get("node"), asked.get("column"))}

    def _same(self, asked: dict[str, Any]) -> None:
        """Refuse a question about the nodes of another state, whose numbers may mean others now."""
        if "version" in asked:
            self._fresh(asked)

    # -- what windows take away ------------------------------------------------------------------------------------------

    def export(self, asked: dict[str, Any]) -> tuple[str, bytes]:
        """A file of the tree as it is: its name and its contents."""
        with self.lock:
            return exported(asked.get("what"), self.edit.estimator(), self.edit.log, self.page)

    def page(self) -> bytes:
        """The explorer's page about the tree as it is."""
        from treewright.explore.write import model_document, page

        with self.lock:
            X, y, *_ = self.rows
            return page(model_document(self.edit.estimator(), X, y))


def _about(edit: Edit[Any]) -> str:
    """What a log is about: the estimator, its table, and the tree the session began with."""
    bench = edit.bench
    return f"{bench.learner.name} {digest(bench.training)} {tree_digest(edit.tree)}"


def _parameters(text: Any) -> dict[str, Any]:
    """Parameters as they are typed, such as ``max_depth=3, min_samples_leaf=5``; values are plain ones of Python."""
    if text is None or text == "":
        return {}
    remedy = "write them as in max_depth=3, min_samples_leaf=5"
    if not isinstance(text, str) or len(text) > _PARAMETERS:
        raise ValueError(f"parameters={shown(text)} is not allowed: {remedy}")
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
        given = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords if each.arg is not None}
        assert len(given) == len(call.keywords)
    except (ValueError, SyntaxError, AssertionError, RecursionError, MemoryError, TypeError) as error:
        raise ValueError(f"parameters={shown(text)} is not allowed: {remedy}") from error
    return given


__all__ = ["Session", "Stale"]
