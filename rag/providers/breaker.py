"""A circuit breaker: a provider that fails is left alone for a while, then tried by one request. Nygard, Release It!"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum

from rag.errors import ErrorKind, ProviderError

__all__ = ["Breaker", "BreakerState"]

_LASTING = frozenset({ErrorKind.UNAUTHORIZED, ErrorKind.PAYMENT_REQUIRED, ErrorKind.MODEL_UNAVAILABLE})
"""What the next request would get too: these open at once, and for long."""

_NOT_ITS_FAULT = frozenset({ErrorKind.TOO_LARGE, ErrorKind.DEADLINE})


class BreakerState(StrEnum):
    CLOSED = "closed"  # it is asked
    OPEN = "open"  # it is left alone
    HALF_OPEN = "half_open"  # one request may try


class Breaker:
    """Opens after `failures` in a row for `seconds`, then lets one request try; each failed try doubles the time.

    Every admitted request must report back, by one of `succeeded`, `failed` and `released`. Not for several threads.
    """

    def __init__(
        self,
        *,
        failures: int = 3,
        seconds: float = 20.0,
        longest: float = 300.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._seconds, self._longest, self._now = failures, seconds, longest, now
        self._failures, self._until = 0, 0.0
        self._wait, self._trying = seconds, False
        self.last_error: ErrorKind | None = None

    @property
    def state(self) -> BreakerState:
        if not self._until:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._now() < self._until else BreakerState.HALF_OPEN

    def admits(self) -> bool:
        """Whether the provider may be asked now; when half open, only by the first who asks."""
        state = self.state
        if state is BreakerState.CLOSED:
            return True
        if state is BreakerState.OPEN or self._trying:
            return False
        self._trying = True
        return True

    def succeeded(self) -> None:
        """It answered."""
        self._failures, self._until, self._wait, self._trying = 0, 0.0, self._seconds, False

    def released(self) -> None:
        """The request was given up for a reason of ours: nothing is learnt from it."""
        self._trying = False

    def failed(self, error: ProviderError) -> None:
        """It failed, in the way that the error tells."""
        self.last_error = error.kind
        tried, self._trying = self._trying, False
        if error.kind in _NOT_ITS_FAULT:
            return
        self._failures += 1
        if error.kind is ErrorKind.RATE_LIMITED and error.retry_after is not None:
            self._until = self._now() + min(error.retry_after, self._longest)
        elif error.kind in _LASTING:
            self._until = self._now() + self._longest
        elif tried or self._failures >= self._most:
            self._until = self._now() + self._wait
            self._wait = min(self._wait * 2, self._longest)
