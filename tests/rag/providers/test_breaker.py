from __future__ import annotations

import pytest

from rag.errors import ErrorKind, ProviderBusy, ProviderError, ProviderRejected
from rag.providers.breaker import Breaker, BreakerState


class Hand:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


BUSY = ProviderBusy("busy", kind=ErrorKind.UNAVAILABLE)


def opened(hand: Hand) -> Breaker:
    breaker = Breaker(failures=2, seconds=10, longest=40, now=hand)
    for _ in range(2):
        assert breaker.admits()
        breaker.failed(BUSY)
    return breaker


def test_it_opens_after_failures_in_a_row_and_not_after_scattered_ones() -> None:
    breaker = Breaker(failures=2, now=Hand())
    for _ in range(5):
        breaker.failed(BUSY)
        breaker.succeeded()
    assert breaker.state is BreakerState.CLOSED
    assert opened(Hand()).state is BreakerState.OPEN
    assert not opened(Hand()).admits()


def test_half_open_one_request_tries_and_its_success_closes() -> None:
    hand = Hand()
    breaker = opened(hand)
    hand.seconds += 10
    assert breaker.state is BreakerState.HALF_OPEN
    assert (breaker.admits(), breaker.admits()) == (True, False)
    breaker.succeeded()
    assert breaker.state is BreakerState.CLOSED
    assert breaker.last_error is ErrorKind.UNAVAILABLE


def test_each_failed_try_doubles_the_time_up_to_the_longest() -> None:
    hand = Hand()
    breaker = opened(hand)
    for wait in (10, 20, 40, 40):
        hand.seconds += wait - 1
        assert breaker.state is BreakerState.OPEN
        hand.seconds += 1
        assert breaker.admits()
        breaker.failed(BUSY)


def test_a_try_that_was_given_up_leaves_the_place_to_the_next() -> None:
    hand = Hand()
    breaker = opened(hand)
    hand.seconds += 10
    assert breaker.admits()
    breaker.released()
    assert breaker.admits()


@pytest.mark.parametrize("kind", [ErrorKind.UNAUTHORIZED, ErrorKind.PAYMENT_REQUIRED, ErrorKind.MODEL_UNAVAILABLE])
def test_what_the_next_request_would_get_too_opens_at_once(kind: ErrorKind) -> None:
    breaker = Breaker(now=Hand())
    breaker.failed(ProviderRejected("no", kind=kind))
    assert breaker.state is BreakerState.OPEN


def test_a_rate_limit_is_kept_as_long_as_it_says() -> None:
    hand = Hand()
    breaker = Breaker(now=hand)
    breaker.failed(ProviderBusy("later", kind=ErrorKind.RATE_LIMITED, retry_after=7))
    hand.seconds += 6.9
    assert breaker.state is BreakerState.OPEN
    hand.seconds += 0.1
    assert breaker.admits()


@pytest.mark.parametrize("kind", [ErrorKind.TOO_LARGE, ErrorKind.DEADLINE])
def test_what_is_not_the_provider_s_fault_is_named_and_not_counted(kind: ErrorKind) -> None:
    breaker = Breaker(failures=1, now=Hand())
    breaker.failed(ProviderError("x", kind=kind))
    assert (breaker.state, breaker.last_error) == (BreakerState.CLOSED, kind)
