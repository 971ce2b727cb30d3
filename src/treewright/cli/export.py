"""The command that writes a model as a program or a picture in another language."""

from __future__ import annotations

import sys
from base64 import b64encode
from typing import Any

from treewright.cli.say import Talk, UsageError
from treewright.cli.wording import parted

FORMS = ("sql", "c", "python", "javascript", "onnx", "dot", "mermaid")


def write_export(estimator: Any, asked: Any, talk: Talk) -> None:
    """Write a fitted estimator as ``--to`` says."""
    from treewright.model.exports import Programs

    options: dict[str, Any] = {}
    if asked.to == "sql":
        give = [part for part in asked.give.split(",") if part]
        options = {"dialect": asked.dialect, "table": asked.table, "give": give, "keep": asked.keep, "key": asked.key}
    elif asked.to == "c":
        options = {"name": asked.name}
    if not isinstance(estimator, Programs) or (asked.to in ("dot", "mermaid") and not estimator._model.has_nodes):
        raise UsageError(
            "this model is a list of rules, not a tree", f"--to {asked.to}", "use --to sql, c, python, javascript or onnx"
        )
    try:
        made = getattr(estimator, f"to_{asked.to}")(**options)
    except (ValueError, ImportError) as error:
        what, remedy = parted(error)
        raise UsageError(what, f"--to {asked.to}", remedy or "see --help") from error
    contents = made.SerializeToString() if asked.to == "onnx" else made
    if talk.json:
        form = {"program": contents} if isinstance(contents, str) else {"base64": b64encode(contents).decode()}
        talk.result("", {"language": asked.to, **({"dialect": asked.dialect} if asked.to == "sql" else {}), **form})
    elif isinstance(contents, str):
        talk.write(contents)
    elif talk.output == "-":
        sys.stdout.buffer.write(contents)
    else:
        talk.save(talk.output, contents)
