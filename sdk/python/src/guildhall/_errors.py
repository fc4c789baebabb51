"""What the client raises. An exception for each error word is in `guildhall.errors`."""


class GuildhallError(Exception):
    """Everything that this client raises."""


class ApiError(GuildhallError):
    """The service answered with an error."""

    def __init__(self, status: int, body: dict[str, object], retry_after: int | None) -> None:
        message = body.get("message") or f"the answer has the status {status}"
        super().__init__(f"{message} ({body.get('error', 'unknown')})")
        self.status = status
        # The stable word for programs; `unknown` if the answer is not the service's, such as that of a proxy.
        self.error = str(body.get("error", "unknown"))
        # Seconds after which the same call may succeed.
        self.retry_after = retry_after
        # Finds the request in the service's log.
        self.request_id = text(body, "request_id")
        self.trace_id = text(body, "trace_id")
        # The job that the error is about.
        self.job_id = text(body, "job_id")


class ConnectionFailed(GuildhallError):
    """No answer: the connection failed or broke, or the time-out passed. Whether a write was done is not known."""


class JobRunning(GuildhallError):
    """202: the job of the call takes longer than the call waits, and goes on. `get_job` shows it."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"job {job_id} is still running")
        self.job_id = job_id


class NotModified(GuildhallError):
    """304: the caller's copy of the answer is current."""


def text(body: dict[str, object], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None
