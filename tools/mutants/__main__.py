"""Plant small faults in a room, one at a time, run its tests, and tell which of them nobody noticed: `make mutants`.

Everything happens in a copy of the project, so that an interruption leaves nothing behind. A test that fails or does not end has
caught the fault. What does not compile, or cannot be imported, says nothing of the tests and is left out.
"""

from __future__ import annotations

import argparse
import compileall
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tools.mutants.fault import Fault
from tools.mutants.python_faults import python_faults
from tools.mutants.rooms import Room, files_of, rooms
from tools.mutants.text_faults import text_faults

TOP = Path(__file__).parents[2]
PASSED, FAILED = 0, 1
MEMORY = 8 << 30  # bytes a test may take: a loop that does not end may fill a list
SLOWEST = 60.0, 3.0  # seconds, and times what the tests take without a fault, until a run counts as one that does not end


def faults_in(path: str, source: bytes) -> list[Fault]:
    """The faults that a file can have."""
    return python_faults(path, source) if path.endswith(".py") else text_faults(path, source)


def drawn(room: Room, top: Path, count: int, seed: int) -> list[Fault]:
    """Some of all faults of a room, each as likely as any other."""
    every = [fault for path in files_of(room, top) for fault in faults_in(path, (top / path).read_bytes())]
    return random.Random(seed).sample(every, min(count, len(every)))


class Copy:
    """A copy of the project, built, in which the tests run."""

    def __init__(self, folder: Path, python: str) -> None:
        self.top, self.python = folder / TOP.name, python
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, check=True, capture_output=True
        )
        built = [path.relative_to(TOP).as_posix() for path in (TOP / "src" / "treewright").glob("_core*")]
        for name in [*filter(None, listed.stdout.decode().split("\0")), *built]:
            if (TOP / name).is_file():
                (self.top / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(TOP / name, self.top / name)
        shared = TOP.parent / "shared"
        if shared.is_dir():
            (folder / "shared").symlink_to(shared)
        compileall.compile_dir(str(self.top / "src"), quiet=2)

    def build(self) -> bool:
        """Build the core, not optimised; whether it compiles."""
        place = self.top / "build" / "quick"
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        environment = os.environ | {
            "PATH": f"{Path(self.python).parent}:{os.environ['PATH']}",
            "CCACHE_SLOPPINESS": "pch_defines,time_macros",
            "CCACHE_BASEDIR": str(self.top),
            "CCACHE_NOHASHDIR": "1",
        }
        options = ["-DTREEWRIGHT_OPTIMISE=0", "-DCMAKE_BUILD_TYPE=None", f"-DPython_EXECUTABLE={self.python}", *launcher]
        configure = ["cmake", "-S", str(self.top), "-B", str(place), "-G", "Ninja", *options]
        build = ["cmake", "--build", str(place), "--target", "_core"]
        for command in (configure, build):
            if subprocess.run(command, env=environment, capture_output=True).returncode:
                return False
        for made in place.glob("_core*.so"):
            shutil.copy2(made, self.top / "src" / "treewright" / made.name)
        return True

    def test(self, tests: tuple[str, ...], seconds: float | None) -> tuple[int | None, str]:
        """Run tests up to the first that fails: how they end, None where they do not, and which failed."""
        there = [each for each in tests if (self.top / each).exists()]
        command = [self.python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", "--tb=no", *there]
        environment = os.environ | {"PYTHONPATH": "src:.", "PYTHONDONTWRITEBYTECODE": "1"}
        with subprocess.Popen(
            command,
            cwd=self.top,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)),
        ) as running:
            try:
                said, _ = running.communicate(timeout=seconds)
            except BaseException as error:
                os.killpg(running.pid, signal.SIGKILL)
                running.communicate()
                if isinstance(error, subprocess.TimeoutExpired):
                    return None, "does not end"
                raise
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return running.returncode, failed[0].split(" - ")[0] if failed else said[-2000:]

    def tried(self, fault: Fault, tests: tuple[str, ...], seconds: float) -> tuple[str, str]:
        """What becomes of a fault: "caught", "lived" or "left out", and by which test."""
        path = self.top / fault.path
        good = path.read_bytes()
        path.write_bytes(fault.planted(good))
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):  # its time may be that of the fault, too
            stale.unlink()
        try:
            if path.suffix in (".cpp", ".hpp") and not self.build():
                return "left out", "does not compile"
            code, said = self.test(tests, seconds)
        finally:
            path.write_bytes(good)
        return ("lived", "") if code == PASSED else ("caught", said if code in (FAILED, None) else f"ends with {code}")


def main() -> None:
    """Read what is asked for, plant and report."""
    known = rooms()
    reader = argparse.ArgumentParser(prog="make mutants", description=__doc__.splitlines()[0])
    reader.add_argument("room", choices=sorted(known), metavar="ROOM", help=", ".join(sorted(known)))
    reader.add_argument("n", type=int, metavar="N", help="how many faults")
    reader.add_argument("seed", type=int, metavar="SEED", help="which of them")
    reader.add_argument("--tests", nargs="+", help="other tests than those of the room")
    asked = reader.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell: tests of Ctrl-C would fail
    room = known[asked.room]
    tests = tuple(asked.tests or room.tests)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Copy(Path(folder), sys.executable)
        if asked.room.startswith("core/") and not copy.build():
            sys.exit("the core does not compile as it is")
        begin = time.monotonic()
        code, said = copy.test(tests, None)
        seconds = time.monotonic() - begin
        if code != PASSED:
            sys.exit(f"without a fault the tests must pass: {said}")
        print(f"{asked.room}: the tests pass in {seconds:.0f} s", flush=True)
        met: Counter[str] = Counter()
        for fault in drawn(room, TOP, asked.n, asked.seed):
            what, by = copy.tried(fault, tests, SLOWEST[0] + SLOWEST[1] * seconds)
            met[what] += 1
            print(f"{what:8} {fault.told((TOP / fault.path).read_bytes())}" + (f"\n    {by}" if by else ""), flush=True)
    decided = met["caught"] + met["lived"]
    share = f" ({met['caught'] / decided:.0%})" if decided else ""
    rest = f"{met['lived']} lived, {met['left out']} left out"
    print(f"{asked.room}, seed {asked.seed}: {met['caught']} of {decided} caught{share}, {rest}")


if __name__ == "__main__":
    main()
