"""No damaged state crashes or hangs: a ValueError, or a tree that answers. In child processes, which may crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", [0])
def test_damaged_states_are_refused_or_harmless(seed: int) -> None:
    script = Path(__file__).with_name("damage.py")
    run = subprocess.run([sys.executable, str(script), str(seed), "2"], capture_output=True, text=True, timeout=150, check=False)
    assert run.returncode == 0, f"ended with {run.returncode}: {run.stderr[-2000:]}"
    word, tried, _ = run.stdout.split()
    assert word == "survived"
    assert int(tried) > 1000
