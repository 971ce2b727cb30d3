"""The workbench's server: this machine alone, a token, a few addresses, nothing of the disk.

What is refused, and why, is in SECURITY.md; ``tests/workbench/test_hostile.py`` tries it.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock, Thread, Timer
from typing import Any
from urllib.parse import urlsplit

from treewright.errors import visible
from treewright.learn.edits.folds import REFUSALS
from treewright.workbench.assets import ADDRESSES, asset
from treewright.workbench.session import Session, Stale

LARGEST = 1 << 16  # bytes of a request
PATIENCE = 15.0  # seconds in which a request must be here
MOST = 32  # connections at once
_TICKETS = 20  # pages that were asked for and not fetched

# Whoever frames the page needs its address with the token: pages of this machine may, which notebooks are.
_FRAMERS = "'self' http://127.0.0.1:* http://localhost:*"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors {framers}"
)


class Server:
    """A session on screen, at an address of this machine.

    Attributes
    ----------
    url : str
        What to open in a browser; the token in it is for nobody else.
    """

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(32)
        self.tickets: dict[str, bytes] = {}
        self.framed = False  # whether a notebook shows the page inside its own
        self.turn = Lock()
        self.http = _Http(("127.0.0.1", port), _Handler, self)
        self.port = int(self.http.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/#{self.token}"
        self._thread: Thread | None = None

    def start(self) -> Server:
        """Serve on a thread of its own."""
        how = {"poll_interval": 0.2}
        self._thread = Thread(target=self.http.serve_forever, kwargs=how, name="treewright_workbench", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving."""
        if self._thread is not None:
            self.http.shutdown()
            self._thread.join()
            self._thread = None
        self.http.server_close()

    def ticket(self, contents: bytes) -> str:
        """An address under which a page is fetched once; what is older than the last few is forgotten."""
        name = secrets.token_urlsafe(32)
        with self.turn:
            self.tickets[name] = contents
            while len(self.tickets) > _TICKETS:
                del self.tickets[next(iter(self.tickets))]
        return f"/tree/{name}"


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False
    request_queue_size = MOST

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], owner: Server) -> None:
        self.owner = owner
        self.places = BoundedSemaphore(MOST)
        self.timers: dict[int, Timer] = {}  # by connection, until its request is here
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, unless there are too many: then it is closed."""
        if not self.places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self.places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve it on its thread, for a limited time."""
        timer = Timer(PATIENCE, _shut, (request,))
        timer.daemon = True
        self.timers[id(request)] = timer
        timer.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            timer.cancel()
            self.timers.pop(id(request), None)
            self.places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that broke."""


def _shut(request: Any) -> None:
    """End a connection whose request never ends."""
    with contextlib.suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Refused(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.0"
    server_version, sys_version = "treewright", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Give the page, its script and its style, or a page of the explorer that was asked for."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Do what the page asks for."""
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: addresses hold tickets."""

    def _answer(self, answer: Any) -> None:
        try:
            self._local()
            status, kind, contents, more = answer()
        except _Refused as refused:
            status, kind, contents, more = refused.status, "application/json", _json({"error": str(refused)}), {}
        except Stale as stale:
            status, kind, contents, more = 409, "application/json", _json({"error": str(stale)}), {}
        except REFUSALS as error:
            status, kind, contents, more = 422, "application/json", _json({"error": visible(str(error))}), {}
        except OSError as error:
            text = f"the log cannot be written, nothing was changed: {error.strerror or error}"
            status, kind, contents, more = 500, "application/json", _json({"error": visible(text)}), {}
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(contents)),
            "Content-Security-Policy": _POLICY.format(framers=_FRAMERS if self.server.owner.framed else "'none'"),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            **more,
        }
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(contents)

    # -- who asks --------------------------------------------------------------------------------------------------------

    def _local(self) -> None:
        """Refuse who calls this server by another name, or comes from another page."""
        names = {f"{name}:{self.server.owner.port}" for name in ("127.0.0.1", "localhost")}
        if self.headers.get_all("Host", []) not in [[name] for name in names]:
            raise _Refused(403, "this server answers to 127.0.0.1 alone")
        for origin in self.headers.get_all("Origin", []):
            if origin not in {f"http://{name}" for name in names}:
                raise _Refused(403, "another page asks")
        # What holds nothing of the session may be opened from anywhere: by a link, or by the notebook around it.
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin") and self.path != "/":
            raise _Refused(403, "another page asks")

    def _known(self) -> None:
        """Refuse who does not have the token."""
        given = self.headers.get_all("X-Treewright-Token", [])
        own = self.server.owner.token.encode()
        if len(given) != 1 or not hmac.compare_digest(given[0].encode("utf-8", "replace"), own):
            raise _Refused(403, "the token is not that of this session: open the address that was printed")

    # -- what is answered ------------------------------------------------------------------------------------------------

    def _get(self) -> tuple[int, str, bytes, dict[str, str]]:
        path = self.path
        if self.requestline.split()[1:2] != [path]:  # what was asked for with other slashes
            raise _Refused(404, "there is nothing here")
        if path in ADDRESSES:
            return 200, ADDRESSES[path], asset(path), {}
        if path.startswith("/tree/"):
            with self.server.owner.turn:
                contents = self.server.owner.tickets.pop(path.removeprefix("/tree/"), None)
            if contents is not None:  # it has a policy of its own
                return 200, "text/html; charset=utf-8", contents, {"Content-Security-Policy": "frame-ancestors 'self'"}
        raise _Refused(404, "there is nothing here")

    def _post(self) -> tuple[int, str, bytes, dict[str, str]]:
        self._known()
        path = urlsplit(self.path).path if self.path.startswith("/api/") else ""
        if self.path != path:
            raise _Refused(404, "there is nothing here")
        asked, session = self._body(), self.server.owner.session
        ticket = self.server.owner.ticket
        plain: dict[str, Callable[[], dict[str, Any]]] = {
            "/api/version": lambda: {"version": session.version},
            "/api/state": lambda: session.state(),
            "/api/scores": lambda: session.scores(),
            "/api/edit": lambda: session.do(asked),
            "/api/alternatives": lambda: session.alternatives(asked),
            "/api/column": lambda: session.column(asked),
            "/api/keep": lambda: session.keep(asked),
            "/api/restore": lambda: session.restore(asked),
            "/api/compare": lambda: session.compare(asked),
            "/api/compared": lambda: {"page": ticket(session.compared_page(asked))},
            "/api/page": lambda: {"page": ticket(session.page())},
        }
        if path in plain:
            return 200, "application/json", _json(plain[path]()), {}
        if path == "/api/export":
            name, contents = session.export(asked)
            return 200, "application/octet-stream", contents, {"Content-Disposition": f'attachment; filename="{name}"'}
        raise _Refused(404, "there is nothing here")

    def _body(self) -> dict[str, Any]:
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) != 1 or not lengths[0].isascii() or not lengths[0].isdigit() or "Transfer-Encoding" in self.headers:
            raise _Refused(411, "a request says how long it is")
        if len(lengths[0]) > 9 or int(lengths[0]) > LARGEST:
            raise _Refused(413, f"a request has {LARGEST} bytes at most")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(415, "a request is JSON")
        body = self.rfile.read(int(lengths[0]))
        timer = self.server.timers.get(id(self.connection))
        if timer is not None:
            timer.cancel()  # the request is here: what it asks for may take as long as it takes
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _Refused(400, "the request is not JSON") from error
        if not isinstance(asked, dict):
            raise _Refused(400, "the request is no object")
        return asked


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=float).encode()
