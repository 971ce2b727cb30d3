"""Whatever is saved, pickled or copied comes back the same, byte for byte when saved again."""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import enum
import io
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import joblib
import jsonschema
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treewright as tw
from tests.store.models import ESTIMATORS, fitted, numbers, table
from treewright.store import document, values

MODELS = fitted()
SCHEMA = json.loads((Path(document.__file__).parent / "schema.json").read_text())


def answers(model: Any, X: Any) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.UnseenLevelWarning)
        return [model.predict(X), model.apply(X), *([model.predict_proba(X)] if hasattr(model, "predict_proba") else [])]


def assert_same(model: Any, other: Any, X: Any) -> None:
    assert type(other) is type(model)
    mine, theirs = model.get_params(), other.get_params()
    assert mine.keys() == theirs.keys()
    for name, value in mine.items():
        assert np.array_equal(value, theirs[name]) if isinstance(value, np.ndarray) else value == theirs[name], name
    assert vars(model).keys() == vars(other).keys()
    assert other.tree_ == model.tree_
    for ours, told in zip(answers(model, X), answers(other, X), strict=True):
        assert ours.dtype == told.dtype
        assert ours.tobytes() == told.tobytes() if ours.dtype != object else ours.tolist() == told.tolist()
    for name in ("classes_", "feature_names_in_"):
        if hasattr(model, name):
            assert getattr(model, name).dtype == getattr(other, name).dtype
            assert getattr(model, name).tolist() == getattr(other, name).tolist()
    assert getattr(model, "soft_thresholds_", None) == getattr(other, "soft_thresholds_", None)


@pytest.mark.parametrize("ending", ["json", "json.gz"])
@pytest.mark.parametrize("name", MODELS)
def test_saved_and_loaded(name: str, ending: str, tmp_path: Path) -> None:
    model, X = MODELS[name]
    model.save(tmp_path / f"a.{ending}")
    other = tw.load(tmp_path / f"a.{ending}")
    assert_same(model, other, X)
    other.save(tmp_path / f"b.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a.{ending}", f"b.{ending}"]
    clone(other).fit(*numbers()) if name.endswith("plain") and "regressor" in name else clone(other)


@pytest.mark.parametrize("name", MODELS)
def test_pickled_joblibbed_and_copied(name: str) -> None:
    model, X = MODELS[name]
    held = io.BytesIO()
    joblib.dump(model, held)
    held.seek(0)
    others = [pickle.loads(pickle.dumps(model, protocol)) for protocol in (2, 5)]
    for other in [*others, joblib.load(held), copy.copy(model), copy.deepcopy(model)]:
        assert_same(model, other, X)
    assert pickle.dumps(others[0]) == pickle.dumps(pickle.loads(pickle.dumps(others[0])))


@pytest.mark.parametrize("name", MODELS)
def test_files_are_as_the_schema_says(name: str, tmp_path: Path) -> None:
    model, _ = MODELS[name]
    model.save(tmp_path / "m.json")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads((tmp_path / "m.json").read_text()), SCHEMA)
    model.tree_.save(tmp_path / "t.json")
    jsonschema.validate(json.loads((tmp_path / "t.json").read_text()), SCHEMA)
    assert tw.load(tmp_path / "t.json") == model.tree_


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_can_be_saved(name: str, tmp_path: Path) -> None:
    members = [("a", tw.TreeRegressor() if name.endswith("Regressor") else tw.TreeClassifier())]
    estimator = getattr(tw, name)(members) if name.startswith(("Stacking", "Voting")) else getattr(tw, name)()
    with pytest.raises(NotFittedError):
        estimator.save(tmp_path / "m.json")
    assert repr(pickle.loads(pickle.dumps(estimator))) == repr(estimator)
    X, y = numbers(120)
    estimator.fit(X, (y > 0).astype(int) if hasattr(estimator, "classes_") or "Classifier" in name else y)
    estimator.save(tmp_path / "m.json")
    other = tw.load(tmp_path / "m.json")
    assert type(other) is type(estimator)
    assert np.array_equal(other.predict(X), estimator.predict(X))
    jsonschema.validate(json.loads((tmp_path / "m.json").read_text()), SCHEMA)
    learned = {each for each in vars(estimator) if each.endswith("_") and not each.startswith("_")}
    assert learned == {each for each in vars(other) if each.endswith("_") and not each.startswith("_")}


def test_what_has_no_form_is_left_out_with_a_warning(tmp_path: Path) -> None:
    X, y = numbers()
    model = tw.CARTRegressor(ties=lambda names, path: names[0], random_state=np.random.RandomState(3)).fit(X, y)
    with pytest.warns(tw.TreewrightWarning) as told:
        model.save(tmp_path / "m.json")
    assert {str(each.message).partition("=")[0] for each in told} == {"ties", "random_state"}
    other = tw.load(tmp_path / "m.json")
    assert (other.ties, other.random_state) == ("first", None)
    assert np.array_equal(other.predict(X), model.predict(X))


