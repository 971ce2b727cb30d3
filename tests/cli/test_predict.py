"""`predict --keep` gives rows back as they were written, and asks for the columns a model looks at alone."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run

ROWS = b'zip;price;when;note;y\r\n01067;12,50;31.12.2024;"a ""quoted"";\r\nline";no\r\n80331;1.234,00;01.02.2024; ;yes\r\n'


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"0{1000 + i};{i % 9},5{i % 10};{i % 28 + 1:02}.12.2024;n{i % 3};{'yes' if i % 9 > 4 else 'no'}" for i in range(60)]
    Path("train.csv").write_text("\n".join(["zip;price;when;note;y", *rows]) + "\n")
    assert run("fit", "train.csv", "--target", "y", "-o", "m.json", "-q") == 0
    return tmp_path


def test_rows_come_back_byte_for_byte(written: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    capfdbinary.readouterr()
    Path("rows.csv").write_bytes(ROWS)
    assert run("predict", "m.json", "rows.csv", "--keep", "--proba", "-o", "out.csv", "-q") == 0
    lines = Path("out.csv").read_bytes()
    assert lines == (
        b"zip;price;when;note;y;predicted y;probability_no;probability_yes\r\n"
        b'01067;12,50;31.12.2024;"a ""quoted"";\r\nline";no;yes;0,0;1,0\r\n'
        b"80331;1.234,00;01.02.2024; ;yes;yes;0,0;1,0\r\n"
    )
    assert run("predict", "m.json", "rows.csv", "--keep", "--proba", "-q") == 0
    assert capfdbinary.readouterr().out == lines


def test_marks_encodings_and_packing(written: Path) -> None:
    text = ROWS.decode().replace("quoted", "Zürich").replace("\r\nline", "")
    for name, contents, back, options in [
        ("bom.csv", b"\xef\xbb\xbf" + text.encode(), "utf-8-sig", []),
        ("latin.csv", text.encode("latin-1"), "latin-1", ["--encoding", "latin-1"]),
        ("wide.csv", text.encode("utf-16"), "utf-16", []),
        ("packed.csv.gz", gzip.compress(text.encode()), "utf-8", []),
        ("no_end.csv", text.rstrip("\r\n").encode(), "utf-8", []),
    ]:
        Path(name).write_bytes(contents)
        assert run("predict", "m.json", name, "--keep", "-o", f"{name}.out", "-q", *options) == 0
        raw = contents if not name.endswith("gz") else text.encode()
        out = Path(f"{name}.out").read_bytes()
        assert out.decode(back).replace(";predicted y", "").replace(";no;yes", ";no").replace(";yes;yes", ";yes") == raw.decode(
            back
        )
        assert out[:2] == raw[:2]  # the byte-order mark


def test_a_file_without_names_gets_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("".join(f"{i % 7},00{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(70)))
    assert run("fit", "t.csv", "--target", "x2", "--no-header", "-o", "m.json", "-q") == 0
    assert run("predict", "m.json", "t.csv", "--no-header", "--keep", "-o", "out.csv", "-q") == 0
    wanted = [f"{line},{line[-1]}" for line in Path("t.csv").read_text().splitlines()]
    assert Path("out.csv").read_text().splitlines() == wanted


def test_safe_csv_guards_kept_text(written: Path) -> None:
    Path("rows.csv").write_text("zip;price;when;note;y\n01067;-3,5;31.12.2024;=1+1;no\n")
    assert run("predict", "m.json", "rows.csv", "--keep", "--safe-csv", "-o", "out.csv", "-q") == 0
    assert Path("out.csv").read_text().splitlines()[1].startswith("01067;-3,5;31.12.2024;'=1+1;no;")


def test_only_columns_that_a_model_uses_are_needed(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tw.load("m.json").tree_.needed_columns == ["price"]
    Path("price.csv").write_text("price;more\n1,0;x\n8,0;y\n")
    for command in (["predict", "m.json", "price.csv"], ["explain", "m.json", "price.csv", "--row", "2"]):
        assert run(*command, "-q") == 0
    assert capsys.readouterr().out.splitlines()[1:3] == ["no", "yes"]
    Path("other.csv").write_text("zip;when\n01067;31.12.2024\n")
    assert run("predict", "m.json", "other.csv") == 3
    assert "columns of the model are not in other.csv: ['price']" in capsys.readouterr().err


def test_strict_models_and_exports_need_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X = pd.DataFrame({"a": ["u", "v"] * 20, "b": np.arange(40.0), "c": [True, False] * 20})
    est = tw.ID3Classifier(missing="refuse", unseen="error").fit(X, np.repeat(["no", "yes"], 20))
    est.save("m.json")
    Path("b.csv").write_text("b\n3\n30\n")
    assert run("predict", "m.json", "b.csv", "-o", "out.json", "--json", "-q") == 0
    assert list(json.loads(Path("out.json").read_text()).values()) == [["no", "yes"]]
    names: dict[str, object] = {}
    exec(est.to_python(), names)
    assert names["predict"]({"b": 30.0}) == "yes"
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE rows (b)")
        db.executemany("INSERT INTO rows VALUES (?)", [(3.0,), (30.0,)])
        assert db.execute(est.to_sql("sqlite")).fetchall() == [(3.0, "no"), (30.0, "yes")]
