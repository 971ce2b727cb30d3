"""Saving and loading: files that are written whole or not at all, and never trusted when read."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any, BinaryIO

from treewright.errors import ModelFormatError, shown
from treewright.store.atomic import write_whole
from treewright.store.damage import Damage
from treewright.store.document import document_bytes, gzip_bytes, open_regular, read_document
from treewright.store.kinds import MODELS, from_section, handed_out, to_section

_REMEDY = "fit the model again, or use an undamaged copy"


def save(kind: str, model: Any, path: Any) -> None:
    """Write a model to a file; gzip-compressed if its name ends in .gz."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"a model is saved to the path of a file, not to {shown(path)}")
    name = os.fspath(path)
    document = dumped(kind, model)
    write_whole(name, gzip_bytes(document) if str(name).endswith(".gz") else document)


def dumped(kind: str, model: Any) -> bytes:
    """Return the document of a model."""
    return document_bytes(to_section(kind, model))


def load(path: Any, *, edited: bool = False) -> Any:
    """Load a model that was saved.

    Parameters
    ----------
    path : path
        The file, as it is or gzip-compressed.
    edited : bool, default False
        Load a file that was changed by hand: its checksum is not asked for. Everything else is checked all the same.

    Returns
    -------
    estimator or Tree
        What was saved.

    Raises
    ------
    ModelFormatError
        The file is not a model, is damaged, or is of a later version. Nothing in a file is ever run.
    """
    return _load(path, edited, handed_out)


def load_plain(path: Any, *, edited: bool = False) -> Any:
    """Load a model as the plain value it is: a tree, rules, or a learner with what it learned."""
    return _load(path, edited, from_section)


def _load(path: Any, edited: bool, value_of: Callable[..., Any]) -> Any:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"a model is loaded from the path of a file, not from {shown(path)}")
    name = os.fsdecode(path)
    try:
        file = open_regular(name)
    except Damage as error:
        raise ModelFormatError(str(error), name) from error
    with file:
        return _read(file, name, edited, value_of)


def read_model(file: BinaryIO, name: str, edited: bool = False) -> Any:
    """Load a model from an open file."""
    return _read(file, name, edited, handed_out)


def read_plain(file: BinaryIO, name: str, edited: bool = False) -> Any:
    """Load a model from an open file as the plain value it is."""
    return _read(file, name, edited, from_section)


def _read(file: BinaryIO, name: str, edited: bool, value_of: Callable[..., Any]) -> Any:
    try:
        return value_of(read_document(file, edited), *MODELS)
    except Damage as error:
        remedy = "if you edited it on purpose: load(path, edited=True)" if "edited" in str(error) else _REMEDY
        raise ModelFormatError(str(error), name, remedy) from error


def is_model(path: str) -> bool:
    """Whether a file looks like a model: it names the format at its beginning."""
    import gzip
    import zlib

    try:
        with open_regular(path) as file:
            head = file.read(4096)
    except (OSError, ValueError):
        return False
    if head.startswith(b"\x1f\x8b"):
        with contextlib.suppress(zlib.error, gzip.BadGzipFile):
            head = zlib.decompressobj(31).decompress(head, 4096)
    return b'"format"' in head and b'"treewright-model"' in head[:200]
