"""Small tables of the textbooks, as oracle tables: E1, E2, play-tennis, the ten e-mails, Patrons, the Sunny node."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Column, Table


def nominal_table(
    names: Sequence[str],
    levels: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str | None]],
    classes: Sequence[str],
) -> Table:
    """Rows end with the class label; None is a missing cell."""
    columns = []
    for index, (name, declared) in enumerate(zip(names, levels, strict=True)):
        cells = tuple(None if row[index] is None else list(declared).index(str(row[index])) for row in rows)
        columns.append(Column(name, cells, tuple(declared)))
    target = tuple(list(classes).index(str(row[-1])) for row in rows)
    return Table(tuple(columns), target, (1,) * len(rows), tuple(classes))


def _rows(text: str) -> list[list[str | None]]:
    return [[None if cell == "?" else cell for cell in line.split()] for line in text.strip().splitlines()]


_COLOUR_SHAPE = (("color", "shape"), (("red", "blue"), ("circle", "square", "triangle")))

E1 = nominal_table(
    *_COLOUR_SHAPE,
    _rows("red circle +\nblue triangle +\nblue square +\nred square -\nred triangle -"),
    ("+", "-"),
)
E2 = nominal_table(
    *_COLOUR_SHAPE,
    _rows("red circle +\nred square -\nred triangle -\nblue triangle -\nblue square -\nblue circle -"),
    ("+", "-"),
)

_TENNIS = _rows("""
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
""")
_TENNIS_NAMES = ("Outlook", "Temperature", "Humidity", "Wind")
_TENNIS_LEVELS = (("Sunny", "Overcast", "Rain"), ("Hot", "Mild", "Cool"), ("High", "Normal"), ("Strong", "Weak"))
TENNIS = nominal_table(_TENNIS_NAMES, _TENNIS_LEVELS, _TENNIS, ("No", "Yes"))
TENNIS_LOW = nominal_table(
    _TENNIS_NAMES,
    (*_TENNIS_LEVELS[:2], ("High", "Normal", "Low"), _TENNIS_LEVELS[3]),
    _TENNIS,
    ("No", "Yes"),
)
_DATES = tuple(f"d{day}" for day in range(1, 15))
TENNIS_DATES = nominal_table(
    ("Date", *_TENNIS_NAMES),
    (_DATES, *_TENNIS_LEVELS),
    [[date, *row] for date, row in zip(_DATES, _TENNIS, strict=True)],
    ("No", "Yes"),
)

SPAM = nominal_table(
    ("x1", "x2", "x3", "x4", "x5"),
    (("T", "F"),) * 5,
    _rows("""
T T T T F L
T F T F T L
T T F T F L
F F F T T L
F F T F F L
T T T F T L
F T T T F S
F T F T F S
T F F F T S
F T T T T S
"""),
    ("L", "S"),
)

PATRONS = nominal_table(
    ("Patrons", "Type"),
    (("None", "Some", "Full"), ("French", "Italian", "Thai", "Burger")),
    _rows("""
None Thai No
None Burger No
Some French Yes
Some Italian Yes
Some Thai Yes
Some Burger Yes
Full Thai Yes
Full Burger Yes
Full French No
Full Italian No
Full Thai No
Full Burger No
"""),
    ("No", "Yes"),
)

# The Sunny node of play-tennis with the humidity of day 9 missing.
SUNNY = nominal_table(
    ("Temp", "Humid", "Wind"),
    (("hot", "mild", "cool"), ("high", "normal"), ("weak", "strong")),
    _rows("hot high weak n\nhot high strong n\nmild high weak n\ncool ? weak y\nmild normal strong y"),
    ("n", "y"),
)
