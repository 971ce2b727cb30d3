"""What is fuzzed: each target takes any bytes and must return, or raise the one error that is stated for its kind of file."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.store.files import read_model
from treewright.table.files import read_table

CORPUS = Path(__file__).parent / "corpus"


def model(content: bytes) -> None:
    """A model file, plain or packed; once with its checksum, once as if it had been edited on purpose."""
    for edited in (False, True):
        try:
            found = read_model(io.BytesIO(content), "fuzzed", edited)
        except tw.ModelFormatError:
            continue
        held = getattr(found, "tree_", getattr(found, "ruleset_", found))
        held.to_rules().to_text() if isinstance(held, tw.Tree) else held.to_text()
        with contextlib.suppress(ValueError):  # a name or level that no program can say
            held.to_python()
        columns = [[None]] * len(held.schema.columns)
        with contextlib.suppress(ValueError), warnings.catch_warnings():  # missing cells may be refused
            warnings.simplefilter("ignore", tw.TreewrightWarning)
            held.predict(np.array(columns, object).T)


def _table(content: bytes, ending: str) -> None:
    handle, path = tempfile.mkstemp(suffix=ending)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tw.TreewrightWarning)
            read_table(path)
    except tw.DataFormatError:
        pass
    finally:
        os.unlink(path)


def csv(content: bytes) -> None:
    """Delimited text of any dialect and encoding."""
    _table(content, ".csv")


def jsonl(content: bytes) -> None:
    """JSON lines."""
    _table(content, ".jsonl")


def arff(content: bytes) -> None:
    """WEKA's format."""
    _table(content, ".arff")


def _schema() -> tw.RuleSet:
    X = np.array([[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "c"]], object)
    return tw.CARTClassifier().fit(X, ["yes", "no", "yes", "no"]).tree_.to_rules()


_RULES = _schema()


def rules(content: bytes) -> None:
    """The text of rules."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return
    try:
        found = _RULES.parse(text)
    except ValueError:
        return
    assert found.to_text() is not None


TARGETS: dict[str, Callable[[bytes], None]] = {"model": model, "csv": csv, "jsonl": jsonl, "arff": arff, "rules": rules}
