"""Several pieces at once: results in order, errors at once, and an end whenever Ctrl-C comes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from treewright.learn.jobs import run_jobs


def slow(answer: Any) -> Any:
    def job(watch: Any) -> Any:
        for _ in range(3):
            time.sleep(0.001)
            if watch is not None:
                watch(0, 0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return job


def test_results_are_in_order_and_taken_in_order_by_the_caller() -> None:
    taken: list[Any] = []

    def take(at: int, result: int) -> None:
        taken.append((at, result, threading.current_thread() is threading.main_thread()))

    def job(number: int) -> Any:
        return lambda watch: time.sleep(0.002 * (number % 3)) or number * number

    for threads in (1, 2, 5):
        taken.clear()
        assert run_jobs([job(number) for number in range(30)], threads, take=take) == [number * number for number in range(30)]
        assert taken == [(number, number * number, True) for number in range(30)]
    assert run_jobs([], 4) == []


def test_no_more_are_begun_than_needed_ahead() -> None:
    begun: list[int] = []
    gate = threading.Event()

    def job(number: int) -> Any:
        return lambda watch: begun.append(number) or (gate.wait(30) if number == 0 else None)

    def open_soon() -> None:
        while len(begun) < 8:
            time.sleep(0.001)
        time.sleep(0.3)
        before.extend(begun)
        gate.set()

    before: list[int] = []
    opener = threading.Thread(target=open_soon)
    opener.start()
    run_jobs([job(number) for number in range(40)], 2)
    opener.join()
    assert sorted(before) == list(range(8))  # results that wait for the first one take memory


def test_an_error_ends_the_others() -> None:
    ends: list[str] = []

    def endless(watch: Any) -> None:
        try:
            while True:
                watch(0, 0)
                time.sleep(0.001)
        finally:
            ends.append("ended")

    with pytest.raises(ValueError, match="no such row"):
        run_jobs([endless, slow(ValueError("no such row")), *[slow(1)] * 20], 2)
    assert ends == ["ended"]


@pytest.mark.parametrize("system_has", [0, 1, 2])
def test_with_the_threads_there_are(system_has: int, monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = threading.Thread.start, [0]

    def starting(thread: threading.Thread) -> None:
        if started[0] == system_has:
            raise RuntimeError("can't start new thread")
        started[0] += 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", starting)
    assert run_jobs([slow(number) for number in range(20)], 4) == list(range(20))
    assert started == [system_has]


# The interpreter looks for signals after calls, at jumps back and as functions begin: here the calling thread finds one at each
# of these places in turn.
EVERY_STEP = """
import dis, faulthandler, sys, threading, time
from treewright.learn.jobs import run_jobs
LOOKS = {"CALL", "CALL_FUNCTION_EX", "CALL_KW", "JUMP_BACKWARD"}
LOOKS = {dis.opmap[name] for name in LOOKS if name in dis.opmap}
LAST = 4000

def job(watch):
    for _ in range(2):
        time.sleep(0.0005)
        if watch is not None:
            watch(0, 0)

def interrupted_at(look):
    looks, last = [0], {}
    def trace(frame, event, arg):
        frame.f_trace_opcodes = True
        now = event == "call" or (event == "opcode" and last.get(frame) in LOOKS)
        if event == "opcode":
            last[frame] = frame.f_code.co_code[frame.f_lasti]
        looks[0] += now
        if now and looks[0] == look:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    try:
        run_jobs([job] * 10, 2)
        assert looks[0] < look, "lost"
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    return looks[0] == look

for look in range(1, LAST):
    faulthandler.dump_traceback_later(60, exit=True)
    if not interrupted_at(look):
        break
    while threading.active_count() > 1:  # they may be ending
        time.sleep(0.0001)
    faulthandler.cancel_dump_traceback_later()
print("looks", look)
"""


def test_an_interrupt_at_any_step_ends_all() -> None:
    child = subprocess.run([sys.executable, "-c", EVERY_STEP], capture_output=True, text=True, timeout=500, check=False)
    assert child.returncode == 0, child.stderr[-3000:]
    looks = int(child.stdout.split()[1])
    assert 50 < looks < 3999, looks
