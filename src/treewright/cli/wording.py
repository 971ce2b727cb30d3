"""What the package says to Python, in words of the command line; what a message quotes (names, values) stays as it is."""

from __future__ import annotations

import re

# A repr, whole or cut short by an ellipsis; an apostrophe inside a word or at its end is none.
_QUOTED = r"""(?<![\w'"])(?:'(?:\\.|[^'\\])*'(?!\w)|"(?:\\.|[^"\\])*"(?!\w)|['"][^…]*…)"""
_LISTED = r"(?<==)[\[{].*?[\]}…](?=[\s;:]|$)"  # a list or a dict as a value
_PYTHON = re.compile(rf"\b([a-z]\w*)=({_QUOTED}|{_LISTED}|[^\s;,:)]*)|{_QUOTED}")
_OPTIONS = {
    "missing": "missing-policy",
    "monotonic_cst": "monotonic",
    "interaction_cst": "interactions",
    "categorical_features": "categorical",
    "include_rows": "rows",
    "folds": "cv",
}


def cli_words(text: str) -> str:
    """Write advice for Python as advice for the command line: ``max_depth=3`` as ``--max-depth 3``."""
    text = re.sub(r"est\.prune\(\.\.\., folds=(\d+)\)", r"--cv \1", text.replace("load(path, edited=True)", "--edited"))
    text = re.sub(r",? such as X\[.*$", "", text)

    def option(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        name = _OPTIONS.get(found[1], found[1].replace("_", "-"))
        value = "" if found[2] in ("", "True") else f" {found[2].strip(chr(39) + chr(34))}"
        return f"--{name}{value}"

    return _PYTHON.sub(option, text)


def parted(error: Exception | str) -> tuple[str, str]:
    """Divide an error's text into what is wrong and what to do (after a semicolon, else a colon), in these words."""
    text = str(error)
    for sign in ("; ", ": "):
        for found in re.finditer(f"{_QUOTED}|{_LISTED}|({sign})", text):
            if found[1]:
                return cli_words(text[: found.start()]), cli_words(text[found.end() :])
    return cli_words(text), ""
