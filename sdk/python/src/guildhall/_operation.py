"""What the generated methods name: how an operation is sent, and what a single call may change."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Data = TypeVar("Data", covariant=True)
Row = TypeVar("Row", covariant=True)


@dataclass(frozen=True)
class Operation(Generic[Data, Row]):
    """An operation whose answer holds `Data`, in a list with rows of the type `Row`."""

    method: str
    path: str
    writes: bool
    takes_key: bool
    # The field with the rows of a list; empty: the data are the rows.
    rows: str | None = None


@dataclass(frozen=True)
class Options:
    """For one call."""

    # Of a write. Without it the client makes one; empty: none is sent, and the write is never repeated.
    idempotency_key: str | None = None
    # Seconds that one attempt waits for the network, instead of the client's.
    timeout: float | None = None
    # `wait=N` or `respond-async`, for calls whose work is a job.
    prefer: str | None = None
    # An `ETag`: an answer that has not changed raises `NotModified`.
    if_none_match: str | None = None


DEFAULT = Options()
