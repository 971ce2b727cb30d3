"""Small tables of lectures and textbooks: colours and shapes, ten e-mails, twelve restaurant visits."""

from __future__ import annotations

from treewright.datasets.dataset import Dataset, columns_of, make

_COLORS = ["red", "blue"]
_SHAPES = ["circle", "square", "triangle"]


def load_colour_shape() -> Dataset:
    """Return the five coloured shapes no single conjunction describes: columns `color`, `shape`, target `label`."""
    rows = """
        red  circle   yes
        blue triangle yes
        blue square   yes
        red  square   no
        red  triangle no
    """
    levels = {"color": _COLORS, "shape": _SHAPES, "label": ["yes", "no"]}
    about = """Five coloured shapes, three of them positive (Z. Markov, lecture notes on the induction of decision
        trees, section 1). No conjunction covers exactly the positive ones; a tree does."""
    return make("colour_shape", columns_of("color shape label", rows), levels, "label", about)


def load_colour_shape_2() -> Dataset:
    """Return all six coloured shapes, of which only the red circle is positive, in the order 1 to 6."""
    rows = """
        red  circle   yes
        red  square   no
        red  triangle no
        blue triangle no
        blue square   no
        blue circle   no
    """
    levels = {"color": _COLORS, "shape": _SHAPES, "label": ["yes", "no"]}
    about = """The six coloured shapes of the ID3 example (Z. Markov, lecture notes on the induction of decision
        trees, sections 2 and 3), in the order of the notes."""
    return make("colour_shape_2", columns_of("color shape label", rows), levels, "label", about)


def load_shapes() -> Dataset:
    """Return eight coloured shapes of three classes A, B, C; only the three blue ones are from the source.

    There is no red triangle, so that it can be asked for.
    """
    rows = """
        blue  triangle B
        blue  square   A
        blue  circle   C
        red   square   A
        red   circle   A
        green triangle B
        green square   B
        green circle   B
    """
    levels = {"color": ["red", "green", "blue"], "shape": ["triangle", "square", "circle"], "label": ["A", "B", "C"]}
    about = """Coloured shapes of three classes. The three blue rows are stated by the rules of K.-W. Chang's CS146
        lecture 4 (2018): a blue triangle is B, a blue square A, a blue circle C. Its other rows were a picture, now
        lost: the two red rows (all A) and the three green rows (all B) are made up here. The red triangle, whose
        label the lecture asks for, is left out."""
    return make("shapes", columns_of("color shape label", rows), levels, "label", about)


def load_emails(*, x6: bool = False) -> Dataset:
    """Return ten e-mails, six legitimate (L) and four spam (S), with the presence (T, F) of five terms.

    Args:
        x6: Add the sixth term, which alone separates the classes.
    """
    rows = """
        T T T T F T L
        T F T F T T L
        T T F T F T L
        F F F T T T L
        F F T F F T L
        T T T F T T L
        F T T T F F S
        F T F T F F S
        T F F F T F S
        F T T T T F S
    """
    columns = columns_of("x1 x2 x3 x4 x5 x6 y", rows)
    if not x6:
        del columns["x6"]
    levels = {column: ["T", "F"] for column in columns} | {"y": ["L", "S"]}
    about = """Ten e-mails m1 to m10, legitimate (L) or spam (S). x1 to x5 say whether the terms research, cheap,
        travel, conference and price occur, x6 (on request) the term algorithm
        (G. Fumera, lectures on artificial intelligence, 2024/25)."""
    return make("emails", columns, levels, "y", about)


def load_patrons() -> Dataset:
    """Return twelve restaurant visits with columns `patrons` and `type`, target `wait`; `type` tells nothing."""
    rows = """
        Some French  yes
        Full Thai    no
        Some Burger  yes
        Full Thai    yes
        Full French  no
        Some Italian yes
        None Burger  no
        Some Thai    yes
        Full Burger  no
        Full Italian no
        None Thai    no
        Full Burger  yes
    """
    levels = {
        "patrons": ["None", "Some", "Full"],
        "type": ["French", "Thai", "Burger", "Italian"],
        "wait": ["yes", "no"],
    }
    about = """Does the guest wait for a table? Two of the ten columns of the twelve restaurant examples
        (S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach): how full it is, and the kitchen."""
    return make("patrons", columns_of("patrons type wait", rows), levels, "wait", about)
