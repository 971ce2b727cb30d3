"""Group P, model files: whatever is in them, one ModelFormatError or a sound model; never a crash, a hang, or anything run."""

from __future__ import annotations

import copy
import gzip
import io
import json
import os
import pickle
import resource
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.store.models import table
from treewright.store.document import document_bytes
from treewright.store.files import read_model
from treewright.store.kinds import to_section

SOURCE = str(Path(tw.__file__).resolve().parents[1])
ROOT = str(Path(__file__).resolve().parents[2])


def child(argv: list[str], limit: int = 2 << 30, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([SOURCE, ROOT]), **environment},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )


def attack(way: str, which: int) -> tuple[int, int]:
    done = child([str(Path(__file__).with_name("attack.py")), way, str(which)])
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2000:]}"
    word, tried, taken = done.stdout.split()
    assert word == "survived"
    return int(tried), int(taken)


@pytest.mark.parametrize("which", [0, 2])
def test_P1_every_byte_changed(which: int) -> None:
    tried, taken = attack("bytes", which)
    assert tried > 15_000
    assert 0 < taken < tried / 10  # a digit that became another digit; otherwise nothing was repaired


def test_P2_cut_at_every_length_and_followed_by_more() -> None:
    assert attack("cut", 1)[0] > 3000


def test_P1_P2_pickles_with_every_byte_changed_and_cut() -> None:
    assert attack("pickles", 0)[0] > 5000


def test_P3_P4_every_kind_of_model_with_its_structure_changed() -> None:
    done = child([str(Path(__file__).with_name("mutations.py")), "60", "0"])
    assert done.returncode == 0, f"ended with {done.returncode} after {done.stdout}: {done.stderr[-2000:]}"
    counts = [line.split()[-2:] for line in done.stdout.splitlines()]
    assert len(counts) == 37
    assert all(0 < int(taken) < int(tried) / 2 for tried, taken in counts)


# -- P3, P4: single entries -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def section() -> dict[str, Any]:
    X = table(120)
    y = np.where(X["age"].fillna(0) > 50, "old", np.where(X.iloc[:, 1] == "Bonn", "Bonn", "none"))
    tree = tw.CARTClassifier(max_depth=4).fit(X, y).tree_
    plain = json.loads(document_bytes(to_section("tree", tree)))["model"]
    columns = plain["columns"]
    assert columns["first_child"][:3].count(0) <= 1 and len(columns["level"]) > 1
    return plain


def load(section: dict[str, Any]) -> Any:
    return read_model(io.BytesIO(document_bytes(section)), "m.json")


def changed(section: dict[str, Any], path: str, to: Any) -> dict[str, Any]:
    """The section with one entry changed, which is named like columns.weight.0."""
    keys = [int(key) if key.isdigit() else key for key in path.split(".")]
    out = copy.deepcopy(section)
    at: Any = out
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = to
    return out


def refused(section: dict[str, Any], told: str) -> None:
    with pytest.raises(tw.ModelFormatError) as error:
        load(section)
    assert "m.json is not a valid model: tree: " in str(error.value)
    assert told in str(error.value), str(error.value)


@pytest.mark.parametrize("path", ["params.min_samples_split", "learned.tree_.models.k", "learned.tree_.models.band"])
def test_P3_whole_numbers_beyond_all_floats(path: str) -> None:
    X = table(60)
    est = tw.M5Regressor().fit(X, X["age"].fillna(50))
    plain = json.loads(document_bytes(to_section("estimator", est._fitted())))["model"]
    keys = path.split(".")
    holder = plain
    for key in keys[:-1]:
        holder = holder[key]
    assert keys[-1] in holder, sorted(holder)
    holder[keys[-1]] = 10**400
    if path == "params.min_samples_split":  # a limit that nothing reaches
        assert load(plain).predict(X).tolist() == est.predict(X).tolist()
        return
    with pytest.raises(tw.ModelFormatError, match=keys[-1]):
        load(plain)


