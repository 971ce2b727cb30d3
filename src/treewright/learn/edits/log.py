"""The log of an edited tree: plain values that say how it was grown and what was done to it, and what they are in words."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import shown
from treewright.learn import LEARNERS, learner_class
from treewright.learn.edits.verbs import VERBS
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.store.binary import section_of, to_bytes, trusting_nothing
from treewright.store.damage import Damage
from treewright.store.kinds import from_section, to_section
from treewright.store.values import Unwritable, written

Entry = dict[str, Any]


def same_tree(a: _core.Tree, b: _core.Tree) -> bool:
    """Whether two trees have the same columns to the last bit."""
    one, two = a.state(), b.state()
    return all(np.array_equal(one[name], two[name], equal_nan=True) for name in one)


def beginning(learner: TreeLearner[Any], training: Training, tree: Tree, grown: Tree) -> Entry:
    """The first entry of a log: the estimator that is fitted; and the tree, where that is not the one it grows."""
    parameters, left_out = {}, []
    for field in fields(learner.Parameters):
        value = learner.given[field.name]
        if field.default is not MISSING and type(value) is type(field.default) and value == field.default:
            continue
        try:
            written(value)
            parameters[field.name] = value
        except (Unwritable, TypeError):
            left_out.append(field.name)
    entry: Entry = {
        "verb": "fit",
        "estimator": learner.name,
        "parameters": parameters,
        "rows": len(training.codes),
        "table": digest(training),
    }
    if left_out:
        entry["left_out"] = left_out
    if not same_tree(tree._core, grown._core):
        entry["tree"] = base64.b64encode(to_bytes(to_section("tree", tree.marked({})))).decode()
    return entry


def learner_of(entry: Entry) -> TreeLearner[Any]:
    """The learner that the first entry of a log names."""
    name = entry.get("estimator")
    if name not in LEARNERS:
        raise ValueError(f"the log begins with estimator {shown(name)}, which is unknown")
    if left := entry.get("left_out"):
        raise ValueError(
            f"the log lacks {left[0]}=, a value that no log can hold: pass the estimator, as replay(log, X, y, estimator=)"
        )
    kind = learner_class(str(name))
    learner = kind(kind.Parameters(**entry.get("parameters", {})))
    if not isinstance(learner, TreeLearner):
        raise ValueError(f"the log begins with {name}, which learns no single tree")
    return learner


def tree_of(entry: Entry) -> Tree | None:
    """The tree that the first entry of a log holds, None where its estimator grows it."""
    if "tree" not in entry:
        return None
    try:
        with trusting_nothing():
            tree = from_section(section_of(base64.b64decode(entry["tree"], validate=True)), "tree")
    except (Damage, ValueError, TypeError) as error:
        raise ValueError(f"the log is damaged: its tree cannot be read ({error})") from error
    assert isinstance(tree, Tree)
    return tree


def checked(log: Any) -> list[Entry]:
    """A log that someone hands over; refuse what is none."""
    if not isinstance(log, (list, tuple)) or not log or not all(isinstance(entry, dict) for entry in log):
        raise ValueError("a log is a list of dictionaries, as edit.log and est.edits_ are, which begins with the fit")
    if log[0].get("verb") != "fit":
        raise ValueError(f"a log begins with the verb 'fit', this one with {shown(log[0].get('verb'))}")
    for at, entry in enumerate(log[1:], 1):
        if entry.get("verb") not in VERBS:
            raise ValueError(
                f"entry {at} of the log has verb {shown(entry.get('verb'))}, which is unknown: the verbs are {', '.join(VERBS)}"
            )
        path, asked = entry.get("path"), entry.get("asked")
        whole = isinstance(path, (list, tuple)) and all(type(branch) is int and branch >= 0 for branch in path)
        if not whole or not isinstance(asked, (list, tuple)) or len(asked) != len(path or ()):
            raise ValueError(f"entry {at} of the log names no node: path={shown(path)}, asked={shown(asked)}")
    return [dict(entry) for entry in log]


def digest(training: Training) -> str:
    """What a table holds, as a short text: two tables of the same text are the same."""
    hashed = hashlib.sha256()
    for column in training.columns:
        hashed.update(repr((column.name, column.kind, column.levels)).encode("utf-8", "surrogatepass"))
    for array in training.cells[0]:
        hashed.update(array.tobytes())
    hashed.update(repr(training.target.classes).encode("utf-8", "surrogatepass"))
    hashed.update(training.codes.tobytes())
    if training.weights is not None:
        hashed.update(training.weights.tobytes())
    return hashed.hexdigest()[:32]


def tree_digest(tree: Tree) -> str:
    """What a tree asks and says, as a short text."""
    hashed, state = hashlib.sha256(), tree._core.state()
    for name in sorted(state):
        hashed.update(name.encode())
        hashed.update(np.asarray(state[name]).tobytes())
    return hashed.hexdigest()[:16]


_ABOUT = ("verb", "path", "asked", "where")


def words(entry: Entry) -> str:
    """An entry of a log in words."""
    verb = entry["verb"]
    if verb == "fit":
        parameters = ", ".join(f"{name}={value!r}" for name, value in entry["parameters"].items())
        return f"fit {entry['estimator']}({parameters}) to {entry['rows']} rows" + (", then changed" if "tree" in entry else "")
    given = {name: value for name, value in entry.items() if name not in _ABOUT}
    told = ", ".join(str(value) if name == "column" else f"{name}={value!r}" for name, value in given.items())
    return f"{verb} {entry['where']}" + (f": {told}" if told else "")


def history(log: list[Entry]) -> list[str]:
    """A log in words."""
    return list(map(words, log))