class Mine(tw.CARTClassifier):
    """A class of a user."""

    def __init__(self) -> None:
        super().__init__()


class Colour(enum.IntEnum):
    red = 1
    blue = 2


def test_classes_of_users_are_pickled_but_not_saved(tmp_path: Path) -> None:
    model = Mine().fit([[0.0], [1.0]], [0, 1])
    model.own_thing_ = {"a": 1}
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is Mine
    assert again.own_thing_ == {"a": 1}
    assert again.predict([[1.0]]).tolist() == [1]
    with pytest.raises(TypeError, match="Mine is no class of treewright"):
        model.save(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_labels_without_a_form_are_pickled_but_not_saved(tmp_path: Path) -> None:
    y = np.array([Colour.red, Colour.blue], object)
    model = tw.CARTClassifier().fit([[0.0], [1.0]], y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict([[1.0]]).tolist() == [Colour.blue]
    with pytest.raises(TypeError, match="has no form in a model file"):
        model.save(tmp_path / "m.json")
    with pytest.raises(TypeError, match="half a character"):  # no model can hold it any more, a parameter may
        values.written("\ud800")
    assert not list(tmp_path.iterdir())


VALUES = [
    *(None, True, False, 0, -1, 2**70, 0.1, -0.0, 1e308, 5e-324, float("inf"), "", "\0\n\u2028'\"\\é", b"\0\xff"),
    *(dt.date(1, 1, 1), dt.datetime(2020, 2, 29, 1, 2, 3, 4), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.time(3, 4)),
    *(dt.timedelta(microseconds=-1), dt.timedelta.max, decimal.Decimal("1.50"), [1, [2.0, "x"]], (1, (2,)), {"a": [1], 2: None}),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_single_values(value: Any) -> None:
    form = json.loads(json.dumps(values.written(value), allow_nan=False))
    again = values.read(form)
    assert again == value
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_nan_is_a_value() -> None:
    assert np.isnan(values.read(values.written(float("nan"))))


@pytest.mark.parametrize(
    "array",
    [
        np.array([1, 2], np.uint8), np.array([[0.5, -0.0], [np.nan, np.inf]]), np.array([True]), np.array(["a", "bcd"]),
        np.array([1, "x", None], object), np.array(["2020-01-01", "NaT"], "M8[ns]"), np.array([], float), np.float32([0.1]),
    ],
    ids=str,
)  # fmt: skip
def test_arrays(array: np.ndarray) -> None:
    plain = json.loads(document._text(values.written(array), ""))
    again = values.read(plain)
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.tolist() == array.tolist() if array.dtype == object else again.tobytes() == array.tobytes()


def test_a_small_change_is_a_small_difference(tmp_path: Path) -> None:
    X, y = numbers(2000)
    lines = []
    for changed in (0.0, 0.001):
        at = int(np.argmax(X[:, 0]))
        target = y.copy()
        target[at] += changed
        tw.CARTRegressor().fit(X, target).save(tmp_path / "m.json")
        lines.append((tmp_path / "m.json").read_text().splitlines())
    differing = sum(a != b for a, b in zip(*lines, strict=True))
    assert 1 < differing < 0.1 * len(lines[0])
    assert max(map(len, lines[0])) < 20 * 26


def test_S7_the_file_states_its_size(tmp_path: Path) -> None:
    """docs/model-files.md: below 90 bytes a node as text, 40 packed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 5))
    for model, y in ((tw.CARTClassifier(), rng.integers(0, 2, 6000)), (tw.CARTRegressor(), rng.normal(size=6000))):
        tree = model.fit(X, y).tree_
        for name, most in (("m.json", 90), ("m.json.gz", 40)):
            model.save(tmp_path / name)
            assert (tmp_path / name).stat().st_size < most * tree.n_nodes


def test_many_classes_are_not_stored_densely(tmp_path: Path) -> None:
    """W7: 10,000 classes; the file is not nodes times classes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50_000, 2)), rng.integers(0, 10_000, 50_000)
    model = tw.CARTClassifier(max_leaf_nodes=100).fit(X, y)
    model.save(tmp_path / "m.json.gz")
    assert (tmp_path / "m.json.gz").stat().st_size < 3_000_000
    assert np.array_equal(tw.load(tmp_path / "m.json.gz").predict(X[:100]), model.predict(X[:100]))


def test_saving_over_a_file_keeps_the_old_one_until_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = MODELS["cart-plain"]
    path = tmp_path / "m.json"
    path.write_text("old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        model.save(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["m.json"]
    monkeypatch.undo()
    model.save(path)
    assert tw.load(path).tree_ == model.tree_


def test_frames_are_matched_by_label_after_loading(tmp_path: Path) -> None:
    model, _ = MODELS["cart-mixed"]
    model.save(tmp_path / "m.json")
    other = tw.load(tmp_path / "m.json")
    X = table()
    with pytest.raises(ValueError, match="feature names"):
        other.predict(X[X.columns[::-1]])
    X["size"] = X["size"].astype(str)
    assert other.predict(X).tolist() == model.predict(table()).tolist()
