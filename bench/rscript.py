"""R as a contender: a script in a process of its own, whose seconds count, on the doubles that R works with."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.contender import Contender
from bench.workloads import Array


def has(package: str) -> bool:
    """Whether R and a package of it are there."""
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", f"library({package})"], capture_output=True, check=False).returncode == 0


def classifier(learn: str, answer: str) -> Contender:
    """Two scripts as a contender: one leaves a model in the folder, the other writes the classes it says into the file `said`."""
    folder = tempfile.mkdtemp()

    def fit(num: Array, nom: Array, y: Array) -> Any:
        np.ascontiguousarray(y, np.int32).tofile(f"{folder}/y")
        _run(learn, folder, num)
        return folder

    def predict(model: Any, num: Array, nom: Array) -> Array:
        _run(answer, folder, num)
        return np.fromfile(Path(folder) / "said", np.int32)

    return Contender(fit, predict)


def _run(script: str, folder: str, num: Array) -> None:
    """Run a script that finds the columns in the file `x` of a folder; `{folder}`, `{n}` and `{columns}` are put in."""
    np.ascontiguousarray(num.T, np.float64).tofile(f"{folder}/x")
    code = script.format(folder=folder, n=len(num), columns=num.shape[1])
    subprocess.run(["Rscript", "-"], input=code, text=True, check=True, capture_output=True)
