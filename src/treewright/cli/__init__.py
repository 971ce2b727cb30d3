"""The command ``treewright``. Importing it loads the standard library only; a command loads what it needs."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from typing import NoReturn


def process() -> NoReturn:
    """Be the process ``treewright``: run the command line, and end with its exit code."""
    code = main()
    if code == 130:
        # An interrupt inside an import may leave a mark by which the interpreter, at its end, kills itself with the signal.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    begin = time.monotonic()
    try:
        from treewright.cli.say import buffered_output, open_streams

        open_streams()
        with buffered_output():
            return _run(argv, begin)
    except KeyboardInterrupt:  # before the command began
        from treewright.cli.say import tell_interrupt

        return tell_interrupt(begin)


def _run(argv: Sequence[str] | None, begin: float) -> int:
    from treewright.cli.options import parse
    from treewright.cli.say import PIPE, Talk, check_output, close_pipe, exit_code, tell_error, tell_interrupt, warning_lines

    debug, talk = False, None
    try:
        args = parse(list(sys.argv[1:] if argv is None else argv))
        debug = args.debug
        from treewright.cli.commands import COMMANDS

        for path in (args.output, getattr(args, "svg", None), getattr(args, "png", None)):
            check_output(path, args.force)
        talk = Talk(args)
        with warning_lines():
            COMMANDS[args.command](args, talk)
        sys.stdout.flush()
        return 0
    except SystemExit as stop:  # argparse: help, version
        return stop.code if isinstance(stop.code, int) else 2
    except BrokenPipeError:
        close_pipe()
        return PIPE
    except KeyboardInterrupt:
        return tell_interrupt(begin, talk)
    except Exception as error:
        if debug:
            raise
        tell_error(error)
        return exit_code(error)
