"""A fit, a prediction and a text of a small file load neither scikit-learn nor pandas: they would take longer than the work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CSV = "a,b,y\n" + "".join(f"{i % 7},{i / 8},{i % 5 + 0.5}\n" for i in range(60))
HEAVY = ("pandas", "sklearn", "scipy", "matplotlib")


@pytest.mark.parametrize("more", [(), ("--task", "numbers")])
def test_a_small_file_loads_little(more: tuple[str, ...], tmp_path: Path) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "model.json"
    data.write_text(CSV)
    for command in (
        ["fit", str(data), "--target", "y", "--output", str(model), *more],
        ["predict", str(model), str(data)],
        ["show", str(model)],
    ):
        code = f"import sys; from treewright.cli import main; code = main({command!r}); "
        code += f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stderr.splitlines()[-1] == "[]", command
