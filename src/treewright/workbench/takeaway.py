"""What is taken away from a session: the model as a file, as rules, SQL or a page, and the log as a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treewright.errors import shown, visible
from treewright.learn.edits.log import words
from treewright.show.data import plain

_MAKERS: dict[str, tuple[str, Callable[[Any, list[dict[str, Any]]], str]]] = {
    "rules": ("rules.txt", lambda made, log: str(made._model.to_rules().to_text())),
    "sql": ("model.sql", lambda made, log: str(made.to_sql())),
    "text": ("tree.txt", lambda made, log: str(made._model.to_text(width=None))),
    "log": ("edits.py", lambda made, log: program(log)),
}
FORMS = ("model", *_MAKERS, "page")


def exported(what: Any, made: Any, log: list[dict[str, Any]], page: Callable[[], bytes]) -> tuple[str, bytes]:
    """A file: its name and its contents."""
    if what not in FORMS:
        raise ValueError(f"what={shown(what)} is not allowed: it must be one of {', '.join(FORMS)}")
    if what == "model":
        return "model.json", _model(made)
    if what == "page":
        return "tree.html", page()
    name, make = _MAKERS[what]
    return name, make(made, log).encode("utf-8", "backslashreplace")


def _model(made: Any) -> bytes:
    from treewright.store.files import dumped

    out: bytes = dumped("estimator", made if not hasattr(made, "_fitted") else made._fitted())
    return out


def program(log: list[dict[str, Any]]) -> str:
    """A log as a program."""
    lines = [f"# {words(entry)}" for entry in log]
    told = [{name: value if isinstance(value, (dict, list)) else plain(value) for name, value in entry.items()} for entry in log]
    return "\n".join(
        ["import treewright", "", *map(visible, lines), f"log = {told!r}", "edit = treewright.replay(log, X, y)", ""]
    )
