"""The reference, made from the package itself: a page for every public name, for the command line, and for every module.

Docstrings are in numpy's style; what scikit-learn's base classes bring along is listed with its first line only.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tools.site.blocks import DOCS

FOLDER = "reference"
_UNDERLINE = re.compile(r"^-{3,}$")
_ROLE = re.compile(r":(?:class|func|meth|attr|mod|exc):`~?([^`]+)`")
_PAGE = re.compile(r"``docs/([\w-]+)\.md``")
_ENTRY = re.compile(r"^(\S[^:]*?)(?: : (.+))?$")
COMMANDS = "commands"


def _package() -> ModuleType:
    import treewright

    return treewright


def names() -> list[str]:
    """Return every public name that has a page: all of them but the version."""
    return [name for name in _package().__all__ if not name.startswith("_")]


def groups() -> dict[str, list[str]]:
    """Return the public names by what they are, every one once."""
    tw = _package()
    found: dict[str, list[str]] = {
        "Trees": [],
        "Rules": [],
        "Ensembles": [],
        "Models": [],
        "Functions": [],
        "Figures": [],
        "Results": [],
        "Errors": [],
        "Modules": [],
    }
    for name in names():
        found[_group(name, getattr(tw, name))].append(name)
    return found


def _group(name: str, value: Any) -> str:
    if isinstance(value, ModuleType):
        return "Modules"
    if not isinstance(value, type):
        return "Figures" if name.startswith("plot_") else "Functions"
    if issubclass(value, Exception):
        return "Errors"
    if not (hasattr(value, "fit") or name == "Foil"):
        return "Models" if name in ("Clause", "Clauses", "Forest", "Node", "Rule", "RuleSet", "Tree", "Recipe") else "Results"
    if any(word in name for word in ("Rules", "Ripper", "Irep", "Part", "Foil")):
        return "Rules"
    together = ("Forest", "ExtraTrees", "Bagging", "Committee", "AdaBoost", "Stacking", "Voting", "CoTraining")
    return "Ensembles" if any(word in name for word in together) else "Trees"


def nav() -> list[Any]:
    """Return the reference's part of the site's map."""
    entries: list[Any] = [f"{FOLDER}/index.md", {"Command line": "command-line.md"}, {"All commands": f"{FOLDER}/{COMMANDS}.md"}]
    return [*entries, *({group: [{each: f"{FOLDER}/{each}.md"} for each in found]} for group, found in groups().items())]


def pages() -> dict[str, str]:
    """Return all pages of the reference by their place in the site."""
    tw = _package()
    made = {f"{FOLDER}/{name}.md": page(name, getattr(tw, name)) for name in names()}
    return made | {f"{FOLDER}/index.md": _index(), f"{FOLDER}/{COMMANDS}.md": commands()}


def _index() -> str:
    tw = _package()
    lines = [
        "# Reference",
        "",
        "Every name of `import treewright as tw`, with all options and methods. This part is made from the package itself.",
        "",
    ]
    for group, found in groups().items():
        lines += [f"## {group}", "", "| name | what it is |", "|---|---|"]
        lines += [f"| [`{name}`]({name}.md) | {_cell(_summary(getattr(tw, name)))} |" for name in found]
        lines.append("")
    return "\n".join(lines)


def page(name: str, value: Any) -> str:
    """Return the page of one public name."""
    if isinstance(value, ModuleType):
        return _module(name, value)
    lines = [f"# {name}", "", f"```python\n{_signature(f'tw.{name}', value)}\n```", "", docstring(value), ""]
    if isinstance(value, type):
        lines += _members(value)
    return "\n".join(lines)


def _module(name: str, module: ModuleType) -> str:
    lines = [f"# {name}", "", docstring(module), ""]
    listed = getattr(module, "__all__", None) or sorted(key for key in vars(module) if not key.startswith("_"))
    for key in listed:
        value = getattr(module, key)
        ours = getattr(value, "__module__", "").startswith("treewright") and not isinstance(value, ModuleType)
        if not ours or (not hasattr(module, "__all__") and value.__module__ != module.__name__):
            continue
        if callable(value):
            lines += [f"## {key}", "", f"```python\n{_signature(f'tw.{name}.{key}', value)}\n```", "", docstring(value), ""]
        else:
            lines += [f"## {key}", "", f"`{value!r}`", ""]
    if name == "datasets":
        lines += ["## All tables", "", "| name | rows | columns | target | what it is |", "|---|---|---|---|---|"]
        for key in module.names():
            data = module.load(key)
            lines.append(f"| `{key}` | {len(data.y)} | {data.X.shape[1]} | `{data.target}` | {_cell(_text(data.about))} |")
    return "\n".join(lines) + "\n"


def members(value: type) -> dict[str, Any]:
    """Return the public methods and properties of a class by name, inherited ones included."""
    found = {}
    for name in sorted(dir(value)):
        if name.startswith("_"):
            continue
        each = inspect.getattr_static(value, name)
        if isinstance(each, (classmethod, staticmethod)):
            each = each.__func__
        if isinstance(each, property) or inspect.isfunction(each) or hasattr(each, "func") or callable(getattr(each, "fn", None)):
            found[name] = each
    return found


def _members(value: type) -> list[str]:
    ours, theirs = [], []
    for name, each in members(value).items():
        if isinstance(each, property) or hasattr(each, "func"):
            text = docstring(each.fget if isinstance(each, property) else each.func)
            if text:
                ours += [f"### {name}", "", f"*property.* {text}", ""]
        elif not str(getattr(each, "__module__", "")).startswith("treewright"):
            theirs.append(f"| `{_signature(name, getattr(value, name))}` | {_cell(_summary(getattr(value, name)))} |")
        else:
            ours += [f"### {name}", "", f"```python\n{_signature(name, each)}\n```", "", docstring(each), ""]
    lines = ["## Methods and properties", "", *ours] if ours else []
    if theirs:
        lines += ["## From scikit-learn", "", "| method | what it does |", "|---|---|", *theirs, ""]
    return lines


def commands() -> str:
    """Return the page of all commands: what `--help` prints."""
    from treewright.cli import main

    def asked(*words: str) -> str:
        import contextlib
        import io

        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([*words, "--help"])
        return printed.getvalue().rstrip()

    top = asked()
    verbs = re.findall(r"^ {4}([a-z]+) ", top, re.M)
    lines = [
        "# All commands",
        "",
        "What `treewright --help` prints; [examples](../command-line.md).",
        "",
        f"```text\n{top}\n```",
        "",
    ]
    for verb in verbs:
        lines += [f"## treewright {verb}", "", f"```text\n{asked(verb)}\n```", ""]
    return "\n".join(lines)


def docstring(value: Any) -> str:
    """Return a docstring of numpy's style as Markdown."""
    lines = (inspect.getdoc(value) or "").split("\n")
    sections: list[tuple[str, list[str]]] = [("", [])]
    for at, line in enumerate(lines):
        if at + 1 < len(lines) and line and _UNDERLINE.match(lines[at + 1]):
            sections.append((line, []))
        elif not _UNDERLINE.match(line):
            sections[-1][1].append(line)
    return "\n\n".join(part for title, body in sections if (part := _WRITE.get(title, _plain)(title, body)))


