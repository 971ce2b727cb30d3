"""The bundled data sets: counts, levels, and the entropies the textbooks print, computed here from the frames."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from itertools import pairwise

import pandas as pd
import pytest

from treewright import datasets


def entropy(y: pd.Series) -> float:
    shares = [n / len(y) for n in y.value_counts() if n]
    return -sum(p * math.log2(p) for p in shares)


def expected_entropy(x: pd.Series, y: pd.Series) -> float:
    return sum(len(part) / len(y) * entropy(part) for _, part in y.groupby(x, observed=True))


def gain(x: pd.Series, y: pd.Series) -> float:
    return entropy(y) - expected_entropy(x, y)


def approx(value: float) -> object:
    return pytest.approx(value, abs=5e-7)


def counts(x: pd.Series, y: pd.Series) -> dict[str, tuple[int, ...]]:
    """Class counts, in declared class order, for each level that occurs."""
    return {level: tuple(int((part == c).sum()) for c in y.cat.categories) for level, part in y.groupby(x, observed=True)}


@pytest.mark.parametrize("name", datasets.names())
def test_every_loader_returns_a_whole_dataset(name: str) -> None:
    loaded = datasets.load(name)
    direct = getattr(datasets, f"load_{name}")()
    assert loaded.name == name == direct.name
    assert loaded.about
    assert len(loaded.X) == len(loaded.y) > 0
    assert loaded.y.name == loaded.target
    frame = loaded.frame()
    assert list(frame.columns) == [*loaded.X.columns, loaded.target]
    assert frame[loaded.target].equals(loaded.y)
    assert frame.equals(direct.frame())
    nominal = [column for column in frame if isinstance(frame[column].dtype, pd.CategoricalDtype)]
    assert not any(frame[column].cat.ordered for column in nominal)
    missing = {"sunny_missing": 1, "penguins": 19}
    assert frame.isna().sum().sum() == missing.get(name, 0)


@pytest.mark.parametrize(
    ("name", "rows", "columns", "classes"),
    [
        ("play_tennis", 14, 4, {"no": 5, "yes": 9}),
        ("titanic", 2201, 3, {"no": 1490, "yes": 711}),
        ("penguins", 344, 6, {"Adelie": 152, "Chinstrap": 68, "Gentoo": 124}),
        ("sunny_missing", 5, 3, {"no": 3, "yes": 2}),
        ("emails", 10, 5, {"L": 6, "S": 4}),
        ("colour_shape", 5, 2, {"yes": 3, "no": 2}),
        ("colour_shape_2", 6, 2, {"yes": 1, "no": 5}),
        ("shapes", 8, 2, {"A": 3, "B": 4, "C": 1}),
        ("patrons", 12, 2, {"yes": 6, "no": 6}),
        ("iris", 150, 4, {"setosa": 50, "versicolor": 50, "virginica": 50}),
        ("wine", 178, 13, {"class_0": 59, "class_1": 71, "class_2": 48}),
        ("breast_cancer", 569, 30, {"malignant": 212, "benign": 357}),
    ],
)
def test_counts_and_class_order(name: str, rows: int, columns: int, classes: dict[str, int]) -> None:
    loaded = datasets.load(name)
    assert loaded.X.shape == (rows, columns)
    assert list(loaded.y.cat.categories) == list(classes)
    assert loaded.y.value_counts().to_dict() == classes


def test_digits_and_diabetes() -> None:
    digits = datasets.load_digits()
    assert digits.X.shape == (1797, 64)
    assert list(digits.y.cat.categories) == [str(d) for d in range(10)]
    diabetes = datasets.load_diabetes()
    assert diabetes.X.shape == (442, 10)
    assert diabetes.y.dtype == float
    assert (diabetes.y.min(), diabetes.y.max()) == (25, 346)
    assert list(datasets.load_iris().X.columns)[2] == "petal length (cm)"


def test_play_tennis_levels() -> None:
    X = datasets.load_play_tennis().X
    assert {column: list(X[column].cat.categories) for column in X} == {
        "outlook": ["sunny", "overcast", "rain"],
        "temperature": ["hot", "mild", "cool"],
        "humidity": ["high", "normal"],
        "wind": ["weak", "strong"],
    }
    low = datasets.load("play_tennis", low=True).X["humidity"]
    assert list(low.cat.categories) == ["high", "normal", "low"]
    assert "low" not in set(low)


def test_play_tennis_entropies() -> None:
    tennis = datasets.load_play_tennis()
    X, y = tennis.X, tennis.y
    assert entropy(y) == approx(0.940286)
    assert expected_entropy(X.outlook, y) == approx(0.693536)
    assert entropy(y[X.outlook == "sunny"]) == approx(0.970951)
    assert entropy(y[X.outlook == "overcast"]) == 0
    assert entropy(y[X.outlook == "rain"]) == approx(0.970951)
    assert entropy(y[X.humidity == "high"]) == approx(0.985228)
    assert entropy(y[X.humidity == "normal"]) == approx(0.591673)
    assert expected_entropy(X.humidity, y) == approx(0.788450)
    gains = {column: gain(X[column], y) for column in X}
    assert gains == {
        "outlook": approx(0.246750),
        "temperature": approx(0.029223),
        "humidity": approx(0.151836),
        "wind": approx(0.048127),
    }


@pytest.mark.parametrize(
    ("outlook", "humidity", "temperature", "wind"),
    [("sunny", 0.970951, 0.570951, 0.019973), ("rain", 0.019973, 0.019973, 0.970951)],
)
def test_play_tennis_branches(outlook: str, humidity: float, temperature: float, wind: float) -> None:
    frame = datasets.load_play_tennis().frame()
    branch = frame[frame.outlook == outlook]
    assert gain(branch.humidity, branch.play) == approx(humidity)
    assert gain(branch.temperature, branch.play) == approx(temperature)
    assert gain(branch.wind, branch.play) == approx(wind)


def test_sunny_days_with_a_missing_cell() -> None:
    loaded = datasets.load_sunny_missing()
    X, y = loaded.X, loaded.y
    assert list(X.temperature) == ["hot", "hot", "mild", "cool", "mild"]
    assert list(X.wind) == ["weak", "strong", "weak", "weak", "strong"]
    assert list(y) == ["no", "no", "no", "yes", "yes"]
    assert list(X.humidity.isna()) == [False, False, False, True, False]
    whole = datasets.load_play_tennis().X.iloc[[0, 1, 7, 8, 10]].reset_index(drop=True)
    known = X.humidity.notna()
    assert X[known].equals(whole.drop(columns="outlook")[known])
    assert gain(X.humidity[known], y[known]) == approx(0.811278)
    filled = X.humidity.fillna("high")
    assert gain(filled, y) == approx(0.321928)


def test_email_splits() -> None:
    loaded = datasets.load_emails()
    assert {column: counts(loaded.X[column], loaded.y) for column in loaded.X} == {
        "x1": {"T": (4, 1), "F": (2, 3)},
        "x2": {"T": (3, 3), "F": (3, 1)},
        "x3": {"T": (4, 2), "F": (2, 2)},
        "x4": {"T": (3, 3), "F": (3, 1)},
        "x5": {"T": (3, 2), "F": (3, 2)},
    }
    assert all(list(loaded.X[column].cat.categories) == ["T", "F"] for column in loaded.X)
    assert expected_entropy(loaded.X.x1, loaded.y) == approx(0.846439)
    more = datasets.load_emails(x6=True)
    assert more.X.drop(columns="x6").equals(loaded.X)
    assert counts(more.X.x6, more.y) == {"T": (6, 0), "F": (0, 4)}


def test_patrons_and_type() -> None:
    loaded = datasets.load_patrons()
    X, y = loaded.X, loaded.y
    assert counts(X.patrons, y) == {"None": (0, 2), "Some": (4, 0), "Full": (2, 4)}
    assert counts(X["type"], y) == {"French": (1, 1), "Thai": (2, 2), "Burger": (2, 2), "Italian": (1, 1)}
    assert entropy(y[X.patrons == "Full"]) == approx(0.918296)
    assert expected_entropy(X.patrons, y) == approx(0.459148)
    assert gain(X.patrons, y) == approx(0.540852)
    assert gain(X["type"], y) == approx(0)


def test_colours_and_shapes() -> None:
    first = datasets.load_colour_shape()
    assert gain(first.X.color, first.y) == pytest.approx(0.41997, abs=5e-6)
    assert gain(first.X["shape"], first.y) == pytest.approx(0.17095, abs=5e-6)
    second = datasets.load_colour_shape_2()
    assert entropy(second.y) == approx(0.650022)
    assert gain(second.X.color, second.y) == approx(0.190875)
    assert gain(second.X["shape"], second.y) == approx(0.316689)
    assert list(zip(second.X.color, second.X["shape"], strict=True))[3:] == [
        ("blue", "triangle"),
        ("blue", "square"),
        ("blue", "circle"),
    ]


def test_blue_shapes_have_their_rules() -> None:
    loaded = datasets.load_shapes()
    frame = loaded.frame()
    blue = frame[frame.color == "blue"]
    assert dict(zip(blue["shape"], blue.label, strict=True)) == {"triangle": "B", "square": "A", "circle": "C"}
    assert gain(frame.color, loaded.y) > gain(frame["shape"], loaded.y)
    assert entropy(loaded.y[frame.color == "red"]) == entropy(loaded.y[frame.color == "green"]) == 0
    assert not ((frame.color == "red") & (frame["shape"] == "triangle")).any()


def squares(y: pd.Series) -> float:
    return float(((y - y.mean()) ** 2).sum())


def regression_splits(X: pd.DataFrame, y: pd.Series) -> list[tuple[float, str, float | None]]:
    """All splits of a node as (squared error left, column, threshold), best first."""
    found: list[tuple[float, str, float | None]] = []
    for column in X:
        if isinstance(X[column].dtype, pd.CategoricalDtype):
            found.append((sum(squares(part) for _, part in y.groupby(X[column], observed=True)), column, None))
            continue
        values = sorted(X[column].unique())
        for a, b in pairwise(values):
            left = X[column] <= a
            found.append((squares(y[left]) + squares(y[~left]), column, (a + b) / 2))
    return sorted(found, key=lambda split: split[0])


def test_age_job_grows_the_five_rules() -> None:
    loaded = datasets.load_age_job()
    X, y = loaded.X, loaded.y
    assert "x3" in X

    def best(node: pd.Series) -> tuple[str, float | None]:
        first, second, *_ = regression_splits(X[node], y[node])
        assert first[0] < second[0] - 1e-6, "the best split must be the only best one"
        return first[1:]

    everyone = pd.Series(True, index=X.index)
    assert best(everyone) == ("age", 38.5)
    old = X.age > 38.5
    assert best(old) == ("years_in_job", 2.5)
    assert best(~old) == ("job_type", None)
    leaves = {
        0.8: old & (X.years_in_job > 2.5),
        0.6: old & (X.years_in_job <= 2.5),
        0.4: ~old & (X.job_type == "A"),
        0.3: ~old & (X.job_type == "B"),
        0.2: ~old & (X.job_type == "C"),
    }
    assert all((y[rows] == value).all() for value, rows in leaves.items())
    assert [int(rows.sum()) for rows in leaves.values()] == [6, 4, 4, 3, 3]


def test_unknown_names_get_a_remedy() -> None:
    with pytest.raises(ValueError, match="'play_tenis' is unknown; did you mean 'play_tennis'"):
        datasets.load("play_tenis")
    with pytest.raises(ValueError, match="there are play_tennis"):
        datasets.load("zzz")


def test_import_loads_only_the_standard_library() -> None:
    code = (
        "import sys, treewright.datasets as d; d.names();"
        "print(sorted(sys.modules.keys() & {'numpy', 'pandas', 'pyarrow', 'sklearn', 'narwhals', 'polars'}))"
    )
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=paths)
    assert done.stdout.strip() == "[]"


def test_without_pandas_a_table_is_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    from treewright.datasets import dataset

    monkeypatch.setattr(dataset, "find_spec", lambda package: None)
    for name in datasets.names():
        loaded = datasets.load(name)
        assert isinstance(loaded.X, pa.Table)
        assert loaded.frame().column_names == [*loaded.X.column_names, loaded.target]
    sunny = datasets.load_sunny_missing()
    assert sunny.X["humidity"].to_pylist() == ["high", "high", "high", None, "normal"]
    assert sunny.y.dictionary.to_pylist() == ["no", "yes"]


def test_titanic_survivors_by_class_and_sex() -> None:
    """The margins of the published table (Dawson 1995)."""
    frame = datasets.load_titanic().frame()
    survived = frame["survived"] == "yes"
    assert frame["class"].value_counts().to_dict() == {"crew": 885, "third": 706, "first": 325, "second": 285}
    assert survived.groupby(frame["sex"], observed=True).sum().to_dict() == {"male": 367, "female": 344}
    assert survived.groupby(frame["age"], observed=True).sum().to_dict() == {"adult": 654, "child": 57}


def test_penguins_measurements() -> None:
    loaded = datasets.load_penguins()
    assert loaded.X.isna().sum().to_dict() == {
        "island": 0,
        "bill_length_mm": 2,
        "bill_depth_mm": 2,
        "flipper_length_mm": 2,
        "body_mass_g": 2,
        "sex": 11,
    }
    assert loaded.X["body_mass_g"].sum() == pytest.approx(1437000)
    assert loaded.X["island"].value_counts().to_dict() == {"Biscoe": 168, "Dream": 124, "Torgersen": 52}
