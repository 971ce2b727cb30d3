"""What is fuzzed: each target takes any bytes and must return, or raise the one error that is stated for its kind of file."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.store.damage import Damage
from treewright.store.document import _parsed, _plain
from treewright.store.files import read_model
from treewright.table.files import read_table
from treewright.table.relations.facts import read_facts

CORPUS = Path(__file__).parent / "corpus"


def model(content: bytes) -> None:
    """A model file, plain or packed; once with its checksum, once as if it had been edited on purpose."""
    for edited in (False, True):
        try:
            found = read_model(io.BytesIO(content), "fuzzed", edited)
        except tw.ModelFormatError:
            continue
        if isinstance(found, (tw.Foil, tw.Clauses)):
            asked(getattr(found, "clauses_", found))
            continue
        parts = ("tree_", "ruleset_", "forest_")
        held = next((getattr(found, part) for part in parts if hasattr(found, part)), found)
        if not hasattr(held, "schema"):  # a stack or a vote of others
            continue
        held.to_rules().to_text() if isinstance(held, tw.Tree) else held.to_text()
        with contextlib.suppress(ValueError):  # a name or level that no program can say
            held.to_python()
        columns = [[None]] * len(held.schema.columns)
        with contextlib.suppress(ValueError), warnings.catch_warnings():  # missing cells may be refused
            warnings.simplefilter("ignore", tw.TreewrightWarning)
            held.predict(np.array(columns, object).T)


def asked(found: tw.Clauses) -> None:
    """What may be asked of clauses without relations."""
    found.to_text(sentences=True, scores=True)
    again = tw.Clauses.parse(found.to_text(), found)
    assert again.clauses == tuple(clause.unscored() for clause in found.clauses)
    for write in (found.to_prolog, found.to_sql):
        with contextlib.suppress(ValueError):  # a name or constant that no program can say
            write()


def clauses(content: bytes) -> None:
    """The text of clauses."""
    try:
        found = tw.Clauses.parse(content.decode())
    except ValueError:
        return
    asked(found)


def numbers(content: bytes) -> None:
    """Long lists of numbers, which the core reads, against Python's own reader of JSON."""
    said = []
    for read in (_plain, _parsed):
        try:
            said.append(repr(listed(read(content))))
        except Damage as error:
            said.append(str(error))
    assert said[0] == said[1]


def listed(value: Any) -> Any:
    """The same without arrays."""
    if isinstance(value, dict):
        return {name: listed(one) for name, one in value.items()}
    return (
        [listed(one) for one in value] if isinstance(value, list) else value.tolist() if isinstance(value, np.ndarray) else value
    )


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


def facts(content: bytes) -> None:
    """Prolog facts."""
    handle, path = tempfile.mkstemp(suffix=".pl")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        read_facts(Path(path))
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


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (model, csv, jsonl, arff, rules, clauses, facts, numbers)
}
