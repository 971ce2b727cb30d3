"""Rule learners on the command line: every command takes them, or says what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.cli import main

LEARNERS = {
    "ripper": tw.RipperClassifier,
    "irep": tw.IrepClassifier,
    "c45rules": tw.C45RulesClassifier,
    "part": tw.PartClassifier,
    "m5rules": tw.M5RulesRegressor,
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "town": rng.choice(["Bonn", "Jena", "Köln"], n)})
    frame.loc[::9, "age"] = np.nan
    known = frame["age"].fillna(0)
    frame.assign(y=np.where((known > 40) & (frame["town"] == "Bonn"), "yes", "no")).to_csv("classes.csv", index=False)
    frame.assign(y=np.where(known > 40, 2 * known, 300 - known + 0.5) + rng.normal(size=n)).to_csv("numbers.csv", index=False)


@pytest.mark.parametrize("algo", LEARNERS)
def test_every_command_takes_rules(algo: str, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    data = "numbers.csv" if algo == "m5rules" else "classes.csv"
    frame = pd.read_csv(data)
    options = {"random_state": 0} if algo in ("ripper", "irep", "c45rules") else {}
    est = LEARNERS[algo](**options).fit(frame[["age", "town"]], frame["y"])
    assert main(["fit", data, "--target", "y", "--algo", algo, "-o", "m.json", "-q"]) == 0
    capsys.readouterr()
    assert main(["check", "m.json", "-q"]) == 0
    capsys.readouterr()
    for command in ("show", "rules"):
        assert main([command, "m.json", "-q", "--width", "400"]) == 0
        assert capsys.readouterr().out.strip() == str(est.ruleset_)
    assert main(["rules", "m.json", "--json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(est.ruleset_.to_json())  # one shape for both
    assert len(told["rules"]) == len(est.ruleset_)
    assert told["otherwise"]["when"] == []
    assert main(["predict", "m.json", data, "-q"]) == 0
    said = capsys.readouterr().out.split()[1:]
    expected = est.predict(frame[["age", "town"]]).tolist()
    assert (said == expected) if algo != "m5rules" else np.array(said, float) == pytest.approx(expected)
    assert main(["explain", "m.json", data, "--row", "3", "-q"]) == 0
    assert "rule" in capsys.readouterr().out
    assert main(["eval", data, "--target", "y", "--algo", algo, "-q"]) == 0
    capsys.readouterr()
    assert main(["export", "m.json", "--to", "dot", "-q"]) == 2
    assert "list of rules, not a tree" in capsys.readouterr().err
    if algo == "part":
        assert main(["export", "m.json", "--to", "sql", "-q"]) == 2
        assert "name a unique column, such as --key id" in capsys.readouterr().err
        assert main(["export", "m.json", "--to", "c", "-q"]) == 0
    else:
        assert main(["export", "m.json", "--to", "sql", "-q"]) == 0
        assert capsys.readouterr().out == est.to_sql()


def test_rules_are_written_as_they_are_asked_for(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    model = tw.PartClassifier().fit(pd.read_csv("classes.csv")[["age", "town"]], pd.read_csv("classes.csv")["y"])
    model.save("m.json")
    for form, text in (("markdown", model.ruleset_.to_markdown()), ("full", model.ruleset_.to_text(full=True))):
        assert main(["rules", "m.json", "--to", form, "-q"]) == 0
        assert capsys.readouterr().out.rstrip("\n") == text


def test_a_rule_is_one_line_unless_a_terminal_is_narrow(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv("classes.csv").rename(columns={"town": "town " + "and street " * 12})
    rules = tw.RipperClassifier(random_state=0).fit(frame.drop(columns="y"), frame["y"]).ruleset_
    rules.save("m.json")
    assert main(["rules", "m.json", "-q"]) == 0
    assert rules.parse(capsys.readouterr().out.rstrip("\n")) == rules
    assert main(["rules", "m.json", "-q", "--width", "60"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60
