"""Plots: the picture of the SVG on axes, exact regions, piecewise constants, textbook curves; names are never mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.show.names import HOSTILE
from treewright.errors import visible
from treewright.show.curves import impurity_curves, vote_errors
from treewright.show.draw import tree_picture
from treewright.show.picture import CLASSES, Box, Text
from treewright.show.regions import region_boxes
from treewright.show.smooth import smooth

mpl.use("agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def iris(columns: slice = slice(None), **options: object) -> tuple[tw.CARTClassifier, pd.DataFrame, pd.Series]:
    data = tw.datasets.load_iris()
    X = data.X.iloc[:, columns]
    return tw.CARTClassifier(**options).fit(X, data.y), X, data.y


def test_plot_tree_draws_the_picture_of_the_svg() -> None:
    model, X, y = iris()
    ax = tw.plot_tree(model, X=X, y=y, row=X.iloc[[70]])
    picture = tree_picture(model.tree_, X=X, y=y, row=X.iloc[[70]])
    shapes = [shape for group in picture.groups for shape in group.shapes]
    assert [text.get_text() for text in ax.texts] == [shape.text for shape in shapes if isinstance(shape, Text)]
    polygons = ax.collections[1].get_paths()
    assert len(polygons) == sum(isinstance(shape, Box) for shape in shapes)
    width, height = ax.figure.get_size_inches() * 72
    assert (width, height) == pytest.approx((picture.width, picture.height))
    ax.figure.canvas.draw()


def test_what_is_no_axes_is_named() -> None:
    model, *_ = iris()
    for draw in (tw.plot_tree, tw.plot_pruning):
        with pytest.raises(TypeError, match=r"ax=3 is no matplotlib Axes"):
            draw(model if draw is tw.plot_tree else model.pruning_path(), ax=3)


def test_plot_tree_fits_given_axes() -> None:
    import matplotlib.pyplot as plt

    model, *_ = iris(max_depth=2)
    small, large = plt.figure(figsize=(8, 8)).add_subplot(), plt.figure(figsize=(16, 16)).add_subplot()
    assert tw.plot_tree(model, ax=small) is small
    tw.plot_tree(model.tree_, large)
    assert large.texts[0].get_fontsize() == pytest.approx(2 * small.texts[0].get_fontsize())


@pytest.mark.parametrize("name", [name for name in HOSTILE if len(name) < 100], ids=str)
def test_x2_names_are_not_mathematics(name: str) -> None:
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "c": [name, "z", "z", "y"]})
    y = pd.Series([name, "_b", "_b", "a"], name=name)
    ax = tw.plot_tree(tw.ID3Classifier().fit(X, y), X=X, y=y)
    ax.figure.canvas.draw()
    assert any(visible(name)[:20] in text.get_text() for text in ax.texts)
    model = tw.CARTClassifier().fit(X, y)
    regions = tw.plot_regions(model, X, y, columns=[name, "c"])
    regions.figure.canvas.draw()
    assert regions.get_xlabel() == visible(name)
    labels = {text.get_text() for text in regions.get_legend().get_texts()}
    assert labels == {visible(name), "_b", "a"}
    values = tw.CARTRegressor().fit(X[[name]], pd.Series([1.0, 2, 3, 4], name=name))
    tw.plot_smooth({name: values}, X[[name]], [1, 2, 3, 4]).figure.canvas.draw()


def contains(spans: tuple[tuple[float, float], ...], point: tuple[float, ...]) -> bool:
    return all(low < value <= high for (low, high), value in zip(spans, point, strict=True))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_row_9_regions_are_disjoint_boxes_that_cover_the_space(d: int) -> None:
    rng = np.random.default_rng(d)
    X = rng.random((200, d))
    model = tw.CARTClassifier(max_leaf_nodes=12).fit(X, rng.integers(0, 2, 200))
    boxes = region_boxes(model.tree_, [f"x{j}" for j in range(d)])
    assert len(boxes) == model.get_n_leaves()
    points = rng.random((500, d)) * 3 - 1
    leaves = model.apply(points)
    for point, leaf in zip(points.tolist(), leaves.tolist(), strict=True):
        inside = [box.leaf for box in boxes if contains(box.spans, tuple(point))]
        assert inside == [leaf]
    ax = tw.plot_regions(model, X, rng.integers(0, 2, 200), columns=[f"x{j}" for j in range(d)])
    ax.figure.canvas.draw()
    drawn = ax.collections[0]
    if d == 3:
        assert ax.name == "3d"
    else:
        assert len(drawn.get_paths()) == len(boxes)
        area = sum(path.get_extents().width * path.get_extents().height for path in drawn.get_paths())
        (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
        assert area == pytest.approx((x1 - x0) * (y1 - y0))


def test_regions_of_levels_dates_and_held_columns() -> None:
    frame = pd.DataFrame(
        {
            "city": ["a", "b", "c", "a", "b", "c", "a", "b"],
            "day": pd.date_range("2024-01-01", periods=8),
            "size": [1.0, 2, 3, 4, 5, 6, 7, 8],
        }
    )
    y = ["p", "q", "p", "p", "q", "q", "q", "q"]
    model = tw.CARTClassifier().fit(frame, y)
    held = frame.iloc[[2]]
    for columns in (["city", "day"], ["size"], ["day", "size"], ["city", "size", "day"]):
        boxes = region_boxes(model.tree_, columns, row=held)
        micro = float(held["day"].astype("M8[us]").astype("int64").iloc[0])
        place = {"city": 2.0, "day": micro, "size": 3.0}
        inside = [box.leaf for box in boxes if contains(box.spans, tuple(place[name] for name in columns))]
        assert inside == model.apply(held).tolist()
        tw.plot_regions(model, frame, y, columns, row=held).figure.canvas.draw()
    assert len(model.tree_.used_columns) > 1
    with pytest.raises(ValueError, match=r"the tree also tests .*: give the values to hold them at as row="):
        region_boxes(model.tree_, model.tree_.used_columns[:1])


def test_neighbouring_levels_are_one_interval_and_the_others_are_their_own() -> None:
    levels = list("abcdefgh")
    X = pd.DataFrame({"c": pd.Categorical(levels * 3, categories=levels)})
    model = tw.CARTClassifier().fit(X, ["in" if level in "abdefh" else "out" for level in levels * 3])
    spans: dict[int, list[tuple[float, float]]] = {}
    for box in region_boxes(model.tree_, ["c"]):
        spans.setdefault(box.leaf, []).append(box.spans[0])
    assert sorted(map(sorted, spans.values())) == [[(-0.5, 1.5), (2.5, 5.5), (6.5, 7.5)], [(1.5, 2.5), (5.5, 6.5)]]


def test_regions_do_not_hold_a_cell_that_others_stand_in_for() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = tw.CARTClassifier(missing="surrogate").fit(X, (X[:, 0] > 0) ^ (X[:, 1] > 0))
    with pytest.raises(ValueError, match=r"row= has no value of \['x1'\], for which other columns stand in"):
        region_boxes(model.tree_, ["x0"], row=[[0.0, np.nan]])


def test_regions_need_one_to_three_known_columns() -> None:
    model, *_ = iris()
    with pytest.raises(ValueError, match="column 'petal' is unknown; known: 'sepal"):
        region_boxes(model.tree_, ["petal"])
    rng = np.random.default_rng(0)
    X = rng.random((300, 5))
    wide = tw.CARTClassifier().fit(X, rng.integers(0, 2, 300)).tree_
    with pytest.raises(ValueError, match="regions are drawn for one to three columns"):
        region_boxes(wide)
    with pytest.raises(TypeError, match="dict holds no tree"):
        tw.plot_regions({})


def test_row_36_impurity_curves() -> None:
    curves = impurity_curves()
    middle = len(curves["p"]) // 2
    assert curves["p"][middle] == 0.5
    assert (curves["entropy"][middle], curves["gini"][middle], curves["error"][middle]) == (1.0, 0.5, 0.5)
    for name in ("entropy", "gini", "error"):
        assert np.array_equal(curves[name], curves[name][::-1])
        assert curves[name][0] == curves[name][-1] == 0
        assert np.argmax(curves[name]) == middle
        assert np.all(np.diff(curves[name][: middle + 1]) > 0)
    lines = tw.plot_impurity().get_lines()
    assert [line.get_label() for line in lines] == ["entropy (bits)", "Gini", "2 × Gini", "error"]
    assert np.array_equal(lines[0].get_ydata(), curves["entropy"])


def test_row_107_smooths_for_three_thresholds() -> None:
    rng = np.random.default_rng(0)
    X = np.sort(rng.random((120, 1)) * 8, axis=0)
    y = np.sin(X[:, 0]) + rng.normal(0, 0.2, 120)
    models = {f"{theta}": tw.CARTRegressor(min_impurity=theta).fit(X, y) for theta in (0.02, 0.1, 0.5)}
    leaves = [model.get_n_leaves() for model in models.values()]
    assert leaves == sorted(leaves, reverse=True)
    assert len(set(leaves)) == 3
    for model in models.values():
        steps = smooth(model)
        assert len(steps) == model.get_n_leaves()
        assert (steps[0][0], steps[-1][1]) == (-np.inf, np.inf)
        assert all(a[1] == b[0] for a, b in pairwise(steps))
        points = rng.random((200, 1)) * 10 - 1
        said = [next(value for low, high, value in steps if low < x <= high) for x in points[:, 0]]
        assert said == model.predict(points).tolist()
    ax = tw.plot_smooth(models, X, y)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0.02", "0.1", "0.5"]
    assert [len(patch.get_data().values) for patch in ax.patches] == leaves
    with pytest.raises(ValueError, match="plot_smooth draws trees for numbers"):
        tw.plot_smooth(iris(slice(2, 3))[0])


def test_row_159_votes_of_21_members() -> None:
    chances = vote_errors(21, 0.3)
    assert chances.sum() == pytest.approx(1.0)
    assert chances[11:].sum() == pytest.approx(0.026390, abs=5e-7)
    assert vote_errors(11, 0.3)[6:].sum() == pytest.approx(0.078225, abs=5e-7)
    ax = tw.plot_votes(21, 0.3)
    assert ax.get_legend().get_texts()[0].get_text() == "majority wrong: 0.026"
    hatched = [bar for bar in ax.patches if bar.get_hatch()]
    assert sum(bar.get_height() for bar in hatched) == pytest.approx(0.026390, abs=5e-7)
    assert min(bar.get_x() + bar.get_width() / 2 for bar in hatched) == 11
    with pytest.raises(ValueError, match="members=0 is not allowed"):
        vote_errors(0, 0.3)
    with pytest.raises(ValueError, match=r"error=1.5 is not allowed"):
        vote_errors(3, 1.5)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'treewright\[plot\]'"):
        tw.plot_tree(iris()[0])


WIDE = [
    "W" * 60,
    "i" * 90,
    "年齢が高い人の割合がとても長い名前の列の名前",
    "MMMM @@@@ %%%% and words of small letters",
    "$\\frac{a}{b}$" * 5,
]


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", WIDE)
def test_texts_stay_inside_their_cards(name: str) -> None:
    """Bold, capital and foreign letters once ran out of the box, because their widths are guessed."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=120), "b": rng.normal(size=120)})
    y = np.where(X[name] * X.b > 0, f"class {name}", "other")
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    ax = tw.plot_tree(model, X=X, y=y)
    picture = tree_picture(model.tree_, X=X, y=y)
    ax.figure.set_dpi(400)  # where letters are not moved to whole pixels
    ax.figure.canvas.draw()
    shapes = [shape for group in picture.groups for shape in group.shapes if isinstance(shape, Text)]
    assert len(shapes) == len(ax.texts)
    rooms = 0
    for shape, text in zip(shapes, ax.texts, strict=True):
        if shape.room:
            rooms += 1
            box = text.get_window_extent().transformed(ax.transData.inverted())
            assert abs(box.width) <= shape.room * 1.02  # whole pixels
    assert rooms >= 2 * model.tree_.n_nodes