@pytest.mark.parametrize(("lower", "upper"), [("-inf", 1e308), (-1e308, "inf"), (-1.7e308, 1e308)])
def test_P3_soft_thresholds_that_reach_beyond_all_numbers(lower: Any, upper: Any) -> None:
    X = pd.DataFrame({"a": [1e308, 1.0] * 20})
    plain = json.loads(document_bytes(to_section("estimator", tw.C45Classifier(soft=True).fit(X, ["p", "q"] * 20)._fitted())))[
        "model"
    ]
    soft = plain["learned"]["soft_thresholds_"]
    soft["lower"], soft["cut"], soft["upper"] = [lower], [1e308 if upper == 1e308 else 0.0], [upper]
    with pytest.raises(tw.ModelFormatError, match="further away than numbers reach"):
        load(plain)


@pytest.mark.parametrize("child", [-1, 0, 1, 2, 9, 2**31 - 1, 2**31, 2**32, 2**62, 2**63, 2**64, 1.5, "2", None, True, [3], {}])
def test_P3_children_that_are_not_there(section: dict[str, Any], child: Any) -> None:
    """-1, itself, its parent, the root, beyond the end, no number at all; two parents, no parent and cycles come of it too."""
    inner = [i for i, first in enumerate(section["columns"]["first_child"]) if first]
    for node in (inner[1], inner[-1]):
        if child != section["columns"]["first_child"][node]:
            refused(changed(section, f"columns.first_child.{node}", child), "")
    n = section["n_nodes"]
    refused(changed(section, f"columns.first_child.{inner[1]}", n), "not there")
    refused(changed(section, f"columns.first_child.{inner[1]}", inner[1]), f"node {inner[1]}")
    refused(changed(section, f"columns.first_child.{inner[-1]}", 1), f"node {inner[-1]}")


def test_P3_the_node_is_named(section: dict[str, Any]) -> None:
    weight = section["columns"]["weight"]
    refused(changed(section, "columns.weight.3", -1), "node 3: its weight")
    refused(changed(section, "columns.weight", weight[:-1]), f"weight: {len(weight) - 1} entries instead of {len(weight)}")
    refused(changed(section, "n_nodes", 2**62), "first_child")


@pytest.mark.parametrize("value", [-2, 6, 2**31, 2**31 - 1, 2**40, 0.5, "x", None])
def test_P4_columns_that_are_not_there(section: dict[str, Any], value: Any) -> None:
    refused(changed(section, "columns.column.splits.0", value), "")


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("columns.level.0", 9), ("columns.level_branch.0", 2), ("columns.level_count.leaves", 1),
        ("columns.level_count.splits", 2**31), ("columns.cut_count.leaves", 2**32 - 1), ("columns.cut_at.0", None),
        ("columns.class_id.0", 3), ("columns.class_count", 0), ("columns.class_count", 2**32 - 1), ("columns.class_weight.0", 0),
        ("columns.class_weight.0", "inf"), ("columns.label.0", 3), ("columns.label", -1), ("columns.family.splits", 200),
        ("columns.n_children.splits", 2**32 - 1), ("columns.n_children.splits", 1), ("columns.step.splits.0", -1),
        ("columns.impurity.splits.0", None), ("columns.gain", "inf"), ("columns.first_child", []), ("columns.weight", {}),
        ("columns.column_kind.0", 1), ("columns.column_levels.1", 9), ("columns.column_seen", []), ("columns.strict", 2),
        ("columns.missing_to.splits", 2), ("columns.otherwise", -7), ("columns.weighed_gain", [1.0]), ("columns.new", [1]),
        ("target.classes", []), ("target.classes", ["a", "b"]), ("target.classes", ["a", "a", "b"]), ("target.classes", None),
        ("target.name", 5), ("target.name", "\ud800"), ("table.names.0", "size"), ("table.names", []), ("table.kinds.0", "text"),
        ("table.kinds.0", "nominal"), ("table.levels.1", None), ("table.levels.1.0", ["x"]), ("table.levels.1.0", ["dict"]),
        ("table.levels.0", ["a"]), ("table.known.1", [9]), ("table.known.1", [1, 0]), ("table.known.1", [-1]),
        ("table.missing", "guess"), ("table.unseen", None), ("table.named", 1), ("table", None), ("kind", "estimator"),
        ("more", 1),
    ],
    ids=str,
)  # fmt: skip
def test_P4_entries_that_do_not_fit(section: dict[str, Any], path: str, to: Any) -> None:
    with pytest.raises(tw.ModelFormatError, match=r"m\.json is not a valid model"):
        load(changed(section, path, to))


