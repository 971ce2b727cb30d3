"""A workbench as a value of Python: its state, its log on the disk, versions, its end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from tests.workbench.screen import iris
from treewright.workbench import Workbench
from treewright.workbench.session import Session

SOURCE = str(Path(tw.__file__).resolve().parents[1])


def session(path: Any = None, **how: Any) -> Session:
    model, X, y = iris()
    return Session(model.edit(X, y, **how), (X, y), path)


def do(bench: Session, verb: str, **asked: Any) -> dict[str, Any]:
    return bench.do({"version": bench.version, "verb": verb, **asked})


def test_a_killed_server_loses_no_edit_and_no_version(tmp_path: Path) -> None:
    log = tmp_path / "iris.edits.json"
    code = (
        "import sys, time, os, signal, treewright as tw; from treewright.workbench.session import Session\n"
        "data = tw.datasets.load_iris(); model = tw.CARTClassifier(max_depth=2).fit(data.X, data.y)\n"
        "bench = Session(model.edit(data.X, data.y), (data.X, data.y), sys.argv[1])\n"
        "bench.do({'version': 0, 'verb': 'cut', 'node': 2}); bench.keep({'name': 'small'})\n"
        "bench.do({'version': 1, 'verb': 'grow', 'node': 0, 'steps': 1})\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(log)], env={**os.environ, "PYTHONPATH": SOURCE}, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGKILL
    again = session(str(log))
    assert again.resumed == 2
    assert [entry["verb"] for entry in again.edit.edits] == ["cut", "grow"]
    assert again.kept["small"].tree.n_leaves == 2
    assert again.kept["small"].scores["training"] == pytest.approx(1 / 3)
    assert [path.name for path in tmp_path.iterdir()] == ["iris.edits.json"]


def test_a_log_of_another_tree_is_refused(tmp_path: Path) -> None:
    do(session(str(tmp_path / "log.json")), "cut", node=2)
    model, X, y = iris(max_depth=3)
    with pytest.raises(ValueError, match="another table or another estimator"):
        Session(model.edit(X, y), (X, y), str(tmp_path / "log.json"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda held: held["versions"].append({"name": "x"}),
        lambda held: held["versions"].append({"name": "x", "edits": [], "scores": {}}),
        lambda held: held["versions"].append(3),
        lambda held: held["edits"].append({"verb": "cut", "path": [9], "asked": ["a"], "where": ""}),
        lambda held: held["edits"].append({"verb": "fly", "path": [], "asked": [], "where": ""}),
        lambda held: held["edits"].append({"verb": "cut"}),
    ],
)
def test_a_log_that_was_tampered_with_is_refused_and_kept(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "log.json"
    do(session(str(path)), "cut", node=2)
    held = json.loads(path.read_text())
    damage(held)
    path.write_text(json.dumps(held))
    with pytest.raises(ValueError, match=r"log\.json"):
        session(str(path))
    assert json.loads(path.read_text()) == held


def test_two_workbenches_of_one_log_do_not_write_over_each_other(tmp_path: Path) -> None:
    one, two = session(str(tmp_path / "log.json")), session(str(tmp_path / "log.json"))
    do(one, "cut", node=2)
    tree = two.edit.tree
    with pytest.raises(ValueError, match=r"log\.json was changed by another workbench"):
        do(two, "grow", node=0)
    assert two.edit.tree is tree
    do(one, "undo")
    (tmp_path / "log.json").unlink()  # by hand: it is written anew
    do(one, "redo")
    assert session(str(tmp_path / "log.json")).resumed == 1


def test_going_back_loses_nothing(tmp_path: Path) -> None:
    bench = session(str(tmp_path / "log.json"))
    do(bench, "cut", node=2)
    bench.keep({"name": "cut"})
    do(bench, "undo")
    do(bench, "split", node=2, column="sepal length (cm) <= 6")
    other = bench.edit.tree
    bench.restore({"version": bench.version, "name": "cut"})
    assert bench.edit.tree == bench.kept["cut"].tree
    bench.restore({"version": bench.version, "name": "before cut"})
    assert bench.edit.tree == other
    assert list(session(str(tmp_path / "log.json")).kept) == ["cut", "before cut"]


def test_what_cannot_be_written_is_not_kept_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = session(str(tmp_path / "log.json"))
    do(bench, "cut", node=2)
    bench.keep({"name": "cut"})
    do(bench, "undo")

    def full(path: str, contents: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.workbench.log_file.write_whole", full)
    tree, version = bench.edit.tree, bench.version
    for change in (lambda: bench.keep({"name": "x"}), lambda: bench.restore({"version": version, "name": "cut"})):
        with pytest.raises(OSError, match="No space"):
            change()
        assert bench.edit.tree is tree
        assert list(bench.kept) == ["cut"]


@pytest.mark.parametrize(
    "text", ["max_depth", "3", "max_depth=open('x')", "**{}", "a=1)+f(b=2", "max_depth=" + "(" * 300, 7, "x" * 1000]
)
def test_parameters_that_are_typed_are_plain_values(text: Any) -> None:
    bench = session()
    with pytest.raises(ValueError, match="max_depth=3, min_samples_leaf=5"):
        do(bench, "regrow", node=0, parameters=text)
    with pytest.raises(TypeError, match="no parameter 'fly'"):
        do(bench, "regrow", node=0, parameters="fly=1")
    assert bench.version == 0


def test_folds_are_told_one_by_one() -> None:
    bench = session(folds=4)
    told = bench.scores()["scores"]["folds"]
    assert len(told["by_fold"]) == 4
    assert told["error"] == pytest.approx(sum(told["by_fold"]) / 4, abs=0.01)
    assert bench.scores()["before"] is None
    do(bench, "cut", node=2)
    assert bench.scores()["before"]["folds"] == told


def test_a_workbench_opens_is_shared_with_python_and_closes() -> None:
    model, X, y = iris()
    with model.workbench(X, y, browser=False) as bench:
        assert isinstance(bench, Workbench) and bench.open
        bench.edit.cut(2)
        assert bench.session.state()["version"] == 1
        assert bench.estimator().tree_.n_leaves == 2
        assert bench.estimator().edits_ == bench.edit.log
        port = bench._server.port
        with pytest.raises(ValueError, match=rf"port={port} cannot be used"):
            model.workbench(X, y, port=port, browser=False)
    assert not bench.open
    assert "closed" in repr(bench)
    bench.close()
    with pytest.raises(OSError):
        http.client.HTTPConnection("127.0.0.1", port, timeout=2).request("GET", "/")


@pytest.mark.parametrize("port", [-1, 65536, "8000", 1.5, True, None])
def test_odd_ports_are_refused(port: Any) -> None:
    model, X, y = iris()
    with pytest.raises(ValueError, match=r"port=.*65535"):
        model.workbench(X, y, port=port, browser=False)


def test_python_ends_with_a_workbench_open() -> None:
    code = (
        "import treewright as tw; data = tw.datasets.load_iris()\n"
        "bench = tw.CARTClassifier().fit(data.X, data.y).workbench(data.X, data.y, browser=False)\n"
        "raise SystemExit(7)"
    )
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": SOURCE}, timeout=60, check=False)
    assert done.returncode == 7


def test_notebooks_show_the_page_and_nobody_else_frames_it() -> None:
    model, X, y = iris()
    with model.workbench(X, y, browser=False) as bench:

        def framers(**headers: str) -> str:
            line = http.client.HTTPConnection("127.0.0.1", bench._server.port, timeout=10)
            line.request("GET", "/", headers=headers)
            answer = line.getresponse()
            answer.read()
            line.close()
            assert answer.status == 200
            return str(answer.headers["Content-Security-Policy"]).partition("frame-ancestors ")[2]

        assert framers() == "'none'"
        html = bench._repr_html_()
        assert f'src="{bench.url}"' in html
        assert framers(**{"Sec-Fetch-Site": "cross-site"}) == "'self' http://127.0.0.1:* http://localhost:*"
    assert "<iframe" not in bench._repr_html_()


def test_a_browser_is_given_a_file_that_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    model, X, y = iris()
    with model.workbench(X, y) as bench:
        (address,) = opened
        assert bench._server.token not in address
        path = Path(address.removeprefix("file://"))
        assert bench.url in path.read_text()
        assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    assert not path.parent.exists()


def test_the_page_of_a_comparison_is_text_and_holds_both_trees() -> None:
    model, X, y = iris()
    edit = model.edit(X, y)
    edit.split(2, "sepal length (cm) <= 5.95")
    found = tw.diff(model, edit.tree, X, y)
    page = found.to_html("a <b> & c")
    assert page.startswith("<!doctype html>") and "<script" not in page
    assert "<title>a &lt;b&gt; &amp; c</title>" in page
    assert page.count("<svg") == 1 and "default-src 'none'" in page
    assert f"{found.changed:g} of 150 rows are told something else" in page
    said = model.predict(X) != edit.estimator().predict(X)
    assert [int(row) for row in said.nonzero()[0]] == list(found.which)
    assert f'<p class="grey">{", ".join(str(row + 1) for row in found.which)}</p>' in page
    bundle = found._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"}
    assert "side by side" not in bundle["text/html"].lower() and "<table>" in bundle["text/html"]
    assert "ask and say the same" in tw.diff(model, model).to_html()
