"""The tables that models are fitted to: those of a folder, large ones thinned, and two made here with every kind of column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# A table of more is thinned to every n-th row.
MOST_ROWS, MOST_CELLS = 900, 9_000
# Every table answers for so many of its rows with holes and levels that no training row has.
TORN_ROWS = 150


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with their target."""

    name: str
    X: pd.DataFrame
    y: pd.Series

    @property
    def classes(self) -> int:
        """How many classes occur; 0 where the target is a number."""
        return 0 if self.y.dtype.kind in "if" else int(self.y.nunique())

    @property
    def weights(self) -> NDArray[np.float64]:
        """Uneven weights, some of them 0."""
        return np.resize([1.0, 2.0, 0.5, 1.0, 0.0, 1.25, 3.0], len(self.y))

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The numeric columns as a plain array; without any, the positions of levels."""
        numeric = self.X.select_dtypes("number")
        if numeric.shape[1] == 0:
            numeric = self.X.apply(lambda column: pd.Series(pd.factorize(column)[0], column.index))
        return numeric.to_numpy(np.float64)

    @cached_property
    def torn(self) -> pd.DataFrame:
        """The first rows, every 7th cell missing and every 11th nominal cell of a level that is new."""
        X = self.X.head(TORN_ROWS).copy()
        places = np.arange(len(X))
        for j, name in enumerate(X.columns):
            if isinstance(X[name].dtype, pd.CategoricalDtype):
                X[name] = X[name].cat.add_categories(["(new)"])
                X.loc[X.index[(places + j) % 11 == 0], name] = "(new)"
            elif X[name].dtype.kind in "iu":
                X[name] = X[name].astype(np.float64)
            if X[name].dtype.kind != "b":
                X.loc[X.index[(places + 2 * j) % 7 == 0], name] = None
        return X

    def rows(self, chosen: Any) -> Table:
        """Some of the rows."""
        return replace(self, X=self.X[chosen].reset_index(drop=True), y=self.y[chosen].reset_index(drop=True))


@lru_cache(maxsize=16)
def thinned(table: Table, slow: int = 1) -> Table:
    """Every n-th row, so that there are no more rows and cells than are wanted, and fewer for slow learners."""
    n, columns = table.X.shape
    step = max(-(-n // MOST_ROWS), -(-n * columns * slow // MOST_CELLS))
    return table if step <= 1 else table.rows(np.arange(n) % step == 0)


def read(path: Path) -> Table:
    """A table of the folder without the rows that have no target, which is the last column."""
    frame = pd.read_parquet(path)
    y = frame.pop(frame.columns[-1])
    return Table(path.stem, X=frame, y=y).rows(y.notna().to_numpy())


def made(numbers: bool) -> Table:
    """A table with every kind of column, missing cells and awkward names and levels."""
    rng, n = np.random.default_rng(7), 240
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(np.float64),
            "town \u2028'\"{,": rng.choice(["Bonn", "Jena ", "Köln\n", '"'], n),
            "size": pd.Categorical.from_codes(rng.integers(0, 3, n), ["S", "M", "L"], ordered=True),
            "since": pd.to_datetime(rng.integers(0, 10**9, n), unit="s").astype("datetime64[us]"),
            "wait": pd.to_timedelta(rng.integers(0, 10**6, n), unit="s").astype("timedelta64[us]"),
            "member": rng.random(n) < 0.5,
            "single": rng.normal(size=n).astype(np.float32),
            "count": rng.integers(-5, 5, n),
        }
    )
    old, late = X["age"] > 50, X["since"] > pd.Timestamp("1990-01-01")
    noise = rng.random(n) < 0.1
    X.loc[rng.random(n) < 0.15, "age"] = np.nan
    X.loc[rng.random(n) < 0.15, X.columns[1]] = None
    X.loc[rng.random(n) < 0.15, "since"] = pd.NaT
    if numbers:
        return Table("(made) numbers", X, 3.0 * old + X["single"] * late + noise + X["count"].clip(lower=0))
    words = pd.Series(np.where(old ^ noise, "old", np.where(late, "late", "früh")), name="what")
    return Table("(made) classes", X, words)


def tables(folder: Path) -> Iterator[Table]:
    """The two made here, then every table of the folder by name, whole: thinning is left to who fits."""
    yield made(numbers=False)
    yield made(numbers=True)
    for path in sorted(folder.glob("*.parquet")):
        yield read(path)
