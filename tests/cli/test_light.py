"""What the commands load: the core and readers of files, not scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import SOURCE, run

COMMANDS = {
    "fit": ["fit", "tennis.csv", "--target", "play"],
    "fit c45": ["fit", "tennis.csv", "--target", "play", "--algo", "c45", "--soft", "-o", "again.json"],
    "fit ripper": ["fit", "tennis.csv", "--target", "play", "--algo", "ripper"],
    "predict": ["predict", "model.json", "tennis.csv", "--proba", "--explain"],
    "show": ["show", "model.json"],
    "rules": ["rules", "model.json"],
    "export": ["export", "model.json", "--to", "c"],
    "explain": ["explain", "model.json", "tennis.csv", "--row", "2"],
    "check": ["check", "model.json"],
    "describe": ["describe", "model.json"],
    "eval": ["eval", "model.json", "tennis.csv"],
    "prune": ["prune", "tennis.csv", "--target", "play", "--cv", "3"],
    "explore": ["explore", "model.json", "tennis.csv"],
    "demo": ["demo"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_does_not_load_scikit_learn(tennis: Path, command: str) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "c45", "-o", "model.json", "-q") == 0
    code = f"import sys; from treewright.cli import main; code = main({COMMANDS[command]!r})\n"
    code += "print(code, sorted(set(sys.modules) & {'sklearn', 'joblib', 'treewright.estimators'}), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={"PYTHONPATH": SOURCE, "PATH": ""}
    )
    assert done.stderr.splitlines()[-1] == "0 []", done.stderr