def test_questions_keep_what_they_compare_with() -> None:
    X = pd.DataFrame({"a rather long name of a column, such as questionnaires have": np.arange(40) * 0.123})
    tree = tw.CARTClassifier(max_depth=2).fit(X, np.arange(40) // 10).tree_
    texts = [shape.text for group in tree_picture(tree).groups for shape in group.shapes if isinstance(shape, Text)]
    asked = [node.split.cuts[0] for node in tree.nodes() if node.split is not None]
    ends = [text.split("≤ ")[1] for text in texts if "≤" in text]
    assert len(ends) == len(asked) and all("…" in text for text in texts if "≤" in text)
    assert sorted(float(end.rstrip("?")) for end in ends) == pytest.approx(sorted(asked), rel=1e-3)


def shown_line(ax: Any) -> tuple[Any, Any]:
    (line,) = ax.get_lines()
    at, said = line.get_data()
    return np.asarray(at), np.asarray(said)


@pytest.mark.parametrize("smoothing", ["none", "m5", "blend"])
@pytest.mark.parametrize("holes", [False, True])
def test_smooths_say_what_the_models_say(smoothing: str, holes: bool) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.uniform(0, 8, 150), rng.integers(0, 3, 150)
    y = np.sin(x) + 0.2 * rng.normal(size=150)
    X = pd.DataFrame({"x": np.where(holes & (rng.random(150) < 0.1), np.nan, x), "unused": 1.0})
    lines = tw.M5Regressor(smoothing=smoothing).fit(X, y, sample_weight=w)
    stairs = tw.CARTRegressor(max_leaf_nodes=6).fit(X, y, sample_weight=w)
    ax = tw.plot_smooth({"l": lines, "s": stairs}, X, y)
    at, said = shown_line(ax)
    np.testing.assert_array_equal(said, lines.predict(pd.DataFrame({"x": at, "unused": 1.0})))
    edges, values = ax.patches[0].get_data().edges, ax.patches[0].get_data().values
    middle = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_array_equal(values, stairs.predict(pd.DataFrame({"x": middle, "unused": 1.0})))
    cuts = np.array([node.split.cuts[0] for node in lines.tree_.nodes() if node.split is not None])
    assert np.all(np.isin([cuts, np.nextafter(cuts, np.inf)], at))  # jumps are upright
    # Both are drawn over the same range: all thresholds and all rows.
    assert (at[0], at[-1]) == (edges[0], edges[-1]) == ax.get_xlim()
    assert at[0] < np.nanmin(X["x"]) and at[-1] > np.nanmax(X["x"])
    drawn = ax.collections[0].get_offsets()
    assert len(drawn) == X["x"].notna().sum()
    ax.figure.canvas.draw()


def test_smooths_of_awkward_tables_can_be_looked_at() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.uniform(0, 8, 80), rng.normal(size=80)
    long = "a name far longer than anybody would want to see beside a picture " * 4
    X = pd.DataFrame({long: x})
    models = {long: tw.CARTRegressor(max_leaf_nodes=4).fit(X, pd.Series(y, name=long)), "l": tw.M5Regressor().fit(X, y)}
    ax = tw.plot_smooth(models, X, y, with_trees=True)
    texts = [ax.get_xlabel(), ax.get_ylabel(), *(text.get_text() for text in ax.get_legend().get_texts())]
    assert max(map(len, texts)) <= 40
    ax.figure.canvas.draw()
    box = ax.get_window_extent()
    assert box.width > 0.2 * ax.figure.bbox.width and box.x0 >= 0
    # No cell of the column is known; one value; two rows.
    for table, target in ((X * np.nan, y), (X * 0 + 3, y), (X[:2], y[:2])):
        ax = tw.plot_smooth(models, table, target)
        assert ax.get_xlim()[0] < ax.get_xlim()[1]
        ax.figure.canvas.draw()
    when = pd.DataFrame({"when": pd.Timestamp("2020-01-01") + pd.to_timedelta((x * 100).astype(int), "D"), "yes": x > 4})
    ax = tw.plot_smooth([tw.M5Regressor().fit(when[["when"]], x), tw.CARTRegressor().fit(when[["when"]], x)], when[["when"]], x)
    ax.figure.canvas.draw()
    assert all(tick.get_text().startswith("20") for tick in ax.get_xticklabels() if tick.get_text())
    ax = tw.plot_smooth(tw.M5Regressor().fit(when[["yes"]], x))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["False", "True"]


def test_smooths_that_cannot_be_drawn_are_refused_by_name() -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=60), "z": rng.normal(size=60), "c": rng.choice(list("uv"), 60)})
    y = X["x"] * 2 + X["z"] + (X["c"] == "u")
    model = tw.M5Regressor().fit(X, y)
    for wrong, message in (
        ({"column": "c", "row": X[:1]}, "column 'c' holds levels"),
        ({"column": "x"}, "say with row= where they are held"),
        ({"column": "x", "row": X[:2]}, "row= has 2 rows"),
        ({"column": "x", "row": X[:1], "y": y}, "y belongs to rows: pass X as well"),
        ({"column": "x", "row": X[:1], "X": X, "y": y[:5]}, "X has 60 rows and y has the shape"),
        ({"column": "x", "row": X[:1], "X": X, "y": ["a"] * 60}, "must hold numbers"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            tw.plot_smooth(model, **wrong)


def test_text_on_given_axes_is_never_below_6_points() -> None:
    import matplotlib.pyplot as plt

    model, *_ = iris()
    for width in (3.0, 6.0):
        drawn = tw.plot_tree(model, ax=plt.figure(figsize=(width, width * 2 / 3)).add_subplot())
        assert min(text.get_fontsize() for text in drawn.texts) >= 6
    assert any("leaves" in text.get_text() for text in drawn.texts)  # what does not fit is counted


def test_regions_of_equations_are_painted() -> None:
    data = tw.datasets.load_iris()
    names = list(data.X.columns[2:])
    model = tw.LogisticTreeClassifier().fit(data.X, data.y)
    drawn = tw.plot_regions(model, data.X, data.y, columns=names, row=data.X.iloc[[0]])
    colors = drawn.images[0].get_array()
    left, right, bottom, top = drawn.images[0].get_extent()
    i, j = np.random.default_rng(0).integers(0, 240, (2, 100))
    rows = pd.DataFrame(
        {
            **dict.fromkeys(data.X.columns[:2], 0.0),
            names[0]: left + (j + 0.5) * (right - left) / 240,
            names[1]: bottom + (i + 0.5) * (top - bottom) / 240,
        }
    )
    rows[data.X.columns[:2]] = data.X.iloc[0, :2].to_numpy()
    shares = model.predict_proba(rows)
    hues = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in CLASSES])[shares.argmax(axis=1)]
    wanted = 255 + (hues - 255.0) * 0.4 * ((shares.max(axis=1) - 1 / 3) / (2 / 3))[:, None]
    assert np.abs(colors[i, j] - wanted).max() < 3
    assert drawn.get_title().startswith(f"held: {data.X.columns[0]} = 5.1, ")
    numbers = tw.M5Regressor().fit(data.X[names], data.X.iloc[:, 0])
    drawn = tw.plot_regions(numbers, data.X[names], columns=names)
    assert len(drawn.figure.axes) == 2  # what the lightness means stands beside
    assert len(np.unique(drawn.images[0].get_array().reshape(-1, 3), axis=0)) > 50
    with pytest.raises(ValueError, match="along one or two columns"):
        tw.plot_regions(model, columns=list(data.X.columns[:3]), row=data.X.iloc[[0]])