def test_P4_entries_that_are_gone(section: dict[str, Any]) -> None:
    for part in ((), ("columns",), ("table",), ("target",)):
        holder: Any = section
        for key in part:
            holder = holder[key]
        for name in holder:
            without = copy.deepcopy(section)
            inner: Any = without
            for key in part:
                inner = inner[key]
            del inner[name]
            if (*part, name) == ("target", "classes"):
                continue
            with pytest.raises(tw.ModelFormatError):
                load(without)


def test_P4_thresholds_of_ordered_columns_and_durations_are_values_of_them() -> None:
    X = table(120)
    for column, target in (("size", X["size"] == "L"), ("wait", X["wait"] > X["wait"].median())):
        plain = json.loads(document_bytes(to_section("tree", tw.CARTClassifier().fit(X[[column]], target).tree_)))["model"]
        for at in (-5.0, 1e300) if column == "size" else (1e300, -1e300):
            bad = changed(plain, "columns.cut_at.0", at)
            bad = changed(changed(bad, "columns.cut_below.0", at), "columns.cut_above.0", at)
            refused(bad, f"is no value of column '{column}'")


def test_estimators_are_checked_as_well() -> None:
    est = tw.C45Classifier(soft=True, min_samples_leaf=1, confidence=1.0).fit(
        np.arange(12.0)[:, None], [0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1]
    )
    plain = json.loads(document_bytes(to_section("estimator", est._fitted())))["model"]
    assert load(plain).soft_thresholds_ == est.soft_thresholds_ != {}
    learned = plain["learned"]
    for path, to in [
        ("class", "Tree"), ("class", "os.system"), ("class", "distil"),
        ("class", "TreeNeighborsClassifier"), ("class", 5), ("params.nothing", 1), ("params.soft", ["beside", 0]),
        ("params", []), ("learned.n_features_in_.value", 2), ("learned.n_features_in_.value", "1"), ("learned.__class__", {}),
        ("learned.classes_.value", 3), ("learned.tree_", learned["classes_"]), ("learned.tree_.kind", "estimator"),
        ("learned.soft_thresholds_.node.0", 99), ("learned.soft_thresholds_.node.0", 1), ("learned.soft_thresholds_.cut.0", 9),
        ("learned.soft_thresholds_.lower.0", 9), ("learned.soft_thresholds_.column.0", "x9"), ("learned.tree_", None),
        ("params.ties", {"recipe": {"name": "x"}, "more": 1}), ("params.ties", {"recipe": {"name": 5}}),
        ("learned.classes_.value.1", "|V8"), ("learned.classes_.value.1", "nonsense"), ("learned.classes_.value.2", [9]),
    ]:  # fmt: skip
        with pytest.raises(tw.ModelFormatError):
            load(changed(plain, path, to))
    for name in ("tree_", "classes_", "n_features_in_", "soft_thresholds_"):
        without = copy.deepcopy(plain)
        del without["learned"][name]
        with pytest.raises(tw.ModelFormatError):
            load(without)


# -- P6: texts that ask for more than they have ----------------------------------------------------------------------------

