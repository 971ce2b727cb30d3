"""How a tree grew, step by step: as text, as a page, in notebooks; what each split was chosen from; every name harmless."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.show.names import HOSTILE
from treewright.errors import visible


class Sections(HTMLParser):
    """The text of every section of a page, its tags, and the pictures' texts."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[list[str]] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "section":
            self.sections.append([])
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "section"

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.inside and data.strip():
            self.sections[-1].append(data.strip())


def read(page: str) -> Sections:
    parser = Sections()
    parser.feed(page)
    return parser


@pytest.fixture(scope="module")
def iris() -> tw.Tree:
    data = tw.datasets.load_iris()
    return tw.CARTClassifier(keep_candidates=True).fit(data.X, data.y).tree_


def test_every_step_tells_what_it_was_chosen_from(iris: tw.Tree) -> None:
    blocks = iris.trace().to_text(max_steps=None).split("\n\n")
    assert blocks[0] == "species: 8 steps to 9 leaves, each the best split of a node at its time"
    assert len(blocks) == 1 + iris.n_splits
    for block, step in zip(blocks[1:], iris.trace(), strict=True):
        assert block.startswith(f"step {step.number}  node {step.node}: {step.path}")
        wanted = sorted((f"{one.gain:.4g}" for one in iris.node(step.node).candidates), key=float, reverse=True)
        lines = block.split("\n")[1:-1]
        assert [line.split()[-1] for line in lines] == wanted
        (made,) = [line for line in lines if "◀" in line]
        assert step.column in made and float(made.split()[-1]) == pytest.approx(step.gain, rel=1e-3)
    assert str(iris.trace()) == iris.trace().to_text()
    assert "… 5 more steps" in iris.trace().to_text(max_steps=3)


def test_the_page_shows_the_tree_after_every_step(iris: tw.Tree, tmp_path: Path) -> None:
    path = tmp_path / "steps.html"
    assert iris.trace().to_html(path) is None
    page = path.read_text(encoding="utf-8")
    assert page == iris.trace().to_html()  # the same bytes
    found = read(page)
    assert len(found.sections) == iris.n_splits and "script" not in found.tags
    for step, words in zip(iris.trace(), found.sections, strict=True):
        answers = [word for word in words if word.startswith("answer: ") or word.endswith(" below")]
        questions = [word for word in words if re.search(r"\(cm\) ≤ [\d.]+\?$", word)]
        assert len(questions) == step.number + 1  # one more in every picture
        assert step.column in words[0]
        assert (
            len([word for word in words if word in {"setosa", "versicolor", "virginica"}]) == step.n_leaves + 3
        )  # and the legend
        assert answers
    assert "default-src 'none'" in page and "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_only_as_many_steps_as_are_wanted(iris: tw.Tree) -> None:
    page = iris.trace().to_html(max_steps=2)
    assert len(read(page).sections) == 2 and "… 6 more steps" in page
    for name in ("max_steps", "max_candidates"):
        for value in (0, -1, 1.5, True, "all"):
            with pytest.raises((ValueError, TypeError), match=f"{name}="):
                iris.trace().to_html(**{name: value})


def test_without_candidates_it_says_how_to_keep_them() -> None:
    data = tw.datasets.load_iris()
    tree = tw.CARTClassifier(max_depth=2).fit(data.X, data.y).tree_
    assert "fit with keep_candidates=True" in tree.trace().to_html()
    assert tree.trace().to_text().count("◀") == 2
    leaf = tw.CARTClassifier().fit(data.X[:50], data.y[:50]).tree_
    assert leaf.trace() == [] and read(leaf.trace().to_html()).sections == []
    assert "0 steps to 1 leaf" in str(leaf.trace())


def test_a_trace_is_a_list() -> None:
    data = tw.datasets.load_iris()
    trace = tw.CARTClassifier(max_depth=2).fit(data.X, data.y).tree_.trace()
    assert isinstance(trace, list) and trace[0].number == 0 and [step.number for step in trace[:1]] == [0]
    assert pickle.loads(pickle.dumps(trace)) == trace


@pytest.mark.parametrize("best_first", [None, 6])
def test_steps_come_in_the_order_in_which_they_were_made(best_first: int | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    tree = tw.CARTClassifier(max_leaf_nodes=best_first, keep_candidates=True).fit(X, rng.integers(0, 2, 300)).tree_
    trace = tree.trace()
    done = {0}
    for step in trace:
        assert step.node in done
        done |= {child.id for child in tree.node(step.node).children}
    assert len(read(trace.to_html(max_steps=5)).sections) == 5


def test_columns_that_are_compared_by_ratio_show_both() -> None:
    data = tw.datasets.load_play_tennis()
    tree = tw.C45Classifier(keep_candidates=True).fit(data.X, data.y).tree_
    first = tree.trace().to_text(max_steps=1)
    assert re.search(r"◀ outlook, 3 ways +0\.2467 \(0\.15\d+\)", first)


def test_numbers_and_equations_have_steps() -> None:
    data = tw.datasets.load_diabetes()
    for model in (tw.CARTRegressor(max_depth=2, keep_candidates=True), tw.M5Regressor()):
        tree = model.fit(data.X, data.y).tree_
        assert len(read(tree.trace().to_html()).sections) == tree.n_splits


def test_notebooks_keep_it_small_and_dark(iris: tw.Tree) -> None:
    bundle = iris.trace()._repr_mimebundle_()
    assert bundle["text/plain"] == iris.trace().to_text(12, 6)
    assert 'data-jp-theme-light="false"' in bundle["text/html"] and "prefers-color-scheme: dark" in bundle["text/html"]
    rng = np.random.default_rng(0)
    X = rng.random((3000, 12))
    big = tw.CARTClassifier(keep_candidates=True).fit(X, rng.integers(0, 3, 3000)).tree_.trace()._repr_mimebundle_()
    assert sum(len(form.encode()) for form in big.values()) < 60_000
    assert re.search(r"… \d+ more steps", big["text/html"])


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_x1_names_are_shown_literally(name: str) -> None:
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "c": [name, "z", "z", "y"]})
    tree = tw.ID3Classifier(keep_candidates=True).fit(X, pd.Series([name, "b", "b", "a"], name=name)).tree_
    for page in (tree.trace().to_html(), tree.trace()._repr_mimebundle_()["text/html"]):
        found = read(page)
        assert not {"script", "img", "iframe", "a"} & set(found.tags)
        assert visible(name)[:50] in "".join(found.words)
    assert all(line.isprintable() for line in tree.trace().to_text().split("\n"))


def test_a_page_is_written_whole_or_not_at_all(iris: tw.Tree, tmp_path: Path) -> None:
    path: Any = tmp_path / "none" / "steps.html"
    with pytest.raises(OSError, match="none"):
        iris.trace().to_html(path)
    assert list(tmp_path.iterdir()) == []
