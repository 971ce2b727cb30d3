"""The benchmark tables are the ones every published figure was measured on."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from bench import fingerprints, workloads

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "bench" / "workloads.py"

CHEAP = ("W3s", "W4s", "W6", "W6s", "W8b", "W8n", "digits", "iris", *fingerprints.SMALL)

# These go through float32 sin, exp or a matrix product, whose last bit may differ between processors.
ROUNDED = {("W4s", "num"), ("w2(10_000)", "y"), ("w5(1_000)", "num")}


@pytest.mark.parametrize("name", CHEAP)
def test_stored_hashes(name: str) -> None:
    stored = json.loads(fingerprints.HASHES.read_text())[name]
    for part, found in fingerprints.of(workloads.make(name)).items():
        if (name, part) in ROUNDED and found["sha256"] != stored[part]["sha256"]:
            assert found["sum"] == pytest.approx(stored[part]["sum"], rel=1e-5)
        else:
            assert found == stored[part], part


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    if not REFERENCE.exists():
        pytest.skip("the reference generators are not beside this checkout (../shared/bench/workloads.py)")
    spec = importlib.util.spec_from_file_location("reference_workloads", REFERENCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [name for name in CHEAP if name != "iris"])
def test_same_as_the_reference(name: str, reference: ModuleType) -> None:
    function, _, size = name.lower().rstrip(")").partition("(")
    arguments = [int(size)] if size else []
    theirs, ours = getattr(reference, function)(*arguments), workloads.make(name)
    for part in ("num", "nom", "y"):
        a, b = getattr(theirs, part), getattr(ours, part)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b, strict=True)
    assert (theirs.n_train, list(theirs.levels), theirs.task) == (ours.n_train, list(ours.levels), ours.task)


def test_cache_keeps_a_workload_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TW_BENCH_CACHE", str(tmp_path))
    made, kept = workloads.w6s(), [workloads.load("W6s") for _ in range(2)]
    for loaded in kept:
        assert fingerprints.of(loaded) == fingerprints.of(made)
        assert (loaded.n_train, loaded.levels, loaded.task) == (made.n_train, made.levels, made.task)
    assert [path.name for path in tmp_path.iterdir()] == ["W6s"]
