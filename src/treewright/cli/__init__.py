"""The command ``treewright``. Importing it loads the standard library only; a command loads what it needs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    from treewright.cli.say import buffered_output, open_streams

    open_streams()
    with buffered_output():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    from treewright.cli.options import parse
    from treewright.cli.say import INTERRUPTED, PIPE, Talk, check_output, close_pipe, exit_code, tell_error, warning_lines

    begin = time.monotonic()
    debug = False
    try:
        asked = parse(list(sys.argv[1:] if argv is None else argv))
        debug = asked.debug
        from treewright.cli.commands import COMMANDS

        for path in (asked.output, getattr(asked, "svg", None), getattr(asked, "png", None)):
            check_output(path, asked.force)
        with warning_lines():
            COMMANDS[asked.command](asked, Talk(asked))
        sys.stdout.flush()
        return 0
    except SystemExit as stop:  # argparse: help, version
        return stop.code if isinstance(stop.code, int) else 2
    except BrokenPipeError:
        close_pipe()
        return PIPE
    except KeyboardInterrupt:
        sys.stderr.write(f"\ninterrupted after {time.monotonic() - begin:.1f} s, nothing written\n")
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        tell_error(error)
        return exit_code(error)
