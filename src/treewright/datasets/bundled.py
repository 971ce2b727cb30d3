"""The tables that scikit-learn carries in its own package (no download), as `Dataset`s."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from treewright.datasets.dataset import Dataset, make


def load_iris() -> Dataset:
    """Return Fisher's iris: 150 flowers, four lengths in cm, target `species` (three, 50 each)."""
    return _classes("iris", "species", "Three species of iris by four lengths (R. A. Fisher 1936).")


def load_wine() -> Dataset:
    """Return the wine recognition table: 178 wines, 13 chemical measurements, target `cultivar` (three)."""
    return _classes("wine", "cultivar", "Wines of three cultivars by chemical analysis (UCI, Forina et al. 1991).")


def load_breast_cancer() -> Dataset:
    """Return Wisconsin diagnostic breast cancer: 569 tumours, 30 measurements, target `diagnosis` (two)."""
    about = "Breast tumours, malignant or benign, by shape of the cell nuclei (UCI, Wolberg et al. 1995)."
    return _classes("breast_cancer", "diagnosis", about)


def load_digits() -> Dataset:
    """Return handwritten digits: 1,797 images of 8 x 8 pixels (0 to 16), target `digit` ("0" to "9")."""
    return _classes("digits", "digit", "Handwritten digits as 8 x 8 images (UCI, Alpaydin and Kaynak 1998, test part).")


def load_diabetes() -> Dataset:
    """Return diabetes progression: 442 patients, ten standardised columns, numeric target `progression`."""
    source = _source("diabetes")
    columns = _columns(source) | {"progression": source.target}
    about = "Disease progression after one year by ten standardised measurements (Efron et al. 2004)."
    return make("diabetes", columns, {}, "progression", _shipped(about))


def _classes(name: str, target: str, about: str) -> Dataset:
    source = _source(name)
    levels = [str(level) for level in source.target_names]
    columns = _columns(source) | {target: [levels[code] for code in source.target]}
    return make(name, columns, {target: levels}, target, _shipped(about))


def _source(name: str) -> Any:
    return getattr(import_module("sklearn.datasets"), f"load_{name}")()


def _columns(source: Any) -> dict[str, Any]:
    return {str(column): source.data[:, j] for j, column in enumerate(source.feature_names)}


def _shipped(about: str) -> str:
    return f"{about} As shipped with scikit-learn."
