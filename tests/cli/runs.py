"""Running the command, in this process and in another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import treewright as tw
from treewright.cli import main

SOURCE = str(Path(tw.__file__).resolve().parents[1])


def run(*argv: str) -> int:
    return main(list(argv))


def child(*argv: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    asked = {"capture_output": True, "text": True, "timeout": 60, "env": environment, **options}
    return subprocess.run([sys.executable, "-W", "error", "-m", "treewright", *argv], **asked)


def three_lines(err: str) -> list[str]:
    lines = err.rstrip("\n").split("\n")
    assert len(lines) == 3
    assert lines[0].startswith("error: ")
    assert all(line.startswith("   ") and line.strip() for line in lines[1:])
    return [lines[0].removeprefix("error: "), *(line.strip() for line in lines[1:])]
