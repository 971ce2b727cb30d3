"""The trees of C4.5 release 8 as recorded by ``make peers``: node by node, and errors on ten fixed folds; ties and groups."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.peers.c45_records import Comparison, folded, load, recorded, wrong

pytestmark = pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
GROUPED = {"default": False, "groups": True}
# Trees with splits, or cuts of a column, that are equally good: sums in single precision decide there, and not here.
TIED = {
    "cmc": "default",
    "diabetes": "default groups",
    "ecoli": "default groups",
    "eucalyptus": "groups",
    "hepatitis": "default groups",
    "phoneme": "default",
    "segment": "default",
    "soybean": "default",
    "spectrometer": "default",
    "vowel": "default groups",
    "zoo": "default groups",
}
# Trees that differ otherwise. A build of the program that counts in double precision, and takes what differs by rounding only for
# equal, grows ours in all these cases (the column without a cell apart).
DIFFERENT = {
    ("eucalyptus", "default"): "a weight of 4 is 3.9999998 in single precision: less than two leaves need",
    ("glass", "default"): "a tie below a node that is undone in one of the trees",
    ("glass", "groups"): "a tie below a node that is undone in one of the trees",
    ("labor", "default"): "a weight of 2 is less in single precision: see test_labor_differs_by_a_rounding_error",
    (
        "primary-tumor",
        "groups",
    ): "there a column without a cell present sets the least weight of a leaf to 1",
}
# Errors on folds, unpruned and pruned, where ties fall otherwise in some of them.
FOLDS_BY_ROUNDING = {"breast-w", "colic", "glass", "heart-c", "phoneme", "segment", "spectrometer", "vowel", "wdbc", "zoo"}


@pytest.mark.parametrize(
    ("name", "variant"), [(name, v) for name in sorted(recorded()) for v in GROUPED if v in recorded()[name]]
)
def test_trees_are_those_of_release_8(shared: Path, name: str, variant: str) -> None:
    X, y = load(shared, name)
    record, grouped = recorded()[name][variant], GROUPED[variant]
    grown = tw.C45Classifier(pruned=False, grouped=grouped, keep_candidates=True).fit(X, y)
    unpruned = Comparison(grown.tree_, record["unpruned"])
    if (name, variant) in DIFFERENT:
        assert unpruned.differences, "the trees are the same now"
        return
    assert unpruned.differences == []
    assert (unpruned.ties > 0) == (variant in TIED.get(name, ""))
    if unpruned.ties:
        return
    cut = tw.C45Classifier(grouped=grouped).fit(X, y)
    pruned = Comparison(cut.tree_, record["pruned"])
    assert (pruned.differences, pruned.ties) == ([], 0)
    assert [wrong(grown, X, y), wrong(cut, X, y)] == record["errors"]
    assert round(100 * cut.estimated_errors_ / cut.tree_.root.weight, 1) == record["estimate"]


@pytest.mark.parametrize("name", sorted(recorded()))
def test_errors_on_folds_are_those_of_release_8(shared: Path, name: str) -> None:
    X, y = load(shared, name)
    theirs = recorded()[name]["folds"]
    unpruned, pruned = (folded(tw.C45Classifier(pruned=cut), X, y) for cut in (False, True))
    apart = [k for k, errors in enumerate(theirs) if [unpruned[k], pruned[k]] != errors[:2]]
    assert bool(apart) == (name in FOLDS_BY_ROUNDING)
    assert len(apart) <= 2
    for own, other in ((unpruned, [errors[0] for errors in theirs]), (pruned, [errors[1] for errors in theirs])):
        assert abs(sum(own) - sum(other)) <= 0.01 * len(y) + 1


def test_enough_is_compared() -> None:
    variants = sum(variant in own for own in recorded().values() for variant in GROUPED)
    assert len(recorded()) == 50
    assert variants - sum(len(v.split()) for v in TIED.values()) - len(DIFFERENT) >= 70


@pytest.mark.parametrize("order", list(permutations("123")))
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with a missing cell elsewhere"])
def test_the_first_of_equal_cuts_is_taken(order: tuple[str, ...], missing: bool) -> None:
    """Between 22 and 24 and between 24 and 25 the same weights of classes lie on either side, the sides and classes exchanged."""
    X = pd.DataFrame({"x": [19.0, 19, 21, 22, 22, 24, 24, 25, 26, 28, 29, 35], "other": 1.0})
    if missing:  # which makes another engine search
        X.loc[0, "other"] = np.nan
    y = pd.Series(pd.Categorical(list("132223311311"), list(order)))
    split = tw.C45Classifier(pruned=False).fit(X, y).tree_.root.split
    assert split is not None
    assert (split.column, split.cuts) == ("x", (22.0,))


@pytest.mark.parametrize("shares", [(1, 2), (2, 1), (1, 3), (3, 5), (2, 5), (4, 3)])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 1, 3), (1, 2, 4), (5, 5, 7)])
def test_groups_that_tell_nothing_are_no_candidate(sizes: tuple[int, ...], shares: tuple[int, int]) -> None:
    """All levels have the same shares of classes: the gain is 0, whatever rounding makes of it."""
    levels = [level for level, size in zip("xyz", sizes, strict=True) for _ in range(size * sum(shares))]
    classes = [label for size in sizes for label, share in zip("ab", shares, strict=True) for _ in range(size * share)]
    X = pd.DataFrame({"levels": pd.Categorical(levels), "told": [ord(label) for label in classes]})
    tree = tw.C45Classifier(grouped=True, keep_candidates=True).fit(X, classes).tree_
    assert [candidate.column for candidate in tree.root.candidates] == ["told"]


def test_levels_of_little_weight_count_where_nothing_is_merged() -> None:
    """Release 8 prints 1.229 bits for the split information of b below a = p, where half a row holds the level z."""
    rows = [("p", "x", "yes")] * 5 + [("p", "y", "no")] * 4 + [("p", "y", "yes")] + [("q", "x", "other"), ("q", "y", "other")] * 5
    X = pd.DataFrame([row[:2] for row in rows] + [(None, "z")], columns=["a", "b"]).astype("category")
    y = pd.Series([row[2] for row in rows] + ["yes"])
    root = tw.C45Classifier(grouped=True, pruned=False, keep_candidates=True).fit(X, y).tree_.root
    found = next(candidate for candidate in root.children[0].candidates if candidate.column == "b")
    shares = np.array([5, 5, 0.5]) / 10.5
    assert root.children[0].weight == 10.5
    assert found.split_info == pytest.approx(-np.sum(shares * np.log2(shares)))
    assert round(found.split_info, 3) == 1.229
