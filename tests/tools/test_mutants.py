"""Planting faults: each changes one thing, code stays code, texts and comments stay as they are, and a run tells what lived."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutants import __main__ as mutants
from tools.mutants.fault import Fault
from tools.mutants.python_faults import python_faults
from tools.mutants.rooms import Room, files_of, rooms
from tools.mutants.text_faults import text_faults

PYTHON = '''"""Of 1 and 2."""
def least(values: list[int] = [1], *, é: bool = True) -> int:
    # 1 < 2 and 3
    for value in values:
        if not é and value < 3:
            values.append(value + 1)
    return -1 if é else sum(values)
'''
PLANTED = {
    "def least(values: list[int] = [2], *, é: bool = True) -> int:",
    "def least(values: list[int] = [1], *, é: bool = False) -> int:",
    "if (not (not é and value < 3)):",
    "if  é and value < 3:",
    "if not é or value < 3:",
    "if not é and value <= 3:",
    "if not é and value >= 3:",
    "if not é and value < 4:",
    "pass",
    "values.append(value - 1)",
    "values.append(value + 2)",
    "values.append(value + 1)\n        break",
    "return 1 if é else sum(values)",
    "return -2 if é else sum(values)",
    "return -1 if (not (é)) else sum(values)",
}
CPP = """#include <1.hpp>
// a < b && 2
template <class T, int n = 3>
int f(const std::vector<int>& x, int i) {
  if (i < 2 && !x.empty()) return x[i - 1];  // 7
  i += 4;
  return g("a < 1", '<') == 0 ? i : h(/* 5 */ true);
}
"""
CHANGED = {
    "if (!(i < 2 && !x.empty())) return x[i - 1];",
    "if (i <= 2 && !x.empty()) return x[i - 1];",
    "if (i >= 2 && !x.empty()) return x[i - 1];",
    "if (i < 3 && !x.empty()) return x[i - 1];",
    "if (i < 2 || !x.empty()) return x[i - 1];",
    "if (i < 2 && x.empty()) return x[i - 1];",
    "if (i < 2 && !x.empty()) return x[i + 1];",
    "if (i < 2 && !x.empty()) return x[i - 2];",
    ";",
    "i += 5;",
    """return g("a < 1", '<') != 0 ? i : h(/* 5 */ true);""",
    """return g("a < 1", '<') == 1 ? i : h(/* 5 */ true);""",
    """return g("a < 1", '<') == 0 ? i : h(/* 5 */ false);""",
}


def _lines(source: bytes, fault: Fault) -> str:
    """The lines that a fault changed or added."""
    before, after = source.decode().split("\n"), fault.planted(source).decode().split("\n")
    first = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    if len(after) > len(before):
        return "\n".join(after[first - 1 : first + 1]).strip()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    return after[first].strip()


def test_faults_of_python() -> None:
    source = PYTHON.encode()
    found = python_faults("x.py", source)
    assert {_lines(source, fault) for fault in found} == PLANTED
    assert len(found) == len(PLANTED)


def test_faults_of_other_languages() -> None:
    source = CPP.encode()
    found = [_lines(source, fault).split("  //")[0] for fault in text_faults("x.cpp", source)]
    assert {*found} == CHANGED
    assert len(found) == len(CHANGED)


def test_faults_are_told_by_line() -> None:
    source = PYTHON.encode()
    told = {fault.told(source) for fault in python_faults("x.py", source)}
    assert "x.py:6 (arithmetic)\n    - values.append(value + 1)\n    + values.append(value - 1)" in told
    assert "x.py:6 (one turn)\n    - values.append(value + 1)\n    + values.append(value + 1) ⏎ break" in told


@pytest.mark.parametrize("name", rooms())
def test_every_room_has_files_faults_and_tests(name: str) -> None:
    room = rooms()[name]
    files = files_of(room, mutants.TOP)
    assert files and all((mutants.TOP / each).exists() for each in room.tests)
    assert mutants.faults_in(files[-1], (mutants.TOP / files[-1]).read_bytes()) or len(files) > 1


def test_a_run_tells_what_lived_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top = tmp_path / "project"
    (top / "src").mkdir(parents=True)
    (top / "tests").mkdir()
    code = "def larger(a, b):\n    return a if a > b else b\n\n\ndef ends(a):\n    while a:\n        a -= 1\n"
    (top / "src" / "x.py").write_text(code)
    (top / "tests" / "test_x.py").write_text(
        "import x\n\n\ndef test_x():\n    assert x.larger(1, 2) == 2 and x.larger(3, 2) == 3\n    x.ends(2)\n"
    )
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.setattr(mutants, "TOP", top)
    monkeypatch.setattr(mutants, "rooms", lambda: {"x": Room(("src/*.py",), ("tests",))})
    monkeypatch.setattr(mutants, "SLOWEST", (4.0, 1.0))
    monkeypatch.setattr(sys, "argv", ["mutants", "x", "99", "1"])
    mutants.main()
    said = capsys.readouterr().out
    assert "lived    src/x.py:2 (comparison)\n    - return a if a > b else b\n    + return a if a >= b else b\n" in said
    assert "caught   src/x.py:2 (comparison)\n    - return a if a > b else b\n    + return a if a <= b else b\n" in said
    assert "+ pass\n    does not end" in said  # a step left out of the loop
    assert said.splitlines()[-1] == "x, seed 1: 3 of 5 caught (60%), 2 lived, 0 left out"
    assert (top / "src" / "x.py").read_text() == code
