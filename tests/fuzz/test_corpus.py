"""P13: everything the fuzzers kept is tried again in every run of the suite, without a fuzzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import CORPUS, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_P13_the_corpus_is_read_or_refused(name: str) -> None:
    files = sorted((CORPUS / name).iterdir())
    assert len(files) >= 5
    for path in files:
        TARGETS[name](path.read_bytes())


def test_P13_targets_let_other_errors_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that swallowed everything would find nothing."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("found")

    for name, where in (("csv", "read_table"), ("model", "read_model")):
        monkeypatch.setattr(f"tests.fuzz.targets.{where}", broken)
        with pytest.raises(RuntimeError, match="found"):
            TARGETS[name](next(iter((CORPUS / name).iterdir())).read_bytes())
    assert Path(CORPUS).is_dir()
