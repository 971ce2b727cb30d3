"""Prints of a model: hashes of its file, its pickle, what it learned and what it says; or the error, in words."""

from __future__ import annotations

import hashlib
import pickle
import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from same.tables import Table

Print = str | list[str]
_ADDRESS = re.compile(r"\b0x[0-9a-f]+")


def digest(content: bytes) -> str:
    """The sha256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def canonical(value: Any) -> bytes:
    """A value as bytes that are equal only where type, shape and every bit of it are."""
    if isinstance(value, pd.DataFrame):
        return canonical({str(name): value[name].to_numpy() for name in value})
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcmM":
        return f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, np.ndarray):
        return f"{value.dtype.kind}{value.shape}{value.tolist()!r}".encode()
    if isinstance(value, np.generic):
        return canonical(np.asarray(value))
    if isinstance(value, dict):
        return b"{%s}" % b",".join(canonical(key) + b":" + canonical(entry) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return b"[%s]" % b",".join(map(canonical, value))
    if is_dataclass(value):
        return canonical({field.name: getattr(value, field.name) for field in fields(value)})
    return f"{type(value).__name__} {value!r}".encode()


def said(error: Exception | warnings.WarningMessage, *private: str) -> str:
    """An error or a warning in words, without addresses and without the paths that are private to this run."""
    what = error.message if isinstance(error, warnings.WarningMessage) else error
    text = f"{type(what).__name__}: {what}"
    for path in private:
        text = text.replace(path, "…")
    return _ADDRESS.sub("0x…", text)


def attempt(work: Callable[[], bytes], *private: str) -> str:
    """The hash of what the work gives, or its error."""
    try:
        return digest(work())
    except Exception as error:
        return said(error, *private)


def file_bytes(model: Any) -> bytes:
    """The document a model is saved as."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return path.read_bytes()


def learned(model: Any) -> dict[str, Any]:
    """The public attributes that end in an underscore; trees and rules have prints of their own."""
    found = {}
    for name in sorted(dir(model)):
        if name.endswith("_") and not name.startswith("_") and name not in ("tree_", "ruleset_", "pruning_path_"):
            found[name] = getattr(model, name, None)
    return found


def path_of(model: Any) -> dict[str, Any]:
    """The figures of the path that pruning has chosen from."""
    path = model.pruning_path_
    return {field.name: getattr(path, field.name) for field in fields(path) if field.name != "tree"}


def taken(model: Any, table: Table, asked: Any) -> dict[str, Print]:
    """All prints of a fitted model; `asked` are the rows it was fitted to, in the form it was fitted to them."""
    work: dict[str, Callable[[], bytes]] = {
        "file": lambda: file_bytes(model),
        "pickle": lambda: pickle.dumps(model, protocol=5),
        "learned": lambda: canonical(learned(model)),
    }
    if hasattr(model, "tree_"):
        work["text"] = lambda: model.tree_.to_text().encode()
    if hasattr(model, "ruleset_"):
        work["text"] = lambda: str(model.ruleset_).encode()
    if hasattr(model, "pruning_path_"):
        work["path"] = lambda: canonical(path_of(model))
    asking = [name for name in ("predict", "predict_proba", "apply", "transform") if hasattr(model, name)]
    if getattr(model, "keep_targets", False):
        asking.append("predict_interval")
    for name in asking:
        work[name] = lambda name=name: canonical(getattr(model, name)(asked))
        # Where there are shares, the class is read off them.
        if isinstance(asked, pd.DataFrame) and not (name == "predict" and "predict_proba" in asking):
            work[f"{name}, torn rows"] = lambda name=name: canonical(getattr(model, name)(table.torn))
    return {name: attempt(one) for name, one in work.items()}
