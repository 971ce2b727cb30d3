"""The workbench from the command line: it serves until it is interrupted, and takes its log up again."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from tests.cli.runs import SOURCE, run, three_lines


@pytest.fixture
def iris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_iris().frame().to_csv("iris.csv", index=False)
    return tmp_path


@contextmanager
def started(*argv: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that serves, and the address it tells."""
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", "-m", "treewright", "workbench", *argv, "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            told = ""
            while not told.endswith("}\n"):
                line = process.stdout.readline()
                assert line, process.stderr.read()
                told += line
            yield process, json.loads(told)["page"]
        finally:
            process.kill()


def ask(address: str, path: str, **asked: Any) -> dict[str, Any]:
    place, _, token = address.partition("#")
    line = http.client.HTTPConnection(place.removeprefix("http://").rstrip("/"), timeout=30)
    line.request("POST", path, json.dumps(asked), {"X-Treewright-Token": token, "Content-Type": "application/json"})
    answer = line.getresponse()
    told = json.loads(answer.read())
    line.close()
    assert answer.status == 200, told
    return dict(told)


def test_it_serves_until_it_is_interrupted_and_goes_on_where_it_was(iris: Path) -> None:
    argv = ("iris.csv", "--target", "species", "--algo", "cart", "--max-depth", "2", "--cv", "3")
    with started(*argv) as (process, page):
        state = ask(page, "/api/state")
        assert state["document"]["title"] == "Workbench: species"
        assert len(ask(page, "/api/scores")["scores"]["folds"]["by_fold"]) == 3
        ask(page, "/api/edit", version=state["version"], verb="cut", node=2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "ended; 1 edit in iris.edits.json" in err
    with started(*argv) as (process, page):
        assert len(ask(page, "/api/state")["history"]) == 2
        process.kill()
        _, err = process.communicate(timeout=30)
        assert "1 edit taken up again from iris.edits.json" in err
    with started(*argv[:3], "--algo", "c45", "--log", "other.json", "--validation", "iris.csv") as (process, page):
        assert ask(page, "/api/scores")["scores"]["validation"] is not None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 0 and "nothing was edited" in err
    assert sorted(path.name for path in iris.iterdir()) == ["iris.csv", "iris.edits.json"]


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (["--algo", "randomforest"], "learns no single tree"),
        (["--algo", "ripper"], "learns no single tree"),
        (["--port", "70000"], "--port 70000 is not allowed"),
        (["--cv", "1"], "--cv 1 folds are not possible"),
        (["--validation", "nowhere.csv"], "nowhere.csv"),
        (["--log", "iris.csv"], "iris.csv is no log of the workbench"),
    ],
)
def test_what_cannot_be_is_one_error(iris: Path, capsys: pytest.CaptureFixture[str], argv: list[str], what: str) -> None:
    assert run("workbench", "iris.csv", "--target", "species", "--no-browser", "-q", *argv) in (2, 3)
    assert what in " ".join(three_lines(capsys.readouterr().err))
