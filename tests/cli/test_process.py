"""The command as a process: what it loads, pipes, readers that go away, interrupts, terminals."""

from __future__ import annotations

import gzip
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import SOURCE, child
from treewright.cli import main
from treewright.cli.options import parser


def test_version_loads_next_to_nothing() -> None:
    done = child("--version")
    assert (done.returncode, done.stdout) == (0, f"treewright {tw.__version__}\n")
    heavy = {"numpy", "pyarrow", "sklearn", "treewright._core"}
    code = f"import sys; from treewright.cli import main; main(['--version']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_names_every_command_and_the_exit_codes() -> None:
    done = child("--help")
    assert done.returncode == 0
    for name in ("fit", "show", "rules", "eval", "explain", "describe", "demo"):
        assert f"\n    {name} " in done.stdout
        assert child(name, "--help").returncode == 0
    assert "exit codes: 0 done" in done.stdout
    assert "141 output pipe closed" in done.stdout
    assert parser().prog == "treewright"


def test_standard_input_and_pipes(tennis: Path) -> None:
    contents = tennis.read_bytes()
    for given in (contents, gzip.compress(contents)):
        done = subprocess.run(
            [sys.executable, "-m", "treewright", "rules", "-", "--target", "play", "--algo", "id3", "-q"],
            input=given,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
            check=True,
        )
        assert done.stdout.decode().splitlines()[0] == "if outlook = overcast then play = yes  (4 rows, 100% right)"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((5000, 3)), columns=list("abc")).assign(y=rng.integers(0, 2, 5000))
    frame.to_csv(tmp_path / "big.csv", index=False)
    writer = subprocess.Popen(
        [sys.executable, "-m", "treewright", "rules", str(tmp_path / "big.csv"), "--target", "y", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert writer.stdout is not None and writer.stderr is not None
    writer.stdout.close()  # before anything is written
    err = writer.stderr.read()
    writer.stderr.close()
    assert writer.wait(60) == 141
    assert err == b""


def test_output_without_a_buffer_is_not_cut_in_silence(tmp_path: Path) -> None:
    """Where a file may not grow, a raw write stops half way: the command must say so, not end well."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((3000, 3)), columns=list("abc")).assign(y=rng.integers(0, 2, 3000))
    frame.to_csv(tmp_path / "big.csv", index=False)
    command = f"ulimit -f 20; {sys.executable} -m treewright rules {tmp_path}/big.csv --target y --full -q > {tmp_path}/rules.txt"
    env = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: File too large")


def test_t8_interrupt(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((400_000, 8))
    pd.DataFrame(X, columns=[f"c{j}" for j in range(8)]).assign(y=rng.random(400_000)).to_parquet(tmp_path / "big.parquet")
    runner = subprocess.Popen(
        [sys.executable, "-m", "treewright", "fit", "big.parquet", "--target", "y", "-o", "out.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert runner.stderr is not None
    line = runner.stderr.readline()  # the columns are described before the tree grows
    assert "400000 rows × 9 columns" in line
    time.sleep(0.5)
    runner.send_signal(signal.SIGINT)
    _, err = runner.communicate(timeout=60)
    assert runner.returncode == 130
    assert "nothing written" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["big.parquet"]


def test_an_interrupt_inside_an_import_ends_with_the_exit_code_too(tmp_path: Path) -> None:
    """Text that is executed (as that of a dataclass) and interrupted marks the interpreter to die by the signal at its end."""
    code = "import treewright.cli as cli; from treewright.cli import say\n"
    code += "say.open_streams = lambda: exec('raise KeyboardInterrupt')\ncli.process()\n"
    (tmp_path / "interrupted.py").write_text(code)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, cwd=tmp_path, timeout=60)
    assert done.returncode == 130
    assert done.stderr.endswith("nothing written\n")


def on_terminal(argv: list[str], folder: Path, **environment: str) -> str:
    """What the command writes to a terminal of 70 columns."""
    leader, follower = pty.openpty()
    settings = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    done = subprocess.Popen(
        [sys.executable, "-m", "treewright", *argv],
        stdout=follower,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**settings, "PYTHONPATH": SOURCE, "TERM": "xterm", "COLUMNS": "70", "PYTHONIOENCODING": "utf-8", **environment},
    )
    os.close(follower)
    out = b""
    while True:
        try:
            piece = os.read(leader, 65_536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(leader)
    done.communicate(timeout=60)
    assert done.returncode == 0
    return out.decode()


def test_colours_only_where_they_are_wanted(tennis: Path) -> None:
    argv = ["fit", "tennis.csv", "--target", "play"]
    coloured = on_terminal(argv, tennis.parent)
    assert "\x1b[38;5;" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert max(map(len, plain.splitlines())) <= 70
    assert "\x1b" not in on_terminal([*argv, "--no-color"], tennis.parent)
    assert "\x1b" not in on_terminal(argv, tennis.parent, NO_COLOR="1")
    assert "\x1b" not in on_terminal(argv, tennis.parent, TERM="dumb")
    assert "\x1b" not in child(*argv, cwd=tennis.parent).stdout


def test_terminals_without_unicode_get_ascii(tennis: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "treewright", "fit", "tennis.csv", "--target", "play"],
        capture_output=True,
        cwd=tennis.parent,
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"|- " in done.stdout
    assert done.stdout.isascii()


def test_export_writes_nothing_but_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import duckdb

    path = tmp_path / "iris.csv"
    iris = tw.datasets.load_iris()
    iris.frame().to_csv(path, index=False)
    common = ["export", str(path), "--target", "species", "--full", "--to"]
    assert main([*common, "sql", "--dialect", "duckdb", "--table", "flowers", "--keep", "petal width (cm)"]) == 0
    query = capsys.readouterr().out
    with duckdb.connect() as db:
        db.register("flowers", iris.X)
        said = db.execute(query).fetchall()
    expected = tw.CARTClassifier().fit(iris.X, iris.y).predict(iris.X).tolist()
    assert sorted(row[1] for row in said) == sorted(expected)
    assert main([*common, "c", "--name", "flower", "-o", str(tmp_path / "flower.c")]) == 0
    assert "flower_predict" in (tmp_path / "flower.c").read_text(encoding="ascii")
    assert main([*common, "onnx", "-o", str(tmp_path / "flower.onnx")]) == 0
    assert (tmp_path / "flower.onnx").stat().st_size > 500
    capsys.readouterr()
    assert main([*common, "sql", "--dialect", "dukdb"]) == 2
    assert "did you mean 'duckdb'?" in capsys.readouterr().err


def test_streams_that_are_closed(tennis: Path) -> None:
    """``>&-`` and ``2>&-``: what is asked for is done, and the exit code says what could not be said."""
    command = f"{sys.executable} -m treewright fit tennis.csv --target play"
    environment = {**os.environ, "PYTHONPATH": SOURCE}

    def shell(rest: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", f"{command} {rest}"], capture_output=True, text=True, timeout=60, env=environment)

    done = shell(">&-")
    assert (done.returncode, done.stderr) == (141, "")
    assert shell("-o m.json -q >&-").returncode == 141
    assert tw.load("m.json").tree_.n_nodes > 1
    done = shell("2>&-")
    assert done.returncode == 0
    assert "training errors" in done.stdout
    assert shell("--max-depth x >&- 2>&-").returncode == 2
