"""The made tables that the benchmarks run on: deterministic functions of NumPy, and their cache on disk.

`n` counts training rows; a quarter as many rows follow for the test part. Numeric cells are float32 (NaN missing),
nominal cells int16 codes (-1 missing). The order of the random draws and of the float32 sums is part of each
workload's definition: another order gives another table.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

Array = np.ndarray[Any, Any]


class NotHere(ValueError):
    """A table that is read from a file, which is not everywhere."""


@dataclass(frozen=True)
class Workload:
    """A table of training rows followed by test rows."""

    name: str
    num: Array
    nom: Array
    y: Array
    n_train: int
    levels: tuple[int, ...] = ()
    task: str = "class"

    @property
    def train(self) -> tuple[Array, Array, Array]:
        """The numeric columns, nominal columns and target of the training rows."""
        return self.num[: self.n_train], self.nom[: self.n_train], self.y[: self.n_train]

    @property
    def test(self) -> tuple[Array, Array, Array]:
        """The numeric columns, nominal columns and target of the test rows."""
        return self.num[self.n_train :], self.nom[self.n_train :], self.y[self.n_train :]


def _numeric(name: str, num: Array, y: Array, n: int, task: str = "class") -> Workload:
    return Workload(name, num, np.empty((len(y), 0), np.int16), y, n, task=task)


def _total(n: int) -> int:
    return n + n // 4


def _with_wrong_labels(y: Array, classes: int, share: float, rng: Generator) -> Array:
    """Move a share of the int32 labels to another class, chosen evenly."""
    wrong = rng.random(len(y)) < share
    y = y.copy()
    y[wrong] = (y[wrong] + rng.integers(1, classes, wrong.sum())) % classes
    return y


def _effects(rng: Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


def _first_rows(whole: Workload, name: str, n: int) -> Workload:
    """The first n training rows and the first n / 4 test rows of a numeric workload."""
    end = whole.n_train
    picked = np.r_[0:n, end : end + n // 4]
    return _numeric(name, whole.num[picked], whole.y[picked], n, whole.task)


def w1(n: int = 1_000_000) -> Workload:
    """20 continuous columns, two classes, a tenth of the labels wrong."""
    rng = default_rng(101)
    x = rng.standard_normal((_total(n), 20), dtype=np.float32)
    a, b, c, d, e, f, g, h = x.T[:8]
    score = a * b + np.sin(3 * c) + 0.7 * d**2 - 0.7 + 0.8 * e * (f > 0) + 0.5 * np.abs(g) - 0.4 + 0.3 * h
    return _numeric("W1", x, _with_wrong_labels((score > 0).astype(np.int32), 2, 0.10, rng), n)


def w1s() -> Workload:
    """100,000 rows of W1."""
    return _first_rows(load("W1"), "W1s", 100_000)


def w2(n: int = 1_000_000) -> Workload:
    """Regression after Friedman with interactions, 20 columns, unit noise."""
    rng = default_rng(202)
    rows = _total(n)
    x = rng.random((rows, 20), dtype=np.float32)
    a, b, c, d, e, f, g = x.T[:7]
    smooth = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e + 4 * f * (g > 0.5)
    y = smooth + rng.standard_normal(rows)
    return _numeric("W2", x, y.astype(np.float32), n, "reg")


def w2s() -> Workload:
    """20,000 rows of W2."""
    return _first_rows(load("W2"), "W2s", 20_000)


_LEVELS_W3 = (2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 10, 12, 15, 18, 22, 26, 32, 40, 50)


def w3(n: int = 500_000, seed: int = 303, name: str = "W3") -> Workload:
    """20 nominal columns of 2 to 50 levels, three classes, 5 % missing cells."""
    rng, fixed = default_rng(seed), default_rng(30300)
    rows = _total(n)
    nom = np.empty((rows, len(_LEVELS_W3)), np.int16)
    score = np.zeros((rows, 3), np.float32)
    for j, levels in enumerate(_LEVELS_W3):
        nom[:, j] = rng.choice(levels, size=rows, p=fixed.dirichlet(np.full(levels, 2.0)))
        effect = _effects(fixed, levels, 3)
        if j % 2 == 0:
            score += 1.2 * effect[nom[:, j]]
    for i, j in ((1, 3), (5, 9), (7, 11)):
        score += 1.5 * _effects(fixed, _LEVELS_W3[i], _LEVELS_W3[j], 3)[nom[:, i], nom[:, j]]
    score += rng.gumbel(size=score.shape).astype(np.float32)
    nom[rng.random(nom.shape) < 0.05] = -1
    y = score.argmax(axis=1).astype(np.int32)
    return Workload(name, np.empty((rows, 0), np.float32), nom, y, n, _LEVELS_W3)


def w3s() -> Workload:
    """W3 with 50,000 rows and its own seed."""
    return w3(50_000, 304, "W3s")


_LEVELS_W4 = (2, 3, 4, 5, 8, 12, 18, 26, 38, 50)


def w4(n: int = 500_000, seed: int = 404, name: str = "W4") -> Workload:
    """10 numeric and 10 nominal columns, three classes, 5 % missing cells, 5 % wrong labels."""
    rng, fixed = default_rng(seed), default_rng(40400)
    rows = _total(n)
    num = rng.standard_normal((rows, 10), dtype=np.float32)
    num[:, 8] = np.round(num[:, 8] * 10)
    num[:, 9] = np.exp(num[:, 9])
    nom = np.empty((rows, len(_LEVELS_W4)), np.int16)
    score = np.zeros((rows, 3), np.float32)
    for j, levels in enumerate(_LEVELS_W4):
        nom[:, j] = rng.choice(levels, size=rows, p=fixed.dirichlet(np.full(levels, 2.0)))
        if j % 2 == 0:
            score += _effects(fixed, levels, 3)[nom[:, j]]
    score += _effects(fixed, _LEVELS_W4[5], 3)[nom[:, 5]] * num[:, [0]]
    score += 1.5 * np.sin(2 * num[:, [1]] + np.arange(3, dtype=np.float32))
    score[:, 1] += num[:, 2] * num[:, 3]
    score[:, 2] += 1.5 * (num[:, 4] > 0.5)
    y = _with_wrong_labels(score.argmax(axis=1).astype(np.int32), 3, 0.05, rng)
    num[rng.random(num.shape) < 0.05] = np.nan
    nom[rng.random(nom.shape) < 0.05] = -1
    return Workload(name, num, nom, y, n, _LEVELS_W4)


def w4s() -> Workload:
    """W4 with 20,000 rows and its own seed."""
    return w4(20_000, 405, "W4s")


def w5(n: int = 20_000) -> Workload:
    """Wide: 500 columns of which 40 rotated ones tell ten classes of three clusters each apart."""
    rng = default_rng(505)
    rows = _total(n)
    y = rng.integers(0, 10, rows).astype(np.int32)
    centres = _effects(rng, 10, 3, 40) * 1.2
    clusters = centres[y, rng.integers(0, 3, rows)] + rng.standard_normal((rows, 40), dtype=np.float32)
    rotation = _effects(rng, 40, 40) / np.sqrt(40)
    x = rng.standard_normal((rows, 500), dtype=np.float32)
    x[:, :40] = clusters @ rotation
    return _numeric("W5", np.ascontiguousarray(x[:, rng.permutation(500)]), y, n)


_LEVELS_W6 = (2, 3, 3, 4, 5, 6, 8)


def w6(n: int = 20_000, seed: int = 606, name: str = "W6") -> Workload:
    """8 numeric and 7 nominal columns; positive where one of five conjunctions holds; 5 % wrong labels."""
    rng = default_rng(seed)
    rows = _total(n)
    x = rng.random((rows, 8), dtype=np.float32)
    nom = np.column_stack([rng.integers(0, levels, rows) for levels in _LEVELS_W6]).astype(np.int16)
    conjunctions = [
        (x[:, 0] > 0.7) & (nom[:, 0] == 1),
        (x[:, 1] < 0.3) & (x[:, 2] > 0.6) & (nom[:, 1] == 0),
        (nom[:, 3] == 2) & (nom[:, 4] == 1),
        (x[:, 3] > 0.4) & (x[:, 3] < 0.6) & (x[:, 4] > 0.5) & (nom[:, 2] != 0),
        (nom[:, 6] == 7) & (x[:, 5] < 0.5),
    ]
    positive = np.logical_or.reduce(conjunctions)
    return Workload(name, x, nom, _with_wrong_labels(positive.astype(np.int32), 2, 0.05, rng), n, _LEVELS_W6)


def w6s() -> Workload:
    """W6 with 2,000 rows and its own seed."""
    return w6(2_000, 607, "W6s")


def w7(n: int = 464_810) -> Workload:
    """Like Covertype: 10 integer-valued columns, 4 + 40 one-hot columns, seven unbalanced classes."""
    rng, fixed = default_rng(707), default_rng(70700)
    rows = _total(n)
    every = np.arange(rows)

    def normal(centre: Any, spread: float) -> Array:
        return np.asarray(centre + spread * rng.standard_normal(rows))

    def shade(centre: Any, spread: float) -> Array:
        return np.clip(np.round(normal(centre, spread)), 0, 254)

    area = rng.choice(4, size=rows, p=[0.45, 0.05, 0.44, 0.06])
    elevation = np.round(normal(np.array([2950, 3100, 2950, 2400], np.float32)[area], 200))
    x = np.zeros((rows, 54), np.float32)
    x[:, 0] = elevation
    x[:, 1] = rng.integers(0, 361, rows)
    x[:, 2] = np.round(np.abs(normal(14, 7)))
    x[:, 3] = np.round(rng.gamma(1.6, 170, rows))
    x[:, 4] = np.round(normal(x[:, 3] * 0.17, 40))
    x[:, 5] = np.round(rng.gamma(2.2, 1050, rows))
    x[:, 6] = shade(212 + 27 * np.cos(x[:, 1] * np.pi / 180), 10)
    x[:, 7] = shade(223, 20)
    x[:, 8] = shade(142, 38)
    x[:, 9] = np.round(rng.gamma(2.2, 900, rows))
    x[every, 10 + area] = 1

    height = (elevation - 2900) / 250
    soils = _effects(fixed, 4, 40) * 2
    soil_score = rng.gumbel(size=(rows, 40)).astype(np.float32)
    soil_score += soils[area]
    soil_score += np.linspace(-1, 1, 40, dtype=np.float32) * height.astype(np.float32)[:, None]
    soil = soil_score.argmax(axis=1)
    x[every, 14 + soil] = 1

    best_height = np.array([0.9, 0.0, -1.9, -2.6, -0.6, -1.8, 1.9], np.float32)
    common = np.array([1.6, 1.9, 0.6, -1.2, -0.7, 0.3, 0.0], np.float32)
    score = common - 1.3 * (height[:, None] - best_height) ** 2
    score = score + 0.9 * fixed.standard_normal((40, 7))[soil]
    score = score + 0.6 * fixed.standard_normal((4, 7))[area]
    score[:, 0] += 0.0006 * (x[:, 5] - 2300) * (x[:, 9] < 2000)
    score[:, 1] += 0.004 * (x[:, 3] - 270) * np.sign(x[:, 2] - 13)
    score[:, 4] += 1.2 * np.sin(x[:, 1] * np.pi / 90)
    score += 0.35 * rng.gumbel(size=(rows, 7))
    return _numeric("W7", x, score.argmax(axis=1).astype(np.int32), n)


def w7s() -> Workload:
    """100,000 rows of W7."""
    return _first_rows(load("W7"), "W7s", 100_000)


def w8b(n: int = 1_000) -> Workload:
    """20 binary columns, labels of a random tree of depth 4, a tenth of them wrong."""
    rng = default_rng(808)
    rows = _total(n)
    x = (rng.random((rows, 20)) < 0.5).astype(np.float32)
    tested = rng.permutation(20)[:15]
    leaf_label = rng.integers(0, 2, 16)
    node = np.zeros(rows, np.int64)
    for _ in range(4):
        node = 2 * node + 1 + (x[np.arange(rows), tested[node]] == 1)
    y = leaf_label[node - 15].astype(np.int32)
    return _numeric("W8b", x, _with_wrong_labels(y, 2, 0.10, rng), n)


def w8n(n: int = 1_500) -> Workload:
    """8 continuous columns, two classes, a tenth of the labels wrong."""
    rng = default_rng(809)
    x = _effects(rng, _total(n), 8)
    score = x[:, 0] * x[:, 1] + np.where(x[:, 2] > 0.3, x[:, 3], -x[:, 4])
    return _numeric("W8n", x, _with_wrong_labels((score > 0).astype(np.int32), 2, 0.10, rng), n)


def digits() -> Workload:
    """The digits of scikit-learn, shuffled; four fifths train."""
    return _shipped("digits")


def iris() -> Workload:
    """The iris of scikit-learn, shuffled; four fifths train."""
    return _shipped("iris")


def _shipped(name: str) -> Workload:
    from sklearn import datasets

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = default_rng(7).permutation(len(y))
    return _numeric(name, x[order].astype(np.float32), y[order].astype(np.int32), len(y) * 4 // 5)


GENERATORS: dict[str, Callable[[], Workload]] = {
    "W1": w1, "W1s": w1s, "W2": w2, "W2s": w2s, "W3": w3, "W3s": w3s, "W4": w4, "W4s": w4s, "W5": w5,
    "W6": w6, "W6s": w6s, "W7": w7, "W7s": w7s, "W8b": w8b, "W8n": w8n, "digits": digits, "iris": iris,
}  # fmt: skip


def adult() -> Workload:
    """The census table of the shared ones: 32,561 training rows, missing cells, two classes."""
    import pandas as pd

    path = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.parquet"
    if not path.exists():
        raise NotHere(f"workload 'adult' is read from {path.name}, which is not among the shared tables here")
    frame = pd.read_parquet(path)
    target = frame.pop(frame.columns[-1])
    nominal = frame.select_dtypes("category")
    levels = tuple(len(nominal[name].cat.categories) for name in nominal)
    codes = np.column_stack([nominal[name].cat.codes for name in nominal]).astype(np.int16)
    numbers = frame.drop(columns=nominal.columns).to_numpy(np.float64)
    return Workload("adult", numbers, codes, target.cat.codes.to_numpy(np.int32), 32_561, levels)


# Those that are read from a file that is not everywhere: they have no fingerprint.
READ: dict[str, Callable[[], Workload]] = {"adult": adult}

# Those that take a number of rows: `w1(400_000)` names W1 with that many.
SIZED: dict[str, Callable[[int], Workload]] = {"w1": w1, "w2": w2, "w3": w3, "w4": w4, "w5": w5, "w6": w6, "w7": w7}


def make(name: str) -> Workload:
    """Make a workload by its name, or by a call with a number of rows."""
    called = re.fullmatch(r"(w\d)\(([\d_]+)\)", name)
    if called and called[1] in SIZED:
        return SIZED[called[1]](int(called[2]))
    if name in READ:
        return READ[name]()
    from bench import optimal, relational, shape_tables  # which are made of those here

    if made := (shape_tables.TABLES | optimal.TABLES | relational.TABLES).get(name):
        return made()
    if name not in GENERATORS:
        raise ValueError(f"workload {name!r} is unknown; there are {', '.join(GENERATORS)} and calls such as w1(400_000)")
    return GENERATORS[name]()


def cache() -> Path:
    """The folder of the cache: $TW_BENCH_CACHE, or one in the system's temporary directory."""
    given = os.environ.get("TW_BENCH_CACHE")
    return Path(given) if given else Path(tempfile.gettempdir()) / "treewright-bench"


def load(name: str) -> Workload:
    """Read a workload from the cache, making it first if it is not there."""
    folder = cache() / name
    if not folder.exists():
        _store(make(name), folder)
    meta = json.loads((folder / "meta.json").read_text())
    num, nom, y = (np.load(folder / f"{part}.npy") for part in ("num", "nom", "y"))
    return Workload(name, num, nom, y, meta["n_train"], tuple(meta["levels"]), meta["task"])


def _store(workload: Workload, folder: Path) -> None:
    """Write all files aside and move them into place at once, so that nobody reads half a workload."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    for part in ("num", "nom", "y"):
        np.save(aside / f"{part}.npy", np.ascontiguousarray(getattr(workload, part)))
    meta = {"n_train": workload.n_train, "levels": workload.levels, "task": workload.task}
    (aside / "meta.json").write_text(json.dumps(meta))
    try:
        aside.rename(folder)
    except OSError:
        shutil.rmtree(aside)
        if not folder.exists():
            raise
