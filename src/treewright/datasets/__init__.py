"""Small tables to learn from: those of the textbooks, two public ones, and those scikit-learn ships.

Every loader returns a `Dataset`: `X`, `y`, and `frame()` for both together. Nominal columns declare their levels.
Importing this package loads only the standard library; a loader imports pandas (or pyarrow) when it is called.
"""

from __future__ import annotations

from treewright.datasets.bundled import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from treewright.datasets.catalogue import load, names
from treewright.datasets.course import load_colour_shape, load_colour_shape_2, load_emails, load_patrons, load_shapes
from treewright.datasets.dataset import Dataset
from treewright.datasets.job import load_age_job
from treewright.datasets.public import load_penguins, load_titanic
from treewright.datasets.tennis import load_play_tennis, load_sunny_missing

__all__ = [
    "Dataset",
    "load",
    "load_age_job",
    "load_breast_cancer",
    "load_colour_shape",
    "load_colour_shape_2",
    "load_diabetes",
    "load_digits",
    "load_emails",
    "load_iris",
    "load_patrons",
    "load_penguins",
    "load_play_tennis",
    "load_shapes",
    "load_sunny_missing",
    "load_titanic",
    "load_wine",
    "names",
]
