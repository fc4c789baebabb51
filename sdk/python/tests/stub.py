"""A server that answers each request with the next of the given answers, and keeps what it was sent."""

import contextlib
import http.server
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Reply:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    # Closes the connection instead of answering.
    breaks: bool = False
    # Seconds before it answers.
    after: float = 0


@dataclass
class Seen:
    target: str
    headers: dict[str, str]
    at: float


def answer(status: int, body: object, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})


def done(data: object, headers: dict[str, str] | None = None) -> Reply:
    return answer(200, {"status": "success", "code": 200, "data": data}, headers)


def refused(status: int, word: str, retry_after: int | None = None) -> Reply:
    body = {"status": "error", "code": status, "error": word, "message": "no", "request_id": "r1"}
    return answer(status, body, {} if retry_after is None else {"Retry-After": str(retry_after)})


BROKEN = Reply(0, breaks=True)


@contextlib.contextmanager
def stub(*replies: Reply) -> Iterator[tuple[str, list[Seen]]]:
    """Its URL and the requests that it has seen."""
    left, seen = list(replies), list[Seen]()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen.append(Seen(f"{self.command} {self.path}", headers, time.monotonic()))
            reply = left.pop(0) if left else refused(500, "internal")
            time.sleep(reply.after)
            if reply.breaks:
                self.close_connection = True
                return
            with contextlib.suppress(OSError):  # the client may be gone
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        def log_message(self, format: str, *args: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()
