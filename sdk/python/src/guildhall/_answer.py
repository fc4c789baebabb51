"""What the service answers: the data of success, the exception of an error, the next page of a list."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from ._errors import ApiError, GuildhallError, JobRunning, NotModified
from ._operation import Operation
from ._transport import Response
from .errors import BY_WORD

Data = TypeVar("Data")
Row = TypeVar("Row")

# Rows of a page, unless the caller names a `limit`: the most that the service gives.
PAGE = 100


@dataclass(frozen=True)
class Answer(Generic[Data]):
    """A successful answer."""

    status: int
    # Their names are in lower case.
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def data(self) -> Data:
        """Raises where there is none yet (202), or where the caller has it (304)."""
        if self.status == 202:
            raise JobRunning(self.body["data"]["job_id"])
        if self.status == 304:
            raise NotModified("the caller's copy is current")
        return cast(Data, self.body.get("data"))

    @property
    def replayed(self) -> bool:
        """The first answer to the same idempotency key."""
        return self.headers.get("idempotent-replayed") == "true"

    @property
    def next_cursor(self) -> str | int | None:
        """Of a list; None on its last page. Lists without a wrapper say it only in their `Link`."""
        data = self.body.get("data")
        if isinstance(data, dict) and "next_cursor" in data:
            return cast(str | int | None, data["next_cursor"])
        link, _, relation = self.headers.get("link", "").partition(">")
        return parse_qs(urlsplit(link[1:]).query).get("cursor", [None])[0] if "next" in relation else None


def answer_of(response: Response) -> Answer[Any]:
    try:
        body = json.loads(response.body) if response.body else {}
    except ValueError:
        body = None
    if response.status == 304 or (200 <= response.status < 300 and isinstance(body, dict)):
        return Answer(response.status, response.headers, body or {})
    seconds = response.headers.get("retry-after", "")
    body = body if isinstance(body, dict) else {}
    raised = BY_WORD.get(str(body.get("error")), ApiError)
    raise raised(response.status, body, int(seconds) if seconds.isdecimal() else None)


def rows_of(operation: Operation[Any, Row], answer: Answer[Any]) -> list[Row]:
    data = answer.data
    return cast(list[Row], data[operation.rows] if operation.rows else data)


def next_page(parameters: dict[str, object], answer: Answer[Any]) -> dict[str, object] | None:
    cursor = answer.next_cursor
    if cursor is not None and str(cursor) == str(parameters.get("cursor")):
        raise GuildhallError("the next page is the same one")
    return None if cursor is None else {**parameters, "cursor": cursor}


def first_page(parameters: Mapping[str, object]) -> dict[str, object]:
    return {**parameters, "limit": parameters.get("limit") or PAGE}
