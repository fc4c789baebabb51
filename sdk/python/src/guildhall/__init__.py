"""Typed client of the Guildhall API: `Client`, and `AsyncClient` for asyncio.

`guildhall.models` has the types of requests and answers, `guildhall.errors` an exception for each error word.
"""

from . import errors, models, operations
from ._answer import Answer
from ._async_methods import AsyncMethods as AsyncClient
from ._errors import ApiError, ConnectionFailed, GuildhallError, JobRunning, NotModified
from ._methods import Methods as Client
from ._operation import Operation, Options
from ._retry import Retries
from ._transport import HttpTransport, Request, Response, Transport

__all__ = [
    "Answer",
    "ApiError",
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "GuildhallError",
    "HttpTransport",
    "JobRunning",
    "NotModified",
    "Operation",
    "Options",
    "Request",
    "Response",
    "Retries",
    "Transport",
    "errors",
    "models",
    "operations",
]
