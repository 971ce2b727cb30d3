"""Requests that a server must survive and refuse: cases X4 and X5 of the reliability page."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import threading
import time
from pathlib import Path

import pytest

import treewright as tw
from treewright.workbench import server as serving
from treewright.workbench.server import LARGEST, Server
from treewright.workbench.session import Session

TENNIS = tw.datasets.load_play_tennis()


def edit():
    return tw.ID3Classifier().fit(TENNIS.X, TENNIS.y).edit(TENNIS.X, TENNIS.y)


@pytest.fixture
def bench(tmp_path):
    server = Server(Session(edit(), (TENNIS.X, TENNIS.y), str(tmp_path / "log.json"))).start()
    yield server
    server.close()


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"X-Treewright-Token": server.token, "Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    with contextlib.closing(connection):
        connection.request(method, path, sent, {name: value for name, value in given.items() if value is not None})
        answer = connection.getresponse()
        return answer, answer.read()


def post(server, path, body, **headers):
    answer, contents = ask(server, "POST", path, body, **headers)
    return answer.status, json.loads(contents)


def raw(server, data, wait=5.0):
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as line:
        line.sendall(data)
        out = b""
        try:
            while piece := line.recv(65536):
                out += piece
        except (TimeoutError, ConnectionError):
            pass
        return out


def test_x5_it_listens_on_this_machine_alone(bench):
    assert bench.http.server_address[0] == "127.0.0.1"
    assert bench.url.startswith("http://127.0.0.1:")
    assert bench.url.partition("#")[2] == bench.token
    assert len(bench.token) >= 32


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//",
        "//etc/passwd",
        "/\\..\\",
        "/%00",
        "/.env",
        "/workbench.js/",
        "/workbench.js?x",
        "/WORKBENCH.JS",
        "/page/workbench.js",
        "/tree/",
        "/tree/../workbench.js",
        "/tree/guess",
        "/api/state",
        "http://127.0.0.1/",
        "/log.json",
    ],
)
def test_x4_paths_are_a_few_and_lead_to_no_file(bench, path):
    answer, contents = ask(bench, "GET", path)
    assert answer.status in (400, 403, 404)
    assert b"root:" not in contents


def test_x4_links_and_files_beside_the_log_are_not_served(bench, tmp_path):
    (tmp_path / "secret.html").write_text("secret")
    os.symlink("/etc/passwd", tmp_path / "link.html")
    for path in ("/secret.html", "/link.html", f"/{tmp_path}/secret.html"):
        assert ask(bench, "GET", path)[0].status == 404


def test_x4_long_addresses_and_large_bodies_are_refused_unread(bench):
    assert b" 414 " in raw(bench, b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n").split(b"\r\n")[0]
    head = f"POST /api/edit HTTP/1.1\r\nHost: 127.0.0.1:{bench.port}\r\nX-Treewright-Token: {bench.token}\r\n"
    for length in (str(1 << 30), str(LARGEST + 1), "9" * 40):
        begin = time.monotonic()
        answer = raw(bench, f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode())
        assert b" 413 " in answer.split(b"\r\n")[0]
        assert time.monotonic() - begin < 4
    for length in ("-1", "1e3", "x", "٣"):
        answer = raw(bench, f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode())
        assert b" 411 " in answer.split(b"\r\n")[0]
    both = f"{head}Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{{}}"
    assert b" 411 " in raw(bench, both.encode()).split(b"\r\n")[0]
    many = "".join(f"X-{at}: y\r\n" for at in range(300))
    assert b" 431 " in raw(bench, f"{head}{many}\r\n".encode()).split(b"\r\n")[0]


def test_x4_who_is_slow_is_cut_off_and_keeps_nobody_waiting(bench, monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE", 1.0)
    lines = [socket.create_connection(("127.0.0.1", bench.port)) for _ in range(serving.MOST + 8)]
    stop = threading.Event()

    def drip():
        while not stop.wait(0.2):
            for line in lines:
                with contextlib.suppress(OSError):
                    line.send(b"G")

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        deadline = time.monotonic() + 15
        while True:
            try:
                status, _ = post(bench, "/api/state", {})
                assert status == 200
                break
            except (OSError, http.client.HTTPException):
                assert time.monotonic() < deadline, "slow lines keep others out"
                time.sleep(0.2)
    finally:
        stop.set()
        dripping.join()
        for line in lines:
            line.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"X_Treewright_Token": None},
        {"X_Treewright_Token": ""},
        {"X_Treewright_Token": "guess"},
    ],
)
def test_x5_other_hosts_origins_and_tokens_are_refused(bench, headers):
    status, told = post(bench, "/api/edit", {"verb": "cut", "node": 0, "version": 0}, **headers)
    assert status == 403
    assert told.keys() == {"error"}
    assert bench.session.version == 0


def test_x5_the_token_is_compared_in_constant_time_and_never_served(bench):
    import inspect

    assert "compare_digest" in inspect.getsource(serving._Handler._known)
    for path in ("/", "/nothing", "/tree/x"):
        answer, contents = ask(bench, "GET", path, X_Treewright_Token=None)
        assert bench.token.encode() not in contents
        assert bench.token not in str(answer.headers)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_pages_of_the_explorer_are_fetched_once(bench):
    status, told = post(bench, "/api/page", {})
    assert status == 200
    first, contents = ask(bench, "GET", told["page"], X_Treewright_Token=None)
    assert first.status == 200
    assert b"Content-Security-Policy" in contents
    assert ask(bench, "GET", told["page"])[0].status == 404


@pytest.mark.parametrize("body", [b"", b"[]", b"3", b"{", b"[" * 60_000, b"\xff\xfe", b'{"version": NaN}'])
def test_bodies_that_say_nothing_are_refused(bench, body):
    assert post(bench, "/api/edit", body)[0] in (400, 409, 422)
    assert ask(bench, "PUT", "/api/edit", b"{}")[0].status == 501
    assert post(bench, "/api/edit", b"{}", Content_Type="text/plain")[0] == 415
    assert bench.session.version == 0


@pytest.mark.parametrize(
    "asked",
    [
        {"verb": "__init__", "node": 0},
        {"verb": "apply", "node": 0},
        {"verb": ["cut"], "node": 0},
        {"verb": "cut", "node": "0"},
        {"verb": "cut", "node": [0]},
        {"verb": "cut", "node": 10**30},
        {"verb": "cut"},
        {"verb": "split", "node": 1, "column": {"a": 1}},
        {"verb": "split", "node": 1, "column": "outlook", "levels": [99]},
        {"verb": "split", "node": 1, "column": "outlook", "levels": "sunny"},
        {"verb": "split", "node": 1, "column": "x" * 10_000},
        {"verb": "relabel", "node": 2, "says": 99},
        {"verb": "relabel", "node": 2, "says": "yes"},
        {"verb": "merge", "nodes": "12"},
        {"verb": "merge", "nodes": [None, {}]},
        {"verb": "grow", "node": 0, "steps": 10**9 * [0][0] or "all"},
        {"verb": "swap", "node": 0, "candidate": -1},
    ],
)
def test_odd_edits_are_one_error_and_change_nothing(bench, asked):
    before = bench.session.edit.tree
    status, told = post(bench, "/api/edit", {"version": 0, **asked})
    assert status == 422
    assert told["error"]
    assert bench.session.edit.tree is before
    for path in ("/api/alternatives", "/api/column", "/api/compare", "/api/keep", "/api/export"):
        assert post(bench, path, {"node": "x", "column": "y", "name": 3, "what": "../../etc/passwd"})[0] == 422


def test_edits_of_another_state_are_refused(bench):
    first = post(bench, "/api/edit", {"version": 0, "verb": "cut", "node": 1})
    assert first[0] == 200
    assert first[1]["version"] == 1
    late = post(bench, "/api/edit", {"version": 0, "verb": "cut", "node": 3})
    assert late[0] == 409
    assert bench.session.edit.tree.n_leaves == 4


def test_many_windows_at_once_lose_no_edit_and_make_none_twice(bench):
    done = []

    def window(at):
        for _ in range(6):
            state = post(bench, "/api/state", {})[1]
            verb = "undo" if state["undo"] else "cut"
            status, told = post(bench, "/api/edit", {"version": state["version"], "verb": verb, "node": 1})
            if status == 200:
                done.append(told["version"])
            else:
                assert status == 409

    windows = [threading.Thread(target=window, args=(at,)) for at in range(6)]
    for each in windows:
        each.start()
    for each in windows:
        each.join()
    assert sorted(done) == list(range(1, len(done) + 1))
    assert bench.session.version == len(done)
    bench.session.edit.tree.validate()


def test_the_log_is_on_the_disk_before_the_answer_and_is_taken_up_again(bench, tmp_path):
    post(bench, "/api/edit", {"version": 0, "verb": "split", "node": 1, "column": "wind"})
    post(bench, "/api/edit", {"version": 1, "verb": "relabel", "node": 2, "says": 0})
    again = Session(edit(), (TENNIS.X, TENNIS.y), str(tmp_path / "log.json"))
    assert again.resumed == 2
    assert again.edit.tree == bench.session.edit.tree
    assert [path.name for path in tmp_path.iterdir()] == ["log.json"]


def test_an_edit_that_cannot_be_written_is_not_made(bench, monkeypatch, tmp_path):
    def full(path, contents):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.workbench.log_file.write_whole", full)
    status, told = post(bench, "/api/edit", {"version": 0, "verb": "cut", "node": 0})
    assert status == 500
    assert "No space left" in told["error"]
    assert bench.session.edit.tree.n_leaves == 5
    assert bench.session.version == 0


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"edits": 3, "table": ""}', '{"edits": [3], "table": ""}', '{"edits": [], "table": "x"}', "[" * 100_000],
)
def test_logs_of_others_are_refused(tmp_path, text):
    (tmp_path / "log.json").write_text(text)
    with pytest.raises(ValueError, match=r"log\.json"):
        Session(edit(), (TENNIS.X, TENNIS.y), str(tmp_path / "log.json"))
    assert Path(tmp_path / "log.json").read_text() == text