BOMBS = """
import resource, sys, os, io, gzip
import treewright as tw
from treewright.store.files import read_model
import treewright.learn.stored, treewright.store.trees, treewright.store.binary
head = b'{\\n"format": "treewright-model",\\n"version": 1,\\n"checksum": "sha256:' + b"0" * 64 + b'",\\n'
good = '{"kind":"tree","table":{"names":["a"],"kinds":["number"],"levels":[null],"known":[null],"named":false,'
good += '"unseen":"missing","missing":"learned"},'
good += '"target":{"name":"t","classes":null},"n_nodes":%s,"columns":{"first_child":%s,"value":%s}}'
def doc(model): return b'{"format":"treewright-model","version":1,"checksum":"","model":' + model + b'}'
bombs = {
    "nested": lambda: b'{"a":' + b"[" * 10**6,
    "nested objects": lambda: b'{"a":' * 10**6,
    "keys": lambda: b'{' + b'"a":1,' * 10**7,
    "zip bomb": lambda: gzip.compress(b'{"a":"' + b"a" * 2 * 10**8),
    "declared nodes": lambda: doc((good % (2**62, "[0]", "1")).encode()),
    "one split, many children": lambda: doc((good % (3, "[1,0,0]", '{"leaves":1,"splits":[4294967295]}')).encode()),
    "beyond the largest": lambda: doc((good % (1, "[0]", "[1e400]")).encode()),
    "long number": lambda: doc((good % (1, "[0]", "[" + "9" * 10**5 + "]")).encode()),
    "lone surrogate": lambda: doc((good % (1, "[0]", "1")).encode().replace(b'"t"', b'"\\\\ud800"')),
    "byte order mark": lambda: b"\\xef\\xbb\\xbf" + doc(b"{}"),
    "utf-16": lambda: doc(b"{}").decode().encode("utf-16"),
    "nan": lambda: doc((good % (1, "[0]", "NaN")).encode()),
    "long text": lambda: doc(b'"' + b"a" * 2**24 + b'"'),
    "open text": lambda: doc(b'"' + b"a" * 2**24),
    "bad checksum": lambda: head + b'"model": {}\\n}\\n',
}
for name, make in bombs.items():
    if os.fork():  # a process each, so that its growth is its own
        assert os.wait()[1] == 0, name
        continue
    content = make()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        read_model(io.BytesIO(content), "m.json", edited=name != "bad checksum")
        print(name, "taken", flush=True)
    except tw.ModelFormatError as error:
        assert len(str(error)) < 400, len(str(error))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        print(name, "refused", "in little memory" if grown < 64 else f"after {grown} MiB", sep=": ", flush=True)
    os._exit(0)
"""
NAMES = [line.split('"')[1] for line in BOMBS.splitlines() if line.startswith('    "')]


def test_P6_bombs_are_refused_in_little_memory() -> None:
    done = child(["-c", BOMBS])
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout.splitlines() == [f"{name}: refused: in little memory" for name in NAMES]


# -- P7: things that are no model files -------------------------------------------------------------------------------------


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("trapped",)


def test_P7_pickles_archives_and_pages_are_refused_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for protocol in range(6):
        Path("m.json").write_bytes(pickle.dumps(Trap(), protocol))
        with pytest.raises(tw.ModelFormatError, match="not a model file of treewright"):
            tw.load("m.json")
        Path("m.json").write_bytes(gzip.compress(pickle.dumps(Trap(), protocol)))
        with pytest.raises(tw.ModelFormatError, match="not a model file of treewright"):
            tw.load("m.json")
    joblib.dump([Trap()], "m.json")
    with pytest.raises(tw.ModelFormatError):
        tw.load("m.json")
    with zipfile.ZipFile("m.json", "w") as archive:
        archive.writestr("../../x", "x")
    with pytest.raises(tw.ModelFormatError, match="a ZIP archive"):
        tw.load("m.json")
    for content, told in [
        ("<html></html>", "HTML"),
        ("", "empty"),
        ("{}", "format"),
        ("[1]", "something else"),
        ("{}{}", "Extra data"),
    ]:
        Path("m.json").write_text(content)
        with pytest.raises(tw.ModelFormatError, match=told):
            tw.load("m.json")
    assert not Path("trapped").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_P7_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(5 << 30)
    os.symlink("/dev/zero", tmp_path / "link")
    for name in ("pipe", "link", "sparse", "."):
        with pytest.raises(tw.ModelFormatError):
            tw.load(tmp_path / name)
    with pytest.raises(tw.ModelFormatError, match="regular"):
        tw.load("/dev/zero")
    for name in ("https://example.org/m.json", "absent.json", "a\nb"):
        with pytest.raises(FileNotFoundError):
            tw.load(name)


def test_P7_a_link_to_a_model_is_followed(tmp_path: Path) -> None:
    est = tw.CARTClassifier().fit([[0.0], [1.0]], [0, 1])
    est.save(tmp_path / "m.json")
    os.symlink(tmp_path / "m.json", tmp_path / "link")
    assert tw.load(tmp_path / "link").tree_ == est.tree_


# -- versions, places and processes ------------------------------------------------------------------------------------------


