"""Map, reference, glossary, bibliography, gallery and notebooks of the site are whole; what is built leads nowhere else."""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from tools.site import check, gallery, notebooks, reference
from tools.site.blocks import DOCS, PICTURE, ROOT, blocks

MAP = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_page_is_on_the_map() -> None:
    listed = set(re.findall(r"[\w/.-]+\.md", MAP)) | {"command-line.md"}  # that one stands among the reference
    written = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    made = {f"notebooks/{name}.md" for name in notebooks.names()} | set(gallery.pages())
    made |= set(re.findall(r"project/[A-Z]+\.md", MAP))  # the pages that lie beside docs
    assert listed == written | made, "write new pages of docs into the map in mkdocs.yml"


def test_the_site_asks_no_other_host() -> None:
    assert "font: false" in MAP and "- offline" in MAP and "strict: true" in MAP
    assert "://" not in MAP
    for path in (DOCS / "assets").iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in text.replace("file://", "").replace("// Search", ""), path


def test_a_built_site_is_checked(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text('<a href="sub/page.html#here">a</a><img src="p.svg"><a href="#top">b</a>')
    (tmp_path / "sub" / "page.html").write_text('<h1 id="here">x</h1><a href="../index.html">back</a><a href="..">up</a>')
    (tmp_path / "p.svg").write_text("<svg/>")
    assert check.problems(tmp_path) == ["index.html: #top: no such place on the page"]
    (tmp_path / "index.html").write_text(
        '<script src="https://cdn.example/x.js"></script><link href="//fonts.example/a.css"><a href="gone.html">c</a>'
        '<a href="sub/page.html#there">d</a><a href="../outside.html">e</a><a href="file:///a.html">f</a><a href="https://project.example">g</a>'
    )
    (tmp_path / "a.css").write_text(
        "@import url('https://fonts.example/b.css'); body { background: url(data:image/png;base64,AA) }"
    )
    assert check.problems(tmp_path) == [
        "index.html: https://cdn.example/x.js: is fetched from another host",
        "index.html: //fonts.example/a.css: is fetched from another host",
        "index.html: gone.html: is not there",
        "index.html: sub/page.html#there: no such place on the page",
        "index.html: ../outside.html: is not there",
        "index.html: file:///a.html: leads nowhere",
        "a.css: fetches from another host",
    ]


def test_the_reference_has_every_name() -> None:
    made = reference.pages()
    public = [name for name in tw.__all__ if name != "__version__"]
    assert sorted(made) == sorted(
        [f"reference/{name}.md" for name in public] + ["reference/index.md", f"reference/{reference.COMMANDS}.md"]
    )
    assert sorted(name for group in reference.groups().values() for name in group) == sorted(public)
    on_map = re.findall(r"reference/(\w+)\.md", json.dumps(reference.nav()))
    assert sorted(on_map) == sorted([*public, "index", reference.COMMANDS])
    for name in public:
        assert f"[`{name}`]({name}.md)" in made["reference/index.md"]


@pytest.mark.parametrize(
    "name", [name for name in tw.__all__ if inspect.isclass(getattr(tw, name)) or inspect.isfunction(getattr(tw, name))]
)
def test_the_reference_has_every_option_and_method(name: str) -> None:
    value = getattr(tw, name)
    text = reference.page(name, value)
    code, _, prose = text.partition("```\n")
    if not (inspect.isclass(value) and issubclass(value, Exception)):
        for parameter in inspect.signature(value).parameters.values():
            assert re.search(rf"\b{parameter.name}\b", code), parameter.name
    if hasattr(value, "fit"):
        for option in inspect.signature(value).parameters:
            assert f"`{option}`" in prose, f"{name} does not say what {option} is"
    for member in reference.members(value) if inspect.isclass(value) else ():
        each = inspect.getattr_static(value, member)
        if not isinstance(each, property) and str(getattr(each, "__module__", "")).startswith("treewright"):
            assert f"### {member}\n" in prose


def test_the_reference_has_every_command() -> None:
    text = reference.commands()
    for verb in (
        "fit",
        "predict",
        "show",
        "rules",
        "export",
        "eval",
        "explain",
        "prune",
        "explore",
        "frontier",
        "drift",
        "check",
    ):
        assert f"## treewright {verb}\n\n```text\nusage: treewright {verb} " in text


def test_docstrings_become_markdown() -> None:
    def described(a: int, b: int = 1) -> None:
        """Do *this*, see :class:`Tree` and ``docs/rules.md``.

        More of a_b <c> here.

        Parameters
        ----------
        a, b : {"x", "y"}
            What ``a`` is.
        """

    assert reference.docstring(described) == (
        "Do \\*this\\*, see [`Tree`](Tree.md) and [rules](../rules.md).\n\nMore of a\\_b &lt;c> here.\n\n"
        '**Parameters**\n\n- `a`, `b` : *{"x", "y"}*<br>What `a` is.'
    )


def test_the_glossary_is_sorted_and_whole() -> None:
    """Acceptance row 166, and the words of the course."""
    words = re.findall(r"^(\S.*)\n:   ", page("glossary.md"), re.M)
    assert words == sorted(words, key=lambda word: word.lower())
    text = "\n".join(words).lower() + page("glossary.md").lower()
    for word in (
        "credit assignment",
        "direct and indirect examples",
        "reinforcement learning",
        "unsupervised",
        "incremental learner",
        "deterministic learner",
        "eager learner",
        "batch learner",
    ):
        assert word in text, word
    assert len(words) == len(set(words)) >= 100


@pytest.mark.parametrize(
    ("who", "year"),
    [
        ("Hunt, J. Marin and P. J. Stone", 1966),
        *[("J. R. Quinlan (", year) for year in (1986, 1990, 1993, 1995)],
        ("Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone", 1984),
        ("W. W. Cohen", 1995),
        ("Fürnkranz and G. Widmer", 1994),
        ("Murthy, S. Kasif and S. Salzberg", 1994),
        ("S. K. Murthy (", 1998),
        ("Rokach and O. Maimon", 2005),
        ("Guo and S. B. Gelfand", 1992),
        ("Brodley and P. E. Utgoff", 1995),
        ("Loh and N. Vanichsetakul", 1988),
        ("Loh and Y.-S. Shih", 1997),
        *[("Yıldız and E. Alpaydın", year) for year in (2000, 2001)],
        ("Devroye, L. Györfi and G. Lugosi", 1996),
        ("T. M. Mitchell (", 1997),
        ("T. G. Dietterich (", 1997),
        ("Hyafil and R. L. Rivest", 1976),
    ],
)
def test_the_bibliography_is_whole(who: str, year: int) -> None:
    """Acceptance row 167."""
    assert any(who in line and f"({year})" in line for line in page("bibliography.md").splitlines())


@pytest.mark.parametrize(
    ("row", "name", "place", "shows"),
    [
        (56, "learn/concepts.md", "## Side by side, after two rows", "version space: None   tree: yes"),
        (112, "learn/regression.md", "{ #regressogram }", "![Stairs of unequal width"),
        (122, "learn/rules.md", "{ #depth-first }", "depth first: one rule to its end"),
        (154, "learn/among-others.md", "{ #neighbours }", "cells looked at: tree"),
        (155, "learn/among-others.md", "{ #discriminants }", "descriptions of 'corners': 2"),
        (156, "learn/among-others.md", "{ #yardstick }", "small tree 0."),
    ],
)
def test_rows_of_the_course_have_a_figure_or_a_measurement(row: int, name: str, place: str, shows: str) -> None:
    text = page(name)
    assert shows in text[text.index(place) :], row


def test_chapters_have_exercises_with_solutions() -> None:
    chapters = sorted(re.findall(r"\d+\. [^:]+: (learn/[\w-]+\.md)", MAP))
    assert len(chapters) == 12
    for name in chapters:
        exercises = page(name).split("## Exercises")[1]
        count = len(re.findall(r"^\*\*\d\.\*\*", exercises, re.M))
        assert 3 <= count <= 5
        assert exercises.count("<summary>Solution</summary>") == count
        assert len(re.findall(r"<summary>Solution</summary>\n\n(?:(?!</details>).)*?```python\n", exercises, re.S)) == count


def test_the_gallery_has_thirty_figures_with_their_code() -> None:
    shown = gallery.figures()
    assert len(shown) >= 30
    assert (
        len({(where, name) for where, name, _, _ in shown}) == len(shown) == len({(where, file) for where, _, _, file in shown})
    )
    for where, name, title, file in shown:
        body = page(f"gallery/{where}.md").split(f"{{ #{name} }}")[1].split("\n## ")[0]
        assert file in "".join(block.code for block in blocks(body)), title


def test_the_front_page_fits_on_a_screen() -> None:
    hero = page("index.md").split('<div class="hero" markdown>')[1].split("| | |")[0]
    assert len(blocks(hero)) == 1 and len([line for line in blocks(hero)[0].code.splitlines() if line]) == 5
    assert len(PICTURE.findall(hero)) == 1
    assert len(re.findall(r"\*\*\[[^\]]+\]\([^)]+\)\*\*", hero)) == 3


@cache
def executed(name: str) -> Any:
    return notebooks.executed(name)


@pytest.mark.parametrize("name", notebooks.names())
def test_notebooks_run(name: str) -> None:
    kept = json.loads((notebooks.FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert not any(cell.get("outputs") for cell in kept["cells"]), "notebooks are kept without answers"
    assert sum(bool(cell.get("outputs")) for cell in executed(name).cells) >= 3


def test_a_notebook_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": None, "outputs": [], "source": "1 / 0"}
    spoiled = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    (tmp_path / "bad.ipynb").write_text(json.dumps(spoiled))
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    with pytest.raises(RuntimeError, match="division by zero"):
        notebooks.executed("bad")


def test_there_are_five_notebooks_and_one_grows_play_tennis_step_by_step() -> None:
    assert len(notebooks.names()) == 5
    text = (notebooks.FOLDER / "1-play-tennis.ipynb").read_text(encoding="utf-8")
    assert all(f"## Step {step}" in text for step in range(4))
    answers = "".join(
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for cell in executed("1-play-tennis").cells
        for output in cell.get("outputs", [])
    )
    assert "outlook: gain 0.247" in answers and "humidity: gain 0.971" in answers
    assert "0 all rows → outlook\n1 outlook = sunny → humidity\n2 outlook = rain → wind" in answers
