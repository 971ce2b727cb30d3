"""Pictures for a given place: as many levels as can be read there."""

from __future__ import annotations

import treewright as tw
from treewright.show.draw import tree_picture
from treewright.table.schema import number_text


def test_levels_are_left_out_from_where_their_text_is_below_six_points() -> None:
    iris = tw.datasets.load_iris()
    tree = tw.CARTClassifier().fit(iris.X, iris.y).tree_
    whole = tree_picture(tree, "tree")
    enough = whole.width * 6 / 8  # texts of 8 points become those of 6
    assert tree_picture(tree, "tree", room=enough).width == whole.width
    assert tree_picture(tree, "tree", room=enough - 1).width < whole.width
    enough = whole.height * 6 / 8
    assert tree_picture(tree, "tree", tall=enough).height == whole.height
    assert tree_picture(tree, "tree", tall=enough - 1).height < whole.height


def test_whole_numbers_are_written_as_such_below_a_million_billions() -> None:
    said = [number_text(x) for x in (-0.0, 3.0, 999_999_999_999_999.0, 1e15, 0.5)]
    assert said == ["0", "3", "999999999999999", "1000000000000000.0", "0.5"]
