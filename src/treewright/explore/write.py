"""From a model, and perhaps rows, to the page: one file, written whole or not at all."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import warnings
from html import escape
from typing import Any

from treewright import parts
from treewright.errors import outside, visible
from treewright.explore.modules import script, source

_START = "$main.begin(document);"


def explore(model: Any, path: Any = None, X: Any = None, y: Any = None, **options: Any) -> Any:
    """Write the page, or return a widget where no path is given; see ``Explorable.explore``."""
    document = model_document(model, X, y, **options)
    if path is None:
        from treewright.explore.widget import widget

        return widget(document, model._model._repr_mimebundle_())
    from treewright.store.atomic import write_whole

    write_whole(path, page(document))
    return None


def model_document(model: Any, X: Any = None, y: Any = None, **options: Any) -> dict[str, Any]:
    """Return everything the page knows of a model, as plain values. Rows are read for several ends, but warned of once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = _document(model, X, y, **options)
    for text, category in dict.fromkeys((str(each.message), each.category) for each in caught):
        warnings.warn(text, category, stacklevel=outside())
    return document


def _document(model: Any, X: Any, y: Any, *, gap: Any = None, **options: Any) -> dict[str, Any]:
    if gap is not None:
        if model._model.kind != "tree":
            raise ValueError("gap= says how far a single tree is from the best one; this model is none: leave it out")
        options["gap"] = gap
    document: dict[str, Any] = parts.writer(f"page_{model._model.kind}")(model, X, y, **options)
    return document


def compressed(document: dict[str, Any]) -> str:
    """Return a document as text that means nothing to a browser: JSON, gzip-compressed, in base 64."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), 9, mtime=0)).decode()


def page(document: dict[str, Any]) -> bytes:
    """Return the page: the only script and the only style are named by their hashes, and nothing else may be loaded or run."""
    style, code = source("page.css"), f"{script('main')}\n{_START}\n"
    policy = f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    fields = {
        "policy": policy,
        "title": escape(visible(document["title"])),
        "style": style,
        "data": compressed(document),
        "code": code,
    }
    pieces = source("page.html").split("%%")
    return "".join(fields[piece] if at % 2 else piece for at, piece in enumerate(pieces)).encode()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
