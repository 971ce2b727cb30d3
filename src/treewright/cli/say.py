"""What the command line says and where: results on standard output or in a file that is written whole or not at all.

Exit codes: 0 done, 1 internal error, 2 wrong use, 3 bad data, 4 bad model, 5 not enough memory, 130 interrupted, 141 output
pipe closed.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from treewright.cli.wording import cli_words
from treewright.errors import DataFormatError, ModelFormatError, TreewrightWarning, visible

INTERNAL, USAGE, DATA, MODEL, MEMORY, INTERRUPTED, PIPE = 1, 2, 3, 4, 5, 130, 141
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LINE = 200  # characters of an error's line


class UsageError(Exception):
    """The command was called in a way it does not understand: what, where, what to do."""

    def __init__(self, what: str, where: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.where, self.remedy = what, where, remedy


class DataError(UsageError):
    """The data cannot be used as args."""


def exit_code(error: Exception) -> int:
    """Return the exit code for an error."""
    if isinstance(error, (DataError, DataFormatError, OSError)):
        return DATA
    if isinstance(error, ModelFormatError):
        return MODEL
    if isinstance(error, UsageError):
        return USAGE
    return MEMORY if isinstance(error, MemoryError) else INTERNAL


def tell_error(error: Exception) -> None:
    """Say in three lines what is wrong, where, and what to do."""
    if isinstance(error, DataFormatError):
        lines = [error.what, error.where, error.remedy or "fix the file"]
    elif isinstance(error, ModelFormatError):
        lines = [f"{error.path} is not a valid model", error.what, cli_words(error.remedy) or "fit the model again"]
    elif isinstance(error, UsageError):
        lines = [error.what, error.where, error.remedy]
    elif isinstance(error, OSError):
        full = error.errno in _FULL
        name = error.filename if isinstance(error.filename, str) else "standard output" if full else "reading or writing a file"
        remedy = "make room there, or write to another place" if full else "check the path and the permissions"
        lines = [error.strerror or str(error), name, remedy]
    elif isinstance(error, MemoryError):
        lines = ["there is not enough memory", str(error) or "while working", "use fewer rows or columns, or a machine with more"]
    else:
        lines = [f"internal error: {type(error).__name__}: {error}", "this is a fault of treewright, not of your data"]
        lines.append("please report it with the output of the same command and --debug")
    shown = [line if len(line) <= _LINE else f"{line[: _LINE - 1]}…" for line in map(visible, lines)]
    sys.stderr.write(f"error: {shown[0]}\n   {shown[1]}\n   {shown[2]}\n")


def tell_interrupt(begin: float, talk: Talk | None = None) -> int:
    """Say that the user ended a command that began at ``begin``, and which files it had written; return the exit code."""
    files = ", ".join(map(visible, talk.written())) if talk is not None else ""
    sys.stderr.write(f"\ninterrupted after {time.monotonic() - begin:.1f} s, {f'{files} is' if files else 'nothing'} written\n")
    return INTERRUPTED


class _Closed(io.TextIOBase):
    """A standard output that was closed before the program began: nobody reads what is written."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        raise BrokenPipeError

    @property
    def buffer(self) -> Any:
        return self


def open_streams() -> None:
    """Put something in the place of standard streams that are closed; their numbers must not go to other files."""
    if sys.stdout is None or sys.stderr is None:
        while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(handle)
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process


