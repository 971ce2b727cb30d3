"""Damages model files and pickles in every way and loads them. A program: a crash or a hang must not end the suite.

Every attempt must end in the stated error, or in a model that answers everything. Prints how many of each there were.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import pickle
import re
import resource
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import treewright as tw
from treewright.store.document import document_bytes, gzip_bytes
from treewright.store.files import read_model
from treewright.store.kinds import to_section
from treewright.store.values import Unwritable

HEAD = re.compile(rb'(?<="checksum": "sha256:)[0-9a-f]{64}(?=",\n)')


def models() -> list[tuple[Any, Any]]:
    """Small fitted models and rows for them."""
    X = np.array([[1.0, "a"], [2.5, "b"], [np.nan, "c"], [4.0, "a"], [7.0, None]], object)
    soft = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    return [
        (tw.CARTClassifier(max_depth=2).fit(X, ["x", "y", "y", "x", "z"]), X),
        (tw.CARTRegressor().fit(X[:3], [1.5, 2.0, 4.0]), X),
        (tw.C45Classifier(soft=True, min_samples_leaf=1, confidence=1.0).fit(soft, [0, 0, 1, 1, 0]), soft),
    ]


def repaired(document: bytes) -> bytes:
    """The document with the checksum of what it now says."""
    head = HEAD.search(document)
    if head is None:
        return document
    body = document[head.end() + 3 :]
    return document[: head.start()] + hashlib.sha256(body).hexdigest().encode() + document[head.end() :]


def changes(content: bytes, all_bits: bool) -> Iterator[bytes]:
    """The content with one byte changed, for every byte: 0, 255, one more, one less, and single bits."""
    for at, byte in enumerate(content):
        bits = range(8) if all_bits else (at % 8,)
        for other in {0, 255, (byte + 1) % 256, (byte - 1) % 256, *(byte ^ (1 << bit) for bit in bits)} - {byte}:
            yield content[:at] + bytes([other]) + content[at + 1 :]


def ask_everything(model: Any, X: Any) -> None:
    try:
        tree = model if isinstance(model, tw.Tree) else model.tree_
        for question in (model.predict, model.apply, tree.decision_path, getattr(model, "predict_proba", model.predict)):
            with contextlib.suppress(ValueError, TypeError):  # a changed kind or level: the rows are not those of the model
                question(X)
        tree.to_text(), tree.to_rules().to_text(), tree.regions(), tree.trace(), tree.merge_leaves(), tree.feature_importances
        tree.to_svg()
        pickle.loads(pickle.dumps(model))
        document_bytes(to_section("tree", tree))
    except Unwritable:
        pass


def load(document: bytes, X: Any) -> bool:
    """Whether the document was taken for a model, which then answers."""
    try:
        model = read_model(io.BytesIO(document), "m.json")
    except tw.ModelFormatError:
        return False
    ask_everything(model, X)
    return True


def unpickle(content: bytes, X: Any) -> type[BaseException] | None:
    """The error, or None. A pickle may name anything outside of the model's own bytes; what must not happen is a crash."""
    try:
        model = pickle.loads(content)
    except Exception as error:
        return type(error)
    with contextlib.suppress(Exception):  # an estimator whose attribute has another name now
        ask_everything(model, X)
    return None


def bytes_changed(which: int, full: bool) -> None:
    model, X = models()[which]
    plain = document_bytes(to_section("estimator", model._fitted()))
    tree = document_bytes(to_section("tree", model.tree_))
    tried = taken = 0
    for document in changes(plain, all_bits=False):
        assert not load(document, X), "a wrong checksum was taken"
        tried += 1
    for source, all_bits in ((tree, full), *([(plain, False)] if full else [])):
        for document in changes(source, all_bits):
            taken += load(repaired(document), X)
            tried += 1
    for document in changes(gzip_bytes(plain), all_bits=True):
        taken += load(document, X)  # bytes of gzip's head that say nothing of the content
        tried += 1
    print(f"survived {tried} {taken}")


def cut_short(which: int, full: bool) -> None:
    model, X = models()[which]
    tried = 0
    document = document_bytes(to_section("estimator", model._fitted()))
    for content in (document, gzip_bytes(document)):
        for end in range(len(content)):
            assert not load(content[:end], X) and not load(repaired(content[:end]), X)
            tried += 2
        for more in (b"\n", b" ", b"0", b"{", content):
            assert not load(content + more, X)
            tried += 1
    print(f"survived {tried} 0")


def pickles(which: int, full: bool) -> None:
    model, X = models()[which]
    tried = taken = 0
    for protocol in (2, 5) if full else (5,):
        content = pickle.dumps(model, protocol)
        begin, end = content.index(b"treewright 1"), content.rindex(b"_beside")
        for at, changed in enumerate(changes(content, all_bits=False)):
            error = unpickle(changed, X)
            taken += error is None
            tried += 1
            inside = changed[:begin] == content[:begin] and changed[end - 8 :] == content[end - 8 :]
            assert not inside or protocol == 2 or error is tw.ModelFormatError, f"change {at}, inside the model, ended in {error}"
        for stop in range(len(content)):
            assert unpickle(content[:stop], X) is not None
            tried += 1
    print(f"survived {tried} {taken}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "unlimited" not in sys.argv:  # sanitizers cannot start in a limited address space
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    {"bytes": bytes_changed, "cut": cut_short, "pickles": pickles}[sys.argv[1]](int(sys.argv[2]), "full" in sys.argv)
