"""Errors of the command line: three lines, exit codes, files written whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import warnings
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.runs import child, run, three_lines
from treewright.cli.say import warning_lines
from treewright.cli.wording import parted
from treewright.errors import TreewrightWarning


@pytest.mark.parametrize(
    ("argv", "code", "what", "where", "remedy"),
    [
        (
            ["fit", "tennis.csv", "--target", "plays"],
            3,
            "target column 'plays' is not in tennis.csv",
            "columns: outlook",
            "--target play",
        ),
        (["fit", "tennis.csv", "--target", "zzz"], 3, "target column 'zzz'", "columns: outlook", "name one of them"),
        (["fit", "tennis.csv"], 2, "no target column is named", "columns: outlook, temp", "--target COLUMN"),
        (["fit", "nothing.csv", "--target", "a"], 3, "there is no such file", "nothing.csv", "check the path"),
        (["fit", ".", "--target", "a"], 3, "this is a directory", ".", "name one of the files"),
        (
            ["fit", "tennis.csv", "--target", "play", "--algo", "crt"],
            2,
            "algorithm 'crt' is unknown",
            "--algo",
            "did you mean 'cart'",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--max-dept", "3"],
            2,
            "cart has no option 'max_dept'",
            "--max-dept",
            "'max_depth'",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--max-depth", "x"],
            2,
            "--max-depth x is not allowed",
            "options",
            "whole number",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--criterion", "ginni"],
            2,
            "criterion 'ginni' is unknown",
            "options",
            "'gini'",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--max-depth"],
            2,
            "option --max-depth has no value",
            "treewright fit",
            "VALUE",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--missing", "fraction"],
            2,
            "is a policy",
            "fit",
            "--missing-policy fraction",
        ),
        (["rules", "tennis.csv", "--target", "play", "--simplify"], 2, "--simplify is unknown", "treewright rules", "--help"),
        (["fit", "tennis.csv", "--max-dept", "--target", "play"], 2, "--max-dept is unknown", "treewright fit", "--max-depth?"),
        (["prune", "tennis.csv", "--target", "play", "--algo", "part"], 2, "a list of rules", "--algo part", "prune one"),
        (["fit", "tennis.csv", "--target", "play", "extra"], 2, "'extra' is not understood", "treewright fit", "--help"),
        (
            ["fit", "tennis.csv", "--target", "play", "--ignore", "wnd"],
            2,
            "column 'wnd' is unknown",
            "tennis.csv",
            "did you mean 'wind'",
        ),
        (["fit", "tennis.csv", "--target", "play", "--ordered", "wind"], 2, "names no ordered levels", "--ordered", "A<B<C"),
        (
            ["fit", "tennis.csv", "--target", "play", "--encoding", "klingon"],
            2,
            "unknown encoding",
            "--encoding klingon",
            "utf-8",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--task", "numbers"],
            3,
            "target 'play' holds no numbers",
            "tennis.csv",
            "--task",
        ),
        (["fit", "bad.csv", "--target", "b"], 3, "the line has 1 cell, the first has 2", "bad.csv:3:1", "fix the line"),
        (["fit", "gaps.csv", "--target", "b", "--algo", "id3"], 3, "missing", "gaps.csv", "missing"),
        (["fit", "inf.csv", "--target", "b"], 3, "'inf' is beyond all numbers", "inf.csv:3:1", "replace it"),
        (["fit", "one.csv", "--target", "a"], 3, "there is no column besides the target", "one.csv", "columns"),
        (["fit", "none.csv", "--target", "b"], 3, "every cell of the target 'b' is missing", "none.csv", "another column"),
        (["fit", "num.csv", "--target", "b", "--algo", "id3"], 2, "id3 cannot predict a numeric target", "numbers", "cart, "),
        (["bogus"], 2, "command 'bogus' is unknown", "treewright", "--help"),
        ([], 2, "no command is named", "treewright", "--help"),
        (["describe"], 2, "required: DATA", "treewright describe", "--help"),
        (["describe", "tennis.csv", "--max-depth", "3"], 2, "'--max-depth' is not understood", "treewright describe", "--help"),
        (["describe", "tennis.csv", "--width", "3"], 2, "'3' is not a number from 20 up", "treewright describe", "--help"),
        (["describe", "tennis.csv", "-o", "tennis.csv"], 2, "the file is there already", "tennis.csv", "--force"),
        (["describe", "tennis.csv", "-o", "no/such/f.txt"], 2, "there is no such folder", "no/such", "make it first"),
        (
            ["show", "tennis.csv", "--target", "play", "--svg", "tennis.csv"],
            2,
            "the file is there already",
            "tennis.csv",
            "--force",
        ),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, list) else None,
)
def test_errors_are_three_lines(
    tennis: Path, capsys: pytest.CaptureFixture[str], argv: list[str], code: int, what: str, where: str, remedy: str
) -> None:
    Path("bad.csv").write_text("a,b\n1,2\n3\n")
    Path("gaps.csv").write_text("a,b\nx,2\n,2\ny,3\n")
    Path("inf.csv").write_text("a,b\n1,2\ninf,3\n")
    Path("one.csv").write_text("a\n1\n2\n")
    Path("none.csv").write_text("a,b\n1,\n2,\n")
    Path("num.csv").write_text("a,b\n1,2.5\n2,3.5\n")
    before = tennis.read_bytes()
    assert run(*argv) == code
    err = capsys.readouterr().err
    lines = three_lines(err[err.index("error:") :])
    assert what in lines[0]
    assert where in lines[1]
    assert remedy in lines[2]
    assert tennis.read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == sorted(
        ["tennis.csv", "bad.csv", "gaps.csv", "inf.csv", "one.csv", "none.csv", "num.csv"]
    )


def test_internal_errors_and_memory(tennis: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(error: BaseException) -> None:
        def raises(*_: object) -> None:
            raise error

        monkeypatch.setattr("treewright.cli.learn.read", raises)

    for error, code, what in [
        (RuntimeError("boom"), 1, "internal error: RuntimeError: boom"),
        (MemoryError(), 5, "there is not enough memory"),
        (PermissionError(13, "Permission denied", "tennis.csv"), 3, "Permission denied"),
    ]:
        fail(error)
        assert run("describe", "tennis.csv") == code
        assert what in three_lines(capsys.readouterr().err)[0]
    fail(KeyboardInterrupt())
    assert run("describe", "tennis.csv") == 130
    assert re.search(r"interrupted after [\d.]+ s, nothing written", capsys.readouterr().err)
    fail(RuntimeError("boom"))
    with pytest.raises(RuntimeError, match="boom"):
        run("describe", "tennis.csv", "--debug")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupt_names_what_was_written_before(
    tennis: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewright.cli.training.training_text", _interrupt)
    fit = ["fit", "tennis.csv", "--target", "play", "-o", "m\u202e.json"]
    assert run(*fit) == 130
    assert re.search(r"interrupted after [\d.]+ s, m\\u202e.json is written\n$", capsys.readouterr().err)
    # A file that was there and was not replaced is not named.
    monkeypatch.setattr("treewright.store.atomic.os.fsync", _interrupt)
    assert run(*fit, "--force") == 130
    assert capsys.readouterr().err.endswith("nothing written\n")
    monkeypatch.setattr("treewright.cli.say.open_streams", _interrupt)
    assert run("--version") == 130
    assert capsys.readouterr().err.endswith("nothing written\n")


def test_full_devices_are_named(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = ["No space left on device", "/dev/full", "make room there, or write to another place"]
    assert run("rules", "tennis.csv", "--target", "play", "-q", "-o", "/dev/full") == 3
    assert three_lines(capsys.readouterr().err) == full
    with open("/dev/full", "w") as device:
        done = child("rules", "tennis.csv", "--target", "play", "-q", capture_output=False, stdout=device, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert three_lines(done.stderr) == [full[0], "standard output", full[2]]


def test_files_are_written_whole_or_not_at_all(
    tennis: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "category" in err
    first = Path("rules.txt").read_text()
    assert first.startswith("if ")
    assert "wrote rules.txt" in err
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt", "--max-depth", "1") == 2
    assert Path("rules.txt").read_text() == first
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt", "--max-depth", "1", "--force") == 0
    second = Path("rules.txt").read_text()
    assert second != first
    assert os.stat("rules.txt").st_mode & 0o777 == 0o666 & ~_umask()

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.cli.say.os.fsync", fails)
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt", "--force") == 3
    assert Path("rules.txt").read_text() == second
    assert sorted(path.name for path in Path().iterdir()) == ["rules.txt", "tennis.csv"]


def test_outputs_are_looked_at_before_anything_is_read(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "nothing.csv", "--target", "play", "-o", "tennis.csv") == 2
    assert three_lines(capsys.readouterr().err)[0] == "the file is there already"


def test_names_of_files_and_warnings_cannot_steer_the_terminal(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "tennis.csv", "--target", "play", "-o", "a\x1b[31m.txt") == 0
    assert "wrote a\\x1b[31m.txt (" in capsys.readouterr().err
    with warning_lines():
        warnings.warn("column a\x1b[31m", TreewrightWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: column a\\x1b[31m\n"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_commands_that_are_not_there(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for argv, what, remedy in (
        (["predic"], "command 'predic' is unknown", "did you mean 'predict'?"),
        ([], "no command is named", "one of: fit, predict, show"),
        (["-q"], "the following arguments are required: COMMAND", "see treewright --help"),
    ):
        assert run(*argv) == 2
        said = three_lines(capsys.readouterr().err)
        assert said[0] == what and remedy in said[2]


def test_models_are_not_learned_anew(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    for option in (["--cv", "5"], ["--test", "tennis.csv"]):
        assert run("eval", "m.json", "tennis.csv", *option) == 2
        said = three_lines(capsys.readouterr().err)
        assert said[:2] == [f"{option[0]} learns anew, and a model is only asked", "m.json"]


@pytest.mark.parametrize("column", ["x=1", "a; b: c", "it's; so=1", "both \" and ' are=1; in: it", "long; x=1 " * 12])
def test_errors_leave_names_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str) -> None:
    path = str(tmp_path / "t.csv")
    pd.DataFrame({column: ["u", None, "v"], "y": ["a", "b", "a"]}).to_csv(path, index=False)
    assert run("fit", path, "--target", "y", "--algo", "id3", "-q") == 3
    what, where, remedy = three_lines(capsys.readouterr().err)
    assert what.startswith(f"column {column!r} has 1 missing cell")
    assert where == path
    assert "--missing-policy" in remedy


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("max_depth='x' is not allowed: it must be 3", ("--max-depth x is not allowed", "it must be 3")),
        ("the rows' sum is 3; use soft=True", ("the rows' sum is 3", "use --soft")),
        ("C4.5's a=1 is 'b=1; c'", ("C4.5's --a 1 is 'b=1; c'", "")),
        ("loss=[[0, 1], [2, 0]] must be so: else not", ("--loss [[0, 1], [2, 0]] must be so", "else not")),
        ("priors={'a; b': 1, 'c': 2} sums to 3: no", ("--priors {'a; b': 1, 'c': 2} sums to 3", "no")),
    ],
)
def test_errors_are_told_in_words_of_the_command_line(said: str, words: tuple[str, str]) -> None:
    assert parted(said) == words


def test_remedies_are_those_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text('[{"a": 1}, {"a": 2}]\n')
    assert run("describe", "a.json") == 3
    assert "write one object a line" in three_lines(capsys.readouterr().err)[2]
    (tmp_path / "t.csv").write_text("a,y\n1,p\n2,q\n")
    assert run("fit", "t.csv", "--target", "y", "--prune", "one-se") == 2
    assert three_lines(capsys.readouterr().err)[2].startswith("treewright prune t.csv --target COLUMN --rule 1se")


def test_arrow_streams_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow as pa

    monkeypatch.chdir(tmp_path)
    table = pa.table({"a": [1, 2, 3], "y": ["p", "q", "p"]})
    with pa.ipc.new_stream("s.arrow", table.schema) as stream:
        stream.write_table(table)
    (tmp_path / "one").write_bytes((tmp_path / "s.arrow").read_bytes())
    for name in ("s.arrow", "one"):
        assert run("describe", name) == 0
        assert capsys.readouterr().out.startswith(f"{name}  3 rows × 2 columns\n")
    (tmp_path / "cut.arrow").write_bytes((tmp_path / "s.arrow").read_bytes()[:150])
    assert run("describe", "cut.arrow") == 3
