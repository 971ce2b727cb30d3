"""Dark theme of what notebooks and pages show: as the notebook is set, else as the browser is."""

from __future__ import annotations

from collections.abc import Mapping

_DARK = ('body[data-jp-theme-light="false"]', "body.vscode-dark")  # JupyterLab and those after it, VS Code
_PERHAPS = 'body:not([data-jp-theme-light="true"]):not(.vscode-light)'
# Light and dark are exchanged and hues kept, so that pictures need to be drawn, and saved, once.
TURNED = "filter: invert(0.91) hue-rotate(180deg)"


def dark(rules: Mapping[str, str]) -> str:
    """Write the rules of a dark theme, by selector."""
    forced = "".join(f"{','.join(f'{body} {selector}' for body in _DARK)} {{ {rule} }} " for selector, rule in rules.items())
    perhaps = "".join(f"{_PERHAPS} {selector} {{ {rule} }} " for selector, rule in rules.items())
    return f"{forced}@media (prefers-color-scheme: dark) {{ {perhaps}}}"


def picture_style(scope: str) -> str:
    """The style of pictures in a part of a notebook, by the class of that part."""
    return f"<style>{dark({f'.{scope} svg': TURNED})}</style>"
