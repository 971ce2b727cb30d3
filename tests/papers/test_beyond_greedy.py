"""What greedy learners are compared with: rows 2, 55 to 57, 59 to 63 and 151."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.course.counts import trees_up_to


def truth_table(n_columns: int) -> pd.DataFrame:
    cells = list(itertools.product("FT", repeat=n_columns))
    return pd.DataFrame(cells, columns=[f"x{j + 1}" for j in range(n_columns)]).astype("category")


def xor_with_noise() -> tuple[pd.DataFrame, list[str]]:
    """XOR of two columns, and a third that is right by chance in three of four rows."""
    inputs = truth_table(2)
    X = pd.concat([inputs] * 2, ignore_index=True)
    y = ["yes" if a != b else "no" for a, b in X.itertuples(index=False)]
    noise = ["T" if (said == "yes") != (i in (0, 5)) else "F" for i, said in enumerate(y)]
    return X.assign(noise=pd.Categorical(noise, ["F", "T"])), y


def test_row_2_conjunctions_cannot_say_what_a_tree_says() -> None:
    data = tw.datasets.load_colour_shape()
    space = tw.VersionSpace(data.X, data.y, positive="yes")
    assert space.is_empty
    assert (space.specific, space.general, space.count) == ((), (), 0)
    assert list(space.hypotheses()) == []
    # The examples have nothing in common, and what covers them all covers the counterexamples.
    examples = data.X[np.asarray(data.y) == "yes"]
    assert [str(one) for one in tw.VersionSpace(examples, ["yes"] * 3, "yes").specific] == ["[any, any]"]
    assert (tw.ID3Classifier().fit(data.X, data.y).predict(data.X) == data.y).all()


def test_row_2_one_conjunction_is_left_of_the_six_instances() -> None:
    data = tw.datasets.load_colour_shape_2()
    space = tw.VersionSpace(data.X, data.y, positive="yes")
    assert [str(one) for one in space.specific] == [str(one) for one in space.general] == ["[red, circle]"]
    assert [one.asks for one in space.hypotheses()] == [{"color": "red", "shape": "circle"}]
    assert space.count == 1


def test_row_55_counts_of_hypotheses() -> None:
    assert tw.count_functions(4) == 2**16 == 65_536
    assert tw.count_conjunctions(4) == 3**4 + 1 == 82
    # A version space before any counterexample is all conjunctions that cover the example: each column asks or does not.
    inputs = truth_table(4)
    assert tw.VersionSpace(inputs.iloc[:1], ["yes"], "yes").count == 2**4
    assert tw.count_functions(4, 2, [3, 3, 3, 2]) == 2**54
    assert tw.count_conjunctions(4, [3, 3, 3, 2]) == 4 * 4 * 4 * 3 + 1


def test_row_56_a_restriction_and_a_preference() -> None:
    # XOR is no conjunction: the restricted space is empty, the tree that is preferred for its size is there.
    X, y = truth_table(2), ["no", "yes", "yes", "no"]
    assert tw.VersionSpace(X, y, "yes").is_empty
    assert (tw.smallest_trees(X, y)[0].predict(X) == y).all()
    # A conjunction is both.
    y = ["no", "no", "no", "yes"]
    assert [str(one) for one in tw.VersionSpace(X, y, "yes").general] == ["[T, T]"]
    assert tw.smallest_trees(X, y).size == 2


def test_row_57_a_greedy_tree_is_not_the_smallest() -> None:
    X, y = xor_with_noise()
    greedy = tw.ID3Classifier().fit(X, y).tree_
    smallest = tw.smallest_trees(X, y)
    assert greedy.root.split.column == "noise"
    assert (greedy.predict(X) == y).all()
    assert smallest.size == 3 < greedy.n_splits
    assert all((tree.predict(X) == y).all() and tree.n_splits == 3 for tree in smallest)


def all_trees(columns: frozenset[int], size: int) -> list[object]:
    """Every tree of a size over two-level columns, written out."""
    if size == 0:
        return ["+", "-"]
    out: list[object] = []
    for column in columns:
        rest = columns - {column}
        for below in range(size):
            out += [(column, left, right) for left in all_trees(rest, below) for right in all_trees(rest, size - 1 - below)]
    return out


@pytest.mark.parametrize(("d", "sizes"), [(5, [20, 320]), (2, [8, 32, 32]), (3, [12, 96, 576])])
def test_row_59_trees_written_out(d: int, sizes: list[int]) -> None:
    for size, expected in enumerate(sizes, 1):
        trees = all_trees(frozenset(range(d)), size)
        assert len(set(trees)) == len(trees) == expected == tw.count_trees(d, size)
    assert tw.count_trees(d, 1) == 4 * d
    assert tw.count_trees(d, 2) == 16 * d * (d - 1)


def test_row_60_the_recurrence() -> None:
    assert [tw.count_trees(3, size) for size in range(9)] == [2, 12, 96, 576, 1920, 4608, 6144, 3072, 0]
    assert [tw.count_trees(4, size) for size in (3, 4)] == [2112, 18432]
    assert [tw.count_trees(5, size) for size in (3, 4)] == [5120, 72960]
    assert [tw.count_trees(d, 2**d - 1) for d in range(1, 6)] == [4, 32, 3072, 37_748_736, 7_124_835_347_988_480]
    # More classes: m for a leaf; more levels: as many branches.
    assert [tw.count_trees(2, size, 3) for size in range(4)] == [3, 2 * 9, 2 * 2 * 27, 2 * 81]
    assert [tw.count_trees(1, size, 2, 3) for size in range(3)] == [2, 8, 0]
    assert trees_up_to([2, 3], 2, 2) == [2, 4 + 8, 2 * 2 * 8 + 3 * 4 * 4]


def test_row_61_the_smallest_trees_of_the_emails() -> None:
    data = tw.datasets.load_emails()
    found = tw.smallest_trees(data.X, data.y)
    assert (found.size, found.count) == (4, 12)
    assert [tuple(one) for one in found.by_size] == [(0, 2, 0), (1, 20, 0), (2, 320, 0), (3, 5120, 0), (4, 72960, 12)]
    assert len({str(tree.to_rules()) for tree in found}) == 12
    assert all((tree.predict(data.X) == data.y).all() and tree.n_splits == 4 for tree in found)
    assert tw.smallest_trees(data.X, data.y, size=5).count == 272
    with pytest.raises(ValueError, match="no tree of 3 splits is right about every row"):
        tw.smallest_trees(data.X, data.y, size=3)
    more = tw.datasets.load_emails(x6=True)
    assert tw.smallest_trees(more.X, more.y).size == 1


def test_row_62_a_tree_that_memorises() -> None:
    data = tw.datasets.load_emails()
    naive = tw.MemorisingTreeClassifier(random_state=3).fit(data.X, data.y)
    tree = naive.tree_
    assert naive.splits_after_[:2].tolist() == [5, 8]
    assert naive.splits_after_[-1] == tree.n_splits == 24
    # The trace goes row by row: all columns of the first, then what is new of the second.
    paths = [step.path for step in tree.trace()]
    assert paths[4] == "x1 = T and x2 = T and x3 = T and x4 = T"
    assert paths[5:8] == [f"x1 = T and x2 = F{more}" for more in ("", " and x3 = T", " and x3 = T and x4 = F")]
    blank = [leaf for leaf in tree.leaves() if leaf.weight == 0]
    assert (len(blank), tree.n_leaves - len(blank)) == (15, 10)
    assert {leaf.depth for leaf in tree.leaves() if leaf.weight} == {5}
    assert all(
        [node.split.column for node in path[:-1]] == ["x1", "x2", "x3", "x4", "x5"][: len(path) - 1] for path in tree.paths()
    )
    assert naive.score(data.X, data.y) == 1
    # The classes of branches without rows are drawn: the same for a seed, others for another one.
    drawn = {tuple(leaf.prediction for leaf in blank_leaves(data, seed)) for seed in range(6)}
    assert len(drawn) > 1
    assert [leaf.prediction for leaf in blank_leaves(data, 3)] == [leaf.prediction for leaf in blank]
    assert {label for labels in drawn for label in labels} == {"L", "S"}


def blank_leaves(data: tw.datasets.Dataset, seed: int) -> list[tw.Node]:
    tree = tw.MemorisingTreeClassifier(random_state=seed).fit(data.X, data.y).tree_
    return [leaf for leaf in tree.leaves() if leaf.weight == 0]


def test_row_63_memorising_is_larger_and_worse() -> None:
    data = tw.datasets.load_emails()
    sizes = [make.fit(data.X, data.y).tree_.n_splits for make in (tw.ID3Classifier(), tw.MemorisingTreeClassifier())]
    assert sizes == [4, 24]
    X = truth_table(7)
    concept = np.where((X["x1"] == "T") & (X["x2"] == "T") | (X["x3"] == "T"), "yes", "no")
    right = []
    for seed in range(10):
        seen = np.random.default_rng(seed).permutation(128)[:64]
        new = np.setdiff1d(np.arange(128), seen)
        makes = (tw.ID3Classifier(), tw.MemorisingTreeClassifier(random_state=seed))
        right.append([make.fit(X.iloc[seen], concept[seen]).score(X.iloc[new], concept[new]) for make in makes])
    greedy, naive = np.mean(right, axis=0)
    assert greedy > 0.95
    assert naive < greedy - 0.2


def test_row_151_looking_ahead_solves_xor() -> None:
    X, y = xor_with_noise()
    tree = tw.BacktrackingTreeClassifier(depth=2).fit(X, y).tree_
    assert tree.n_splits == 3
    assert tree.used_columns == ["x1", "x2"]
    assert (tree.predict(X) == y).all()
    # Without the column that misleads, the greedy gains tie at nothing.
    plain = tw.ID3Classifier(keep_candidates=True).fit(X[["x1", "x2"]], y).tree_.root.candidates
    ahead = tw.BacktrackingTreeClassifier(keep_candidates=True).fit(X, y).tree_.root.candidates
    assert [one.gain for one in plain] == [0, 0]
    assert [one.merit for one in ahead] == pytest.approx([1, 1, ahead[2].merit])
    assert ahead[2].merit < 0.99 and ahead[2].gain > 0.1


def test_row_151_looking_far_enough_finds_a_smallest_tree() -> None:
    data = tw.datasets.load_emails()
    for depth in (4, 5):
        assert tw.BacktrackingTreeClassifier(depth=depth).fit(data.X, data.y).tree_.n_splits == 4
    parity = truth_table(4)
    odd = [str(sum(cell == "T" for cell in row[:3]) % 2) for row in parity.itertuples(index=False)]
    parity = parity[["x4", "x1", "x2", "x3"]]
    assert tw.ID3Classifier().fit(parity, odd).tree_.n_splits > 7
    assert tw.BacktrackingTreeClassifier(depth=3).fit(parity, odd).tree_.n_splits == 7