@contextlib.contextmanager
def buffered_output() -> Iterator[None]:
    """Put a buffer before a standard output that has none (``python -u``): a raw write may stop half way and say nothing."""
    out = sys.stdout
    raw = getattr(out, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        yield
        return
    buffer = io.BufferedWriter(raw)
    sys.stdout = io.TextIOWrapper(buffer, encoding=out.encoding, errors=out.errors)
    try:
        yield
    finally:
        for layer in (sys.stdout, buffer):  # taken off again, lest they close what they did not open
            with contextlib.suppress(OSError, ValueError):
                layer.detach()
        sys.stdout = out


def close_pipe() -> None:
    """Keep the interpreter from writing to a pipe that nobody reads when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Talk:
    """How this run of the command speaks: width, colour, signs, for people or machines."""

    def __init__(self, args: Any) -> None:
        self.json = bool(args.json)
        self.quiet = bool(args.quiet)
        self.force = bool(args.force)
        # What `fit` writes to a file is the model; what it says goes to standard output, or beside a model that goes there.
        makes = args.command in ("fit", "prune", "refresh")
        self.model: str | None = args.output if makes else None
        self.output: str = "-" if makes else args.output or "-"
        # What goes to standard output is nothing but the program, or the page.
        self.program = args.command == "export" or (args.command in ("explore", "frontier") and args.output == "-")
        terminal = sys.stdout.isatty()
        self.wraps = bool(args.width) or (terminal and self.output == "-")
        self.width = args.width or (shutil.get_terminal_size().columns if terminal else 120)
        plain = args.no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self.color = terminal and self.output == "-" and not plain and not self.json
        self.ascii = bool(args.ascii) or not _can_write("├→█·")
        self.verbose = not self.quiet
        self._files: dict[str, Any] = {}  # what was there before

    def note(self, text: str) -> None:
        """Say something about the work: on standard output for people, on standard error if machines read that."""
        from treewright.show.cells import wrapped

        if not self.quiet:
            aside = self.json or self.output != "-" or self.model is not None or self.program
            stream = sys.stderr if aside else sys.stdout
            sys.stdout.flush()  # one after the other, where both are seen
            stream.write(wrapped(self.plain(text), self.width) + "\n")

    def result(self, text: str | Callable[[], str], data: Any) -> None:
        """Give the result: text for people or ``data`` as JSON, on standard output or in the file that was named.

        Either may be a function that makes it, where that takes long: only one of them is needed.
        """
        made = data if self.json else text
        made = made() if callable(made) else made
        # ASCII, so that no sign of a name reaches a terminal as it is.
        out = json.dumps(made, indent=1, default=str, allow_nan=False) if self.json else self.plain(made)
        self.write(out + "\n")

    def write(self, text: str) -> None:
        """Write to the output that was named."""
        if self.output == "-":
            (sys.stderr if self.model == "-" else sys.stdout).write(text)
        else:
            self.save(self.output, text.encode("utf-8", "backslashreplace"))

    def write_bytes(self, contents: bytes) -> None:
        """Write bytes as they are to the output that was named."""
        if self.output == "-":
            sys.stdout.flush()
            sys.stdout.buffer.write(contents)
        else:
            self.save(self.output, contents)

    def _begin(self, path: str) -> None:
        """Look at a file before it is written."""
        check_output(path, self.force)
        self._files[path] = _state(path)

    def written(self) -> list[str]:
        """The files that this run has written: those that are not what they were."""
        return [path for path, before in self._files.items() if _state(path) != before]

    def save(self, path: str, contents: bytes) -> None:
        """Write a file and say so."""
        from treewright.store.atomic import write_whole

        self._begin(path)
        write_whole(path, contents)
        if not self.quiet:
            sys.stderr.write(visible(f"wrote {path} ({size_text(os.path.getsize(path))})") + "\n")

    def save_model(self, model: Any) -> str:
        """Write a model to the file that was named, or to standard output; say where it is."""
        assert self.model is not None
        if self.model == "-":
            from treewright.store.files import dumped

            if hasattr(model, "estimator"):  # a stack or a vote
                sys.stdout.buffer.write(dumped("together", model.estimator))
            else:
                sys.stdout.buffer.write(dumped("estimator" if model is not model._model else model.kind, model))
            return ""
        self._begin(self.model)
        model.save(self.model)
        return f"   → {visible(self.model)} ({size_text(os.path.getsize(self.model))})"

    def plain(self, text: str) -> str:
        """Write a text with the signs that can be written."""
        if not self.ascii:
            return text
        signs = {"×": "x", "·": "-", "…": "...", "→": "->", "◀": "<-", "±": "+-", "≠": "!=", "✓": "(right)", "✗": "(wrong)"}
        return text.translate({ord(sign): plain for sign, plain in signs.items()}).encode("ascii", "backslashreplace").decode()


def size_text(n: int) -> str:
    """Write a number of bytes."""
    return f"{n} bytes" if n < 1000 else f"{n / 1000:.1f} kB" if n < 1_000_000 else f"{n / 1e6:.1f} MB"


def _state(path: str) -> tuple[int, ...] | None:
    """What tells a file from the one that was there before."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _can_write(signs: str) -> bool:
    try:
        signs.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


@contextlib.contextmanager
def warning_lines() -> Iterator[None]:
    """Write our own warnings as one line each, and once; those of libraries are for programmers."""
    shown_before: set[str] = set()

    def show(message: Any, *_: Any) -> None:
        if (text := visible(cli_words(str(message)))) not in shown_before:
            shown_before.add(text)
            sys.stderr.write(f"warning: {text}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TreewrightWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def check_output(path: str | None, force: bool) -> None:
    """Refuse a file that cannot be written, before anything long starts; an existing one unless ``force``. Not so pipes."""
    if path in (None, "-"):
        return
    if os.path.isdir(path):
        raise UsageError("this is a folder", path, "name a file in it")
    if os.path.isfile(path) and not force:
        raise UsageError("the file is there already", path, "choose another name, or use --force to replace it")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise UsageError("there is no such folder", folder, "make it first")
    if not os.path.exists(path) and not os.access(folder, os.W_OK):
        raise UsageError("this folder cannot be written to", folder, "choose another, or change its permissions")
