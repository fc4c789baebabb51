"""When a call is repeated."""

import random
from dataclasses import dataclass

from ._errors import ApiError, ConnectionFailed, GuildhallError


@dataclass(frozen=True)
class Retries:
    """How often and how long one call is repeated."""

    # 0: never.
    repeats: int = 4
    # Seconds that one call waits in all: a window of the service's rate limits, and jitter. An answer that asks for more
    # is raised at once.
    max_wait: float = 70.0
    backoff: float = 0.5
    max_backoff: float = 8.0

    def wait(self, failure: GuildhallError, repeated: int, waited: float) -> float | None:
        """Seconds until the next attempt; None: the failure is final."""
        if repeated >= self.repeats or not passes(failure):
            return None
        asked = failure.retry_after if isinstance(failure, ApiError) else None
        if asked is None:
            wait = random.uniform(0, min(self.backoff * 2**repeated, self.max_backoff))
        else:
            # Clients that wait for the same moment come spread over a part of their wait.
            wait = asked + random.uniform(0, max(asked * 0.05, 0.25))
        return None if waited + wait > self.max_wait else wait


def passes(failure: GuildhallError) -> bool:
    """Whether the same call may succeed later. `still_running` is the first attempt of this very call."""
    if isinstance(failure, ApiError):
        return failure.status in (429, 503) or failure.error == "still_running"
    return isinstance(failure, ConnectionFailed)
