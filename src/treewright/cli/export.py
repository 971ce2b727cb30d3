"""The command that writes a model as a program or a picture in another language."""

from __future__ import annotations

import sys
from base64 import b64encode
from typing import Any

from treewright.cli.model_text import what
from treewright.cli.say import Talk, UsageError
from treewright.cli.wording import parted

FORMS = ("sql", "c", "python", "javascript", "onnx", "dot", "mermaid")


def write_export(estimator: Any, args: Any, talk: Talk) -> None:
    """Write a fitted estimator as ``--to`` says."""
    from treewright.model.exports import Programs

    options: dict[str, Any] = {}
    if args.to == "sql":
        give = [entry for entry in args.give.split(",") if entry]
        options = {"dialect": args.dialect, "table": args.table, "give": give, "keep": args.keep, "key": args.key}
    elif args.to == "c":
        options = {"name": args.name}
    if args.columns is not None:
        if args.to in ("sql", "dot", "mermaid"):
            raise UsageError("--columns is about rows that are handed over one by one", f"--to {args.to}", "leave it out")
        options["columns"] = args.columns
    if not isinstance(estimator, Programs) or (args.to in ("dot", "mermaid") and not estimator._model.has_nodes):
        forest = estimator._model.kind == "forest"
        remedy = "use --to sql, c, python, javascript or onnx" + ("; or name one member: --member 0" if forest else "")
        raise UsageError(f"this model is {what(estimator._model)}, not a tree", f"--to {args.to}", remedy)
    try:
        made = getattr(estimator, f"to_{args.to}")(**options)
    except (ValueError, ImportError) as error:
        fault, remedy = parted(error)
        raise UsageError(fault, f"--to {args.to}", remedy or "see --help") from error
    contents = made.SerializeToString() if args.to == "onnx" else made
    if talk.json:
        form = {"program": contents} if isinstance(contents, str) else {"base64": b64encode(contents).decode()}
        talk.result("", {"language": args.to, **({"dialect": args.dialect} if args.to == "sql" else {}), **form})
    elif isinstance(contents, str):
        talk.write(contents)
    elif talk.output == "-":
        sys.stdout.buffer.write(contents)
    else:
        talk.save(talk.output, contents)