def test_the_legend_of_a_cube_stands_above_it() -> None:
    model, X, y = iris(max_depth=3)
    drawn = tw.plot_regions(model, X, y, columns=list(X.columns[1:]), row=X.iloc[[0]])
    drawn.figure.canvas.draw()
    legend = drawn.get_legend().get_window_extent()
    for axis in (drawn.xaxis, drawn.yaxis, drawn.zaxis):
        assert not any(
            legend.overlaps(text.get_window_extent()) for text in [axis.label, *axis.get_ticklabels()] if text.get_text()
        )


def test_the_column_of_a_smooth_is_asked_for_by_its_parameter() -> None:
    data = tw.datasets.load_diabetes()
    with pytest.raises(ValueError, match=r"drawn along one: choose one with column="):
        tw.plot_smooth(tw.CARTRegressor(max_depth=3).fit(data.X, data.y), data.X, data.y)


def test_rows_are_points_where_they_are_given() -> None:
    from matplotlib.collections import PathCollection

    model, X, y = iris(max_depth=3)
    names = list(X.columns[2:])
    bare = tw.plot_regions(model, columns=names, row=X.iloc[[0]])
    drawn = tw.plot_regions(model, X, y, columns=names, row=X.iloc[[0]])
    assert not any(isinstance(each, PathCollection) for each in bare.collections)
    places = np.concatenate([each.get_offsets() for each in drawn.collections if isinstance(each, PathCollection)])
    assert sorted(map(tuple, places.tolist())) == sorted(map(tuple, X[names].to_numpy().tolist()))
