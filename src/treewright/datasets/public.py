"""Two public tables of mixed columns: who survived the Titanic, and the penguins of Palmer station."""

from __future__ import annotations

from importlib.resources import files

from treewright.datasets.dataset import Dataset, make

# How many people, of every class, sex and age; those who died before the stroke, those who survived behind it.
_TITANIC = """
    first  male   adult 118/57
    first  male   child   0/5
    first  female adult   4/140
    first  female child   0/1
    second male   adult 154/14
    second male   child   0/11
    second female adult  13/80
    second female child   0/13
    third  male   adult 387/75
    third  male   child  35/13
    third  female adult  89/76
    third  female child  17/14
    crew   male   adult 670/192
    crew   female adult   3/20
"""

_NUMBERS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")


def load_titanic() -> Dataset:
    """Return the 2,201 people aboard the Titanic: columns `class`, `sex`, `age`, target `survived`.

    Rows are the counts of the inquiry written out, so that many are equal; nothing tells them apart.
    """
    columns: dict[str, list[str]] = {"class": [], "sex": [], "age": [], "survived": []}
    for line in _TITANIC.strip().splitlines():
        *cells, counts = line.split()
        for survived, count in zip(("no", "yes"), map(int, counts.split("/")), strict=True):
            for column, cell in zip(columns, (*cells, survived), strict=True):
                columns[column] += [cell] * count
    levels = {
        "class": ["first", "second", "third", "crew"],
        "sex": ["male", "female"],
        "age": ["adult", "child"],
        "survived": ["no", "yes"],
    }
    about = """People aboard the Titanic by class, sex and age, and whether they survived: counts of the British Board of Trade's
        inquiry of 1912, as given by R. J. M. Dawson (Journal of Statistics Education 3, 1995)."""
    return make("titanic", columns, levels, "survived", about)


def load_penguins() -> Dataset:
    """Return 344 penguins: island, sex and four measurements with some cells missing, target `species` (three)."""
    text = files("treewright.datasets").joinpath("penguins.csv").read_text(encoding="utf-8")
    header, *rows = (line.split(",") for line in text.splitlines())
    columns = {
        name: [float(row[j]) if row[j] and name in _NUMBERS else row[j] or None for row in rows] for j, name in enumerate(header)
    }
    levels = {
        "island": ["Biscoe", "Dream", "Torgersen"],
        "sex": ["female", "male"],
        "species": ["Adelie", "Chinstrap", "Gentoo"],
    }
    about = """Penguins near Palmer station, Antarctica, 2007 to 2009 (K. B. Gorman, T. D. Williams and W. R. Fraser 2014;
        palmerpenguins by A. M. Horst, A. P. Hill and K. B. Gorman, in the public domain under CC0). 19 cells are missing."""
    return make("penguins", columns, levels, "species", about)
