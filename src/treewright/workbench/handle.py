"""A workbench that is open: its address, its end, and the tree as it then is."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from html import escape
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Self

from treewright.errors import shown
from treewright.learn.edits.edit import Edit
from treewright.model import Tree
from treewright.workbench.server import Server
from treewright.workbench.session import Session

_HIGH = 900  # pixels in a notebook
_OPENS = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>treewright workbench</title>
<meta http-equiv="refresh" content="0; url={url}"></head><body><p><a href="{url}">Open the workbench</a></p></body></html>
"""


class Workbench:
    """A tree that is edited on screen, in a page that this machine serves to itself.

    It ends with :meth:`close`, at the end of a ``with`` block, or with Python.

    Attributes
    ----------
    url : str
        What to open in a browser. The token in it is for nobody else.
    edit : Edit
        The edit that the page shows; what is done to it in Python is seen there.
    """

    def __init__(self, edit: Edit[Any], rows: tuple[Any, ...], log: Any = None, port: int = 0) -> None:
        if type(port) is not int or not 0 <= port < 65536:
            raise ValueError(f"port={shown(port)} is not allowed: it must be a whole number from 0 (any that is free) to 65535")
        path = None if log is None else os.fspath(log)
        self.session = Session(edit, rows, path)
        try:
            self._server = Server(self.session, port)
        except OSError as error:
            raise ValueError(
                f"port={port} cannot be used ({error.strerror or error}): name another, or 0 for any that is free"
            ) from error
        self._folder: str | None = None
        self._ended = Event()
        self._server.start()
        # At the end of Python it is closed while its thread still runs: later it would be waited for in vain.
        self._end = weakref.finalize(self, self._server.close)

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return self._server.url

    @property
    def edit(self) -> Edit[Any]:
        """The edit that the page shows."""
        return self.session.edit

    @property
    def tree(self) -> Tree:
        """The tree as it is now."""
        return self.edit.tree

    @property
    def open(self) -> bool:
        """Whether the page is served."""
        return not self._ended.is_set()

    def estimator(self) -> Any:
        """The estimator with the tree as it is now: fitted, as any other; ``edits_`` is the log."""
        with self.session.lock:
            return self.edit.estimator()

    def browse(self) -> bool:
        """Open the page in a browser; return whether there is one.

        Arguments of programs can be read by everybody on a machine: the browser is given a file, which only its owner can read
        and which leads to the page.
        """
        import webbrowser

        if os.name == "posix" and os.uname().sysname != "Darwin" and not ({"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)):
            return False
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="treewright-")  # for nobody else
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            page = Path(self._folder) / "workbench.html"
            page.touch(mode=0o600)
            page.write_text(_OPENS.format(url=escape(self.url)), encoding="utf-8")
        try:
            return webbrowser.open((Path(self._folder) / "workbench.html").as_uri())
        except (webbrowser.Error, OSError):
            return False

    def wait(self) -> None:
        """Serve until :meth:`close` is called elsewhere, or until interrupted."""
        while not self._ended.wait(0.2):
            pass

    def close(self) -> None:
        """Stop serving; the edit stays."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workbench: {self.url if self.open else 'closed'}, {self.tree.size_text}>"

    def _repr_html_(self) -> str:
        """The page inside that of a notebook, which must run on the machine of the browser."""
        if not self.open:
            return f"<p>{escape(repr(self))}</p>"
        self._server.framed = True
        url = escape(self.url)
        return (
            f'<iframe src="{url}" title="treewright workbench" width="100%" height="{_HIGH}" style="border:0"></iframe>'
            f'<p><a href="{url}" target="_blank" rel="noreferrer">Open the workbench in a tab of its own</a></p>'
        )