def _plain(title: str, body: list[str]) -> str:
    paragraphs = "\n".join(body).strip("\n")
    text = "\n\n".join(_body(each) for each in re.split(r"\n{2,}", paragraphs) if each.strip())
    return f"**{title}**\n\n{text}" if title else text


def _body(paragraph: str) -> str:
    if paragraph.startswith("    "):
        return "```text\n" + inspect.cleandoc(paragraph) + "\n```"
    if re.match(r"^(- |Args:)", paragraph):
        return _text(paragraph)
    return _text(" ".join(paragraph.split("\n")))


def _entries(title: str, body: list[str]) -> str:
    entries: list[tuple[str, list[str]]] = []
    for line in body:
        if line and not line.startswith(" ") and not (entries and entries[-1][0].rstrip().endswith(",")):
            entries.append((line, []))
        elif line and not line.startswith(" "):
            entries[-1] = (f"{entries[-1][0]} {line}", [])
        elif entries:
            entries[-1][1].append(line.strip())
    rows = []
    for head, text in entries:
        match = _ENTRY.match(head)
        name, kind = (match[1], match[2]) if match else (head, None)
        if title in ("Returns", "Yields") and kind is None:
            shown = f"*{_text(name)}*"
        else:
            shown = ", ".join(f"`{each.strip()}`" for each in name.split(",")) + (f" : *{_text(kind)}*" if kind else "")
        said = _text(" ".join(text))
        rows.append(f"- {shown}" + (f"<br>{said}" if said.strip() else ""))
    return f"**{title}**\n\n" + "\n".join(rows)


def _examples(title: str, body: list[str]) -> str:
    return f"**{title}**\n\n```pycon\n" + "\n".join(body).strip("\n") + "\n```"


_WRITE: dict[str, Callable[[str, list[str]], str]] = {
    "Parameters": _entries,
    "Attributes": _entries,
    "Returns": _entries,
    "Yields": _entries,
    "Raises": _entries,
    "Warns": _entries,
    "Examples": _examples,
}


def _text(text: str) -> str:
    """Turn roles and double backticks of one text into Markdown, and keep its signs from being taken for markup."""
    known = set(names())

    def role(match: re.Match[str]) -> str:
        name = match[1].lstrip(".").removeprefix("tw.")
        return f"[`{name}`]({name}.md)" if name in known else f"``{match[1]}``"

    def linked(match: re.Match[str]) -> str:
        return f"[{match[1]}](../{match[1]}.md)" if (DOCS / f"{match[1]}.md").is_file() else match[0]

    pieces = re.split(
        r"(\[`\w+`\]\([\w.]+\)|\[[\w-]+\]\(\.\./[\w-]+\.md\)|``.+?``|`[^`]+`)", _PAGE.sub(linked, _ROLE.sub(role, text))
    )
    return "".join(
        _code(piece) if piece.startswith("`") else piece if piece.startswith("[") and at % 2 else _escaped(piece)
        for at, piece in enumerate(pieces)
    )


def _code(piece: str) -> str:
    return f"`{piece.strip('`')}`"


def _escaped(text: str) -> str:
    return re.sub(r"([*_|\[\]])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("\\|", "|").replace("|", "\\|")


def _summary(value: Any) -> str:
    return _text((inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " "))


def _signature(name: str, value: Any) -> str:
    """Return a call as one writes it, an option on each line where there are many."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    signature = signature.replace(
        parameters=[
            parameter.replace(annotation=inspect.Parameter.empty)
            for parameter in signature.parameters.values()
            if parameter.name not in ("self", "cls")
        ],
        return_annotation=inspect.Signature.empty,
    )
    short = f"{name}{signature}"
    if len(short) <= 100:
        return short
    stars = [str(parameter) for parameter in signature.parameters.values()]
    keyword = [at for at, parameter in enumerate(signature.parameters.values()) if parameter.kind is parameter.KEYWORD_ONLY]
    if keyword and not any(each.startswith("*") for each in stars[: keyword[0]]):
        stars.insert(keyword[0], "*")
    return f"{name}(\n" + "".join(f"    {each},\n" for each in stars) + ")"
