"""HTTP/1.1 with connections that are kept for the next call, by the standard library."""

import gzip
import http.client
import ssl
import time
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from ._errors import ConnectionFailed

# Shorter than servers and proxies keep an idle connection, so that a call seldom meets a closed one.
IDLE_SECONDS = 10.0


@dataclass(frozen=True)
class Request:
    method: str
    # Path and query.
    target: str
    headers: dict[str, str]
    body: bytes | None
    # Whether it may be sent again if the connection breaks.
    repeatable: bool
    # Seconds.
    timeout: float


@dataclass(frozen=True)
class Response:
    status: int
    # Their names are in lower case.
    headers: dict[str, str]
    body: bytes


class Transport(Protocol):
    """What sends one request: another one than `HttpTransport` may use a proxy. It raises `ConnectionFailed`."""

    def send(self, request: Request) -> Response: ...

    def close(self) -> None: ...


class HttpTransport:
    """May be used by several threads: each request has a connection of its own while it lasts."""

    def __init__(self, url: str, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"the URL of the service must begin with http:// or https://: {url}")
        self._parts, self._path = parts, parts.path.rstrip("/")
        self._context = (context or ssl.create_default_context()) if parts.scheme == "https" else None
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []

    def send(self, request: Request) -> Response:
        connection = self._connection(request)
        headers = {"Accept-Encoding": "gzip", **request.headers}
        try:
            connection.request(request.method, self._path + request.target, request.body, headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionFailed(f"{request.method} {request.target}: {error or type(error).__name__}") from error
        except BaseException:
            connection.close()
            raise
        if not answer.will_close:
            self._idle.append((time.monotonic(), connection))
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Response(
            answer.status, found, gzip.decompress(body) if found.get("content-encoding") == "gzip" and body else body
        )

    def _connection(self, request: Request) -> http.client.HTTPConnection:
        while request.repeatable and self._idle:
            try:
                since, connection = self._idle.pop()
            except IndexError:  # another thread took it
                break
            if time.monotonic() - since < IDLE_SECONDS:
                connection.timeout = request.timeout
                if connection.sock:
                    connection.sock.settimeout(request.timeout)
                return connection
            connection.close()
        host, port = self._parts.hostname or "", self._parts.port
        if self._context:
            return http.client.HTTPSConnection(host, port, timeout=request.timeout, context=self._context)
        return http.client.HTTPConnection(host, port, timeout=request.timeout)

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()
