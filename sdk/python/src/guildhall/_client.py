"""Calls and their repeats, for both clients; the generated methods are derived from these."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode

from ._answer import Answer, answer_of, first_page, next_page, rows_of
from ._errors import GuildhallError
from ._operation import DEFAULT, Operation, Options
from ._retry import Retries
from ._transport import HttpTransport, Request, Transport

Data = TypeVar("Data")
Row = TypeVar("Row")

# Longer than the service ever works on one request.
TIMEOUT_SECONDS = 40.0


class _Base:
    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        retries: Retries = Retries(),
        transport: Transport | None = None,
    ) -> None:
        """`url` is where the service is, `key` the API key, `timeout` the seconds that an attempt waits for the network."""
        self._key, self._timeout, self._retries = key, timeout, retries
        self._transport = transport or HttpTransport(url)

    def _request(
        self, operation: Operation[Any, Any], parameters: Mapping[str, object], body: object, options: Options
    ) -> Request:
        left = {name: value for name, value in parameters.items() if value is not None}
        path = operation.path
        for name in [name for name in left if f"{{{name}}}" in path]:
            value = str(left.pop(name))
            if value in ("", ".", ".."):  # dots would be taken for a step in the path
                raise ValueError(f"{name} must not be {value!r}")
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        query = urlencode(
            {name: str(value).lower() if isinstance(value, bool) else value for name, value in left.items()}
        )
        headers = {"Accept": "application/json", "X-API-Key": self._key}
        if body is not None:
            headers["Content-Type"] = "application/json"
        key = str(uuid.uuid4()) if options.idempotency_key is None else options.idempotency_key
        if operation.writes and operation.takes_key and key:
            headers["Idempotency-Key"] = key
        named = {"Prefer": options.prefer, "If-None-Match": options.if_none_match}
        headers.update({name: value for name, value in named.items() if value is not None})
        repeatable = not operation.writes or "Idempotency-Key" in headers
        content = None if body is None else json.dumps(body).encode()
        timeout = self._timeout if options.timeout is None else options.timeout
        return Request(operation.method, f"{path}?{query}" if query else path, headers, content, repeatable, timeout)

    def _next_wait(self, request: Request, failure: GuildhallError, waits: list[float]) -> float:
        """Seconds until the next attempt. Raises the failure if there is none."""
        wait = self._retries.wait(failure, len(waits), sum(waits)) if request.repeatable else None
        if wait is None:
            raise failure
        waits.append(wait)
        return wait


class BaseClient(_Base):
    """May be used by several threads."""

    def call(
        self,
        operation: Operation[Data, Any],
        parameters: Mapping[str, object],
        body: object = None,
        options: Options = DEFAULT,
    ) -> Answer[Data]:
        """Any operation of `guildhall.operations`, with status, headers and message of the answer."""
        request, waits = self._request(operation, parameters, body, options), list[float]()
        while True:
            try:
                return answer_of(self._transport.send(request))
            except GuildhallError as failure:
                time.sleep(self._next_wait(request, failure, waits))

    def each(
        self, operation: Operation[Any, Row], parameters: Mapping[str, object], options: Options = DEFAULT
    ) -> Iterator[Row]:
        page: dict[str, object] | None = first_page(parameters)
        while page:
            answer = self.call(operation, page, None, options)
            yield from rows_of(operation, answer)
            page = next_page(page, answer)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class BaseAsyncClient(_Base):
    """For asyncio: attempts run in threads, waits between them do not.

    The attempt of a cancelled call ends in the background.
    """

    async def call(
        self,
        operation: Operation[Data, Any],
        parameters: Mapping[str, object],
        body: object = None,
        options: Options = DEFAULT,
    ) -> Answer[Data]:
        """Any operation of `guildhall.operations`, with status, headers and message of the answer."""
        request, waits = self._request(operation, parameters, body, options), list[float]()
        while True:
            try:
                return answer_of(await asyncio.to_thread(self._transport.send, request))
            except GuildhallError as failure:
                await asyncio.sleep(self._next_wait(request, failure, waits))

    async def each(
        self, operation: Operation[Any, Row], parameters: Mapping[str, object], options: Options = DEFAULT
    ) -> AsyncIterator[Row]:
        page: dict[str, object] | None = first_page(parameters)
        while page:
            answer = await self.call(operation, page, None, options)
            for row in rows_of(operation, answer):
                yield row
            page = next_page(page, answer)

    async def close(self) -> None:
        self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
