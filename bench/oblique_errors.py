"""Ten-fold errors of oblique, omnivariate and soft trees beside those of other programs: `python -m bench.oblique_errors --help`.

Numeric columns only, missing cells the mean of the training part; fold k tests the rows whose position is k modulo 10. What is
drawn at random is drawn with several seeds. Of every pair the mean over the tables is compared: a difference within one paired
standard error (of the differences over the tables) is none. The programs' figures were measured once, on the same folds, with
one seed each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.workloads import Array

_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
TABLES = (
    "iris", "glass", "breast-w", "diabetes", "ionosphere", "vowel", "wdbc", "diag", "circle", "sphere5", "waveform-5000",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """An estimator of ours, and the program that does the same.

    Attributes
    ----------
    make : callable
        The estimator with a seed.
    peer : str
        The program.
    errors : sequence of float or None
        Its errors in %, in the order of the tables.
    leaves : sequence of float or None
        The mean leaves of its trees, where it tells.
    """

    make: Callable[[int], Any]
    peer: str
    errors: Sequence[float | None]
    leaves: Sequence[float | None] = ()


def _ours(name: str, **options: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        import treewright as tw

        return getattr(tw, name)(random_state=seed, **options)

    return make


_THREE = ("univariate", "linear", "quadratic")
_NONE = (None,) * 11
PAIRS: dict[str, Pair] = {
    "oc1": Pair(
        _ours("ObliqueTreeClassifier"),
        "OC1, pruned by 10 %",
        (4.67, 34.58, 5.29, 28.12, 10.26, 18.48, 5.27, 0.2, 2.5, 16.25, None),
        (3.1, 10.4, 4.9, 5.1, 3.6, 48.8, 2.5, 2.0, 13.7, 47.8, None),
    ),
    "oc1, unpruned": Pair(
        _ours("ObliqueTreeClassifier", pruned=False),
        "OC1, unpruned",
        (2.67, 26.17, 5.72, 30.47, 9.97, None, 4.57, 0.2, 1.7, 13.85, None),
        (5.3, 28.0, 15.7, 70.6, 14.0, None, 11.5, 2.0, 18.3, 103.0, None),
    ),
    "ldt": Pair(
        _ours("ObliqueTreeClassifier", method="ldt"),
        "ISELL multildt",
        (2.0, 38.79, 3.58, 23.05, 10.54, 22.73, 4.22, 1.5, 23.9, 35.8, 15.3),
        (3.0, None, 2.9, 3.6, 4.1, None, 2.5, 2.0, 9.6, None, 8.2),
    ),
    "quadratic": Pair(
        _ours("ObliqueTreeClassifier", node="quadratic"),
        "ISELL quadratic",
        (4.0, 36.92, 3.58, 24.48, None, None, None, 0.7, 2.2, 3.65, None),
    ),
    "aic": Pair(
        _ours("OmnivariateTreeClassifier", choice="aic", kinds=_THREE),
        "ISELL omnildt, AIC",
        (2.0, 39.72, 3.72, 22.27, 11.97, 20.51, 4.39, 1.3, 7.0, 29.35, None),
    ),
    "bic": Pair(
        _ours("OmnivariateTreeClassifier", choice="bic", kinds=_THREE),
        "ISELL omnildt, BIC",
        (4.0, 39.25, 3.72, 25.39, 13.11, 20.91, 4.92, 1.3, 8.8, 28.65, None),
    ),
    "f": Pair(
        _ours("OmnivariateTreeClassifier"),
        "neural-trees omnivariate",
        (4.0, None, 3.15, 23.83, 8.55, None, 2.28, 0.6, 7.4, None, None),
    ),
    "soft": Pair(
        _ours("SoftTreeClassifier"),
        "SoftTree (Irsoy)",
        (None, None, 4.01, 23.7, 8.55, None, 2.46, 0.1, 4.7, None, None),
        (None, None, 2.3, 3.3, 3.7, None, 2.2, 2.0, 10.6, None, None),
    ),
    "soft, ISELL": Pair(
        _ours("SoftTreeClassifier"),
        "ISELL softtree",
        (7.33, 39.25, 3.29, 26.82, 11.97, None, 2.64, 0.0, None, None, None),
        (2.4, 4.8, 2.2, 3.5, 3.2, None, 2.2, 2.0, None, None, None),
    ),
    # Without a program of their own.
    "oc1, spheres": Pair(_ours("ObliqueTreeClassifier", node="sphere"), "", _NONE),
    "cart-lc": Pair(_ours("ObliqueTreeClassifier", method="cart-lc"), "", _NONE),
    "quest": Pair(_ours("ObliqueTreeClassifier", method="quest"), "", _NONE),
    "quest, one column": Pair(_ours("QuestTreeClassifier"), "", _NONE),
    "fact": Pair(_ours("ObliqueTreeClassifier", method="fact"), "", _NONE),
    "lmdt": Pair(_ours("ObliqueTreeClassifier", method="lmdt"), "", _NONE),
    "soft, refined": Pair(_ours("SoftTreeClassifier", refine=True), "", _NONE),
}


def table(name: str, folder: Path = _FOLDER) -> tuple[Array, Array] | None:
    """Numbers and classes of a table; None where it is not here."""
    if name == "diag":
        X = np.random.default_rng(1).random((3000, 2))
        X = X[np.abs(X.sum(axis=1) - 1) > 0.01][:1000]
        return X, (X.sum(axis=1) > 1).astype(np.int64)
    if name == "circle":
        X = np.random.default_rng(2).uniform(-1, 1, (1000, 2))
        return X, ((X**2).sum(axis=1) < 2 / np.pi).astype(np.int64)
    if name == "sphere5":
        X = np.random.default_rng(3).standard_normal((2000, 5))
        return X, ((X**2).sum(axis=1) < 4.351460).astype(np.int64)
    path = folder / f"{name}.parquet"
    if not path.exists():
        return None
    import pandas as pd

    frame = pd.read_parquet(path)
    y = np.unique(frame.pop(frame.columns[-1]).astype(str), return_inverse=True)[1].astype(np.int64)
    return frame.select_dtypes("number").to_numpy(np.float64), y


@dataclass(frozen=True)
class Measured:
    """Errors in %, mean leaves and CPU seconds of ten fits, by seed."""

    errors: Array
    leaves: Array
    seconds: Array


def measured(make: Callable[[int], Any], X: Array, y: Array, seeds: int) -> Measured:
    """Ten folds with each seed."""
    errors, leaves, seconds = [], [], []
    for seed in range(seeds):
        wrong = size = spent = 0.0
        for k in range(10):
            test = np.arange(len(y)) % 10 == k
            mean = np.nanmean(X[~test], axis=0)
            train, judged = (np.where(np.isnan(part), mean, part) for part in (X[~test], X[test]))
            est, begin = make(seed), time.process_time()
            est.fit(train, y[~test])
            spent += time.process_time() - begin
            wrong += float(np.sum(est.predict(judged) != y[test]))
            size += est.tree_.n_leaves / 10
        errors.append(100 * wrong / len(y))
        leaves.append(size)
        seconds.append(spent)
    return Measured(np.array(errors), np.array(leaves), np.array(seconds))


def verdict(pair: Pair, found: Mapping[str, Measured]) -> str:
    """The mean difference to the program over the tables, beside its paired standard error."""
    theirs = dict(zip(TABLES, pair.errors, strict=True))
    off = np.array([found[name].errors.mean() - theirs[name] for name in found if theirs[name] is not None])
    if len(off) < 2:
        return ""
    error = off.std(ddof=1) / np.sqrt(len(off))
    said = "within" if off.mean() <= error else "BEYOND"
    return f"{pair.peer}: ours {off.mean():+.2f} in the mean of {len(off)} tables, standard error {error:.2f}: {said}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a table in Markdown and the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m bench.oblique_errors", description="Errors beside those of other programs.")
    parser.add_argument("pairs", nargs="*", metavar="NAME", help=f"which: {', '.join(PAIRS)} (default: those with a program)")
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="seeds of what is drawn at random (default 10)")
    parser.add_argument("--tables", default=",".join(TABLES), metavar="A,B", help="tables (default all)")
    parser.add_argument("--folder", type=Path, default=_FOLDER, metavar="FOLDER", help="where the tables lie")
    given = parser.parse_args(arguments)
    wanted = given.pairs or [name for name, pair in PAIRS.items() if pair.peer]
    names = given.tables.split(",")
    if unknown := [name for name in wanted if name not in PAIRS] + [name for name in names if name not in TABLES]:
        parser.error(f"{unknown[0]!r} is unknown")
    tables = {name: read for name in names if (read := table(name, given.folder)) is not None}
    print(f"| | {' | '.join(tables)} |\n|---|{'---|' * len(tables)}")
    verdicts = []
    for name in wanted:
        found = {}
        for each, (X, y) in tables.items():
            print(f"{name}: {each} ...", file=sys.stderr, flush=True)
            found[each] = measured(PAIRS[name].make, X, y, given.seeds)
        cells = [f"{one.errors.mean():.2f} ({one.leaves.mean():.1f}; {one.seconds.mean():.2f})" for one in found.values()]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        verdicts.append(verdict(PAIRS[name], found))
    print("\n" + "\n".join(filter(None, verdicts)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