def test_a_later_version_says_so(tmp_path: Path) -> None:
    est = tw.CARTClassifier().fit([[0.0], [1.0]], [0, 1])
    est.save(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    (tmp_path / "m.json").write_text(text.replace('"version": 1', '"version": 2'))
    with pytest.raises(tw.ModelFormatError, match="version 2, and this treewright reads up to 1"):
        tw.load(tmp_path / "m.json")


def test_edited_files_are_loaded_on_request(tmp_path: Path) -> None:
    est = tw.CARTRegressor().fit([[0.0], [1.0]], [3.0, 5.0])
    est.save(tmp_path / "m.json")
    whole = json.loads((tmp_path / "m.json").read_text())
    whole["model"]["learned"]["tree_"]["columns"]["value"][2] = 7
    (tmp_path / "m.json").write_text(json.dumps(whole, indent=2))
    with pytest.raises(tw.ModelFormatError, match="edited=True"):
        tw.load(tmp_path / "m.json")
    assert tw.load(tmp_path / "m.json", edited=True).predict([[1.0]]).tolist() == [7.0]
    whole["model"]["learned"]["tree_"]["columns"]["first_child"][0] = 9
    (tmp_path / "m.json").write_text(json.dumps(whole))
    with pytest.raises(tw.ModelFormatError, match="not there"):
        tw.load(tmp_path / "m.json", edited=True)


SAVE = """
import locale, sys, threading, numpy as np, treewright as tw
try:
    locale.setlocale(locale.LC_ALL, sys.argv[2])
except locale.Error:
    pass
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3)); X[rng.random(X.shape) < 0.1] = np.nan
est = tw.CARTRegressor(n_jobs=int(sys.argv[3])).fit(X, rng.normal(size=300) * 1234.5)
thread = threading.Thread(target=est.save, args=(sys.argv[1],)); thread.start(); thread.join()
assert tw.load(sys.argv[1]).tree_ == est.tree_
"""


def test_P10_P11_the_same_bytes_anywhere(tmp_path: Path) -> None:
    found = set()
    for name, locale, jobs in (("a.json", "C", "1"), ("ü \n'\".json", "de_DE.UTF-8", "2"), ("a.json", "", "3")):
        folder = tmp_path / "Käthe O'Neil"
        folder.mkdir(exist_ok=True)
        done = child(["-c", SAVE, str(folder / name), locale, jobs], LC_NUMERIC="de_DE.UTF-8", PYTHONHASHSEED=jobs)
        assert done.returncode == 0, done.stderr
        # The number of threads is a parameter, and stands in the file.
        found.add((folder / name).read_bytes().split(b'"learned"')[1])
    assert len(found) == 1


def test_errors_survive_pickling() -> None:
    error = tw.ModelFormatError("what", "m\x1b.json", "remedy")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.what, again.path) == (str(error), "what", "m\x1b.json")
    assert "\x1b" not in str(error)


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (tw.CARTClassifier, "max_depth", "x"),
        (tw.CARTClassifier, "keep_candidates", 3),
        (tw.CARTClassifier, "criterion", "os.system"),
        (tw.CARTClassifier, "min_gain", ["dict", ["a", 1]]),
        (tw.C45Classifier, "confidence", "x"),
        (tw.C45Classifier, "soft", "no"),
        (tw.C45Classifier, "min_samples_leaf", [1, 2]),
        (tw.RipperClassifier, "folds", "x"),
        (tw.RipperClassifier, "prune", "yes"),
        (tw.PartClassifier, "pruned", 7),
        (tw.LogisticTreeClassifier, "max_iterations", "x"),
    ],
)
def test_parameters_that_no_fit_would_take_are_refused(tmp_path: Path, make: Any, name: str, value: Any) -> None:
    """P11: the types of parameters are checked by the estimator's own checks."""
    iris = tw.datasets.load_iris()
    path = tmp_path / "m.json"
    make().fit(iris.X, iris.y).save(path)
    document = json.loads(path.read_text())
    assert tw.load(path, edited=True).get_params()[name] != value
    document["model"]["params"][name] = value
    path.write_text(json.dumps(document))
    with pytest.raises(tw.ModelFormatError):
        tw.load(path, edited=True)
