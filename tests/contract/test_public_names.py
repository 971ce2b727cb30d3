"""Public names: each resolves, importing the package is light, and a wrong name says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import treewright as tw

SOURCE = str(Path(tw.__file__).resolve().parents[1])
HEAVY = [
    "numpy",
    "sklearn",
    "pandas",
    "pyarrow",
    "narwhals",
    "polars",
    "scipy",
    "matplotlib",
    "joblib",
    "treewright._core",
]


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


LOADED = f"import sys; print(sorted(set(sys.modules) & set({HEAVY!r})))"


@pytest.mark.parametrize("name", tw.__all__)
def test_every_name_resolves(name: str) -> None:
    assert getattr(tw, name) is not None
    assert dir(tw).count(name) == 1


def test_classes_are_what_they_are_called() -> None:
    for name in tw.__all__:
        value = getattr(tw, name)
        if isinstance(value, type):
            assert value.__name__ == name
            assert value.__module__.startswith("treewright.")
            assert value.__doc__


def test_names_of_the_design_are_there() -> None:
    assert {"ID3Classifier", "CARTClassifier", "CARTRegressor", "TreeClassifier", "TreeRegressor"} <= set(tw.__all__)
    assert {"Tree", "Node", "Rule", "RuleSet", "Recipe", "datasets", "parts", "recipes"} <= set(tw.__all__)
    assert len(set(tw.__all__)) == len(tw.__all__)
    assert {name for name in dir(tw) if not name.startswith("__")} == set(tw.__all__) - {"__version__"}


def test_version_is_that_of_the_project() -> None:
    project = Path(SOURCE).parent / "pyproject.toml"
    assert f'version = "{tw.__version__}"' in project.read_text(encoding="utf-8")


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="'treewright' has no attribute 'ID4Classifier'"):
        _ = tw.ID4Classifier
    assert not hasattr(tw, "_no_such_name")
    with pytest.raises(ImportError):
        exec("from treewright import ID4Classifier")


@pytest.mark.parametrize("package", ["datasets", "estimators", "model"])
def test_names_of_rooms_resolve(package: str) -> None:
    module = __import__(f"treewright.{package}", fromlist=["__all__"])
    assert module.__all__
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize(
    "code",
    [
        "import treewright",
        "import treewright; dir(treewright); treewright.__all__; treewright.__version__",
        "import treewright; hasattr(treewright, 'nothing')",
        "import treewright.errors",
        "import treewright; treewright.datasets.names(); treewright.recipes.ID3; treewright.parts.PLACES",
    ],
)
def test_import_is_light(code: str) -> None:
    assert run(f"{code}; {LOADED}") == "[]"


def test_the_light_test_can_fail() -> None:
    loaded = run(f"import treewright; treewright.Tree; {LOADED}")
    assert "'numpy'" in loaded
    assert "'treewright._core'" in loaded


def test_fitting_arrays_needs_no_frame_library() -> None:
    code = "import treewright as tw; tw.CARTClassifier().fit([[1.0], [2.0]], ['a', 'b']).predict([[1.0]])"
    assert run(f"{code}; import sys; print('polars' in sys.modules, 'matplotlib' in sys.modules)") == "False False"


def test_star_import_and_direct_names() -> None:
    assert run("from treewright import *; print(ID3Classifier.__name__, datasets.__name__)") == (
        "ID3Classifier treewright.datasets"
    )
