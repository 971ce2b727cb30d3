"""The page of the workbench as it is served: its frame, one script of all its modules, one style; made once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from treewright.explore.modules import script, source

_START = "$workbench.begin(document);"
# What is part of the page, by address: what it is for a browser.
ADDRESSES = {
    "/": "text/html; charset=utf-8",
    "/workbench.js": "text/javascript; charset=utf-8",
    "/workbench.css": "text/css; charset=utf-8",
}


@cache
def asset(address: str) -> bytes:
    """Return a part of the page; it holds nothing of the session."""
    if address == "/":
        return (files("treewright.workbench") / "page" / "workbench.html").read_bytes()
    if address == "/workbench.css":
        return (source("page.css") + source("workbench.css")).encode()
    return f"{script('workbench')}\n{_START}\n".encode()
