"""A PostgreSQL server of the tests' own: made in a temporary folder, reached by a socket, gone with the process."""

from __future__ import annotations

import atexit
import csv
import io
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

_PLACES = ["/usr/lib/postgresql", "/usr/local/pgsql"]


def programs() -> Path | None:
    """Folder of the server's programs, of the newest version that is installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    places = [path.parent for place in _PLACES for path in Path(place).glob("**/initdb")]
    return max(places, key=lambda path: [int(part) if part.isdigit() else 0 for part in path.parts], default=None)


def _user() -> list[str]:
    # The server refuses to run as root.
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


def _watch(folder: Path, stop: list[str]) -> subprocess.Popen[bytes]:
    """Stop the server and remove its folder once this process is gone, be it killed: then what the watcher reads ends."""
    script = 'read _; folder=$1; shift; "$@"; rm -rf "$folder"'
    command, quiet = ["sh", "-c", script, "watch", str(folder), *stop], subprocess.DEVNULL
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)


@cache
def server() -> tuple[Path, Path] | None:
    """Start a server; the folders of its programs and of its socket, or None where none is installed."""
    home = programs()
    if home is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="treewright-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    made = [*_user(), str(home / "initdb"), "-D", str(folder / "data"), "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C"]
    subprocess.run([*made, "--no-sync"], check=True, capture_output=True)
    # Compiling a long query for a few rows takes a hundred times longer than running it.
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_stack_depth=4MB -c jit=off"
    start = [*_user(), str(home / "pg_ctl"), "-D", str(folder / "data"), "-w", "-l", str(folder / "log"), "-o", options, "start"]
    stop = [*_user(), str(home / "pg_ctl"), "-D", str(folder / "data"), "-m", "immediate", "stop"]
    atexit.register(_watch(folder, stop).communicate)
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return home, folder


def run(create: str, query: str) -> list[list[str]]:
    """Make a table and query it; the rows as texts."""
    found = server()
    if found is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    home, socket = found
    begin = "\\set ON_ERROR_STOP on\nSET client_min_messages = error;\n"
    script = f"{begin}{create}\n\\pset format csv\n\\pset tuples_only on\n{query};\n"
    command = [str(home / "psql"), "-X", "-q", "-h", str(socket), "-U", "tests", "-d", "postgres", "-f", "-"]
    done = subprocess.run(command, input=script.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[:2000]
    return list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
