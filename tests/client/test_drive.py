"""Drivers: what is sent again, when, how often, and what the caller is told in the end."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import RetryPolicy
from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.retry import RetryBudget
from tablewright.errors import (
    AccessRefused,
    CancellationReason,
    ConditionalCheckFailed,
    ConfigError,
    InternalError,
    NetworkError,
    OutcomeUnknownError,
    RequestRefused,
    ResourceNotFound,
    ServiceError,
    TablewrightError,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from tests.client.doubles import AsyncScripted, Scripted

GET = Call("GetItem", {"TableName": "Lab", "Key": {}}, repeatable=True)
QUERY = Call("Query", {"TableName": "Lab", "IndexName": "GSI1"}, repeatable=True)
UPDATE = Call("UpdateItem", {"TableName": "Lab", "Key": {}})
DELETE = Call("DeleteItem", {"TableName": "Lab", "Key": {}}, repeatable=True)
TRANSACTION = Call(
    "TransactWriteItems",
    {"TransactItems": [{"Delete": {"TableName": "Lab", "Key": {}}}], "ClientRequestToken": "t"},
    repeatable=True,
)
LOST = NetworkError("The connection broke.", sent=True)
UNSENT = NetworkError("No connection.", sent=False)
SLOW_DOWN = Throttled("Slow down.")


@pytest.fixture(autouse=True)
def forget() -> None:
    """What one test adds to the shared errors is not the next one's."""
    for error in (LOST, UNSENT, SLOW_DOWN):
        error.context, error.operation = {}, None


class Run:
    """One run of steps on a scripted transport, by either driver."""

    def __init__(self, asynchronous: bool) -> None:
        self.asynchronous = asynchronous
        self.slept: list[float] = []
        self.wire: Scripted = Scripted()

    def __call__(
        self, steps: Steps[Any], *answers: Any, policy: RetryPolicy | None = None, budget: RetryBudget | None = None
    ) -> Any:
        policy = policy or RetryPolicy(random=lambda: 1.0)
        if self.asynchronous:
            wire = self.wire = AsyncScripted(*answers)

            async def sleep(seconds: float) -> None:
                self.slept.append(seconds)

            return asyncio.run(AsyncDriver(wire, policy, sleep, budget).run(steps))
        self.wire = Scripted(*answers)
        return SyncDriver(self.wire, policy, self.slept.append, budget).run(steps)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs steps."""
    return Run(request.param)


def one(call: Call) -> Steps[Any]:
    return (yield call)


def caught(run: Run, call: Call, *answers: Any, **more: Any) -> TablewrightError:
    with pytest.raises(TablewrightError) as found:
        run(one(call), *answers, **more)
    return found.value


def test_responses_go_back_into_the_steps(run: Run) -> None:
    def steps() -> Steps[list[Any]]:
        first = yield GET
        second = yield QUERY
        return [first, second]

    assert run(steps(), {"a": 1}, {"b": 2}) == [{"a": 1}, {"b": 2}]
    assert [operation for operation, _ in run.wire.sent] == ["GetItem", "Query"]


def test_errors_go_into_the_steps_which_may_go_on(run: Run) -> None:
    def steps() -> Steps[str]:
        try:
            yield UPDATE
        except ConditionalCheckFailed as error:
            yield GET
            return f"met {error.item}"
        return "not reached"

    assert run(steps(), ConditionalCheckFailed(item={"a": {"S": "1"}}), {}) == "met {'a': {'S': '1'}}"


def test_throttling_is_retried_three_times_with_growing_delays(run: Run) -> None:
    assert caught(run, GET, *[SLOW_DOWN] * 5) is SLOW_DOWN
    assert len(run.wire.sent) == 4
    assert run.slept == [0.1, 0.2, 0.4]


def test_a_retry_that_succeeds_is_the_answer(run: Run) -> None:
    assert run(one(GET), SLOW_DOWN, SLOW_DOWN, {"Item": 1}) == {"Item": 1}
    assert run.slept == [0.1, 0.2]


def test_delays_are_random_below_a_cap(run: Run) -> None:
    policy = RetryPolicy(max_retries=12, random=iter([0.0, 0.5] * 6).__next__)
    caught(run, GET, *[SLOW_DOWN] * 13, policy=policy)
    ceilings = [min(5.0, 0.1 * 2**n) for n in range(12)]
    assert run.slept == [share * ceiling for share, ceiling in zip([0.0, 0.5] * 6, ceilings, strict=True)]
    assert max(run.slept) == 2.5


def test_real_randomness_stays_within_its_bounds() -> None:
    policy = RetryPolicy()
    for attempt in range(70):
        assert all(0 <= policy.delay(attempt) <= min(5.0, 0.1 * 2.0**attempt) for _ in range(20))


@pytest.mark.parametrize(
    "error",
    [
        RequestRefused("no"),
        ConditionalCheckFailed(),
        ResourceNotFound("no"),
        AccessRefused("no"),
        ServiceError("no", wire_name="Something"),
        TransactionCanceled("no", reasons=[CancellationReason("ConditionalCheckFailed")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_definite_answers_are_never_retried(run: Run, error: TablewrightError) -> None:
    assert caught(run, TRANSACTION, error, {}) is error
    assert (len(run.wire.sent), run.slept) == (1, [])


@pytest.mark.parametrize("error", [TransactionConflict("x"), TransactionInProgress("x"), SLOW_DOWN], ids=repr)
def test_passing_trouble_is_retried_even_for_updates(run: Run, error: TablewrightError) -> None:
    assert run(one(UPDATE), error, {}) == {}


def test_a_cancelled_transaction_is_retried_when_every_reason_passes(run: Run) -> None:
    conflict, throttled, none = (CancellationReason(c) for c in ("TransactionConflict", "ThrottlingError", "None"))
    assert run(one(TRANSACTION), TransactionCanceled("x", reasons=[none, conflict, throttled]), {}) == {}
    assert len(run.wire.sent) == 2
    failed = CancellationReason("ConditionalCheckFailed")
    mixed = TransactionCanceled("x", reasons=[conflict, failed])
    assert caught(run, TRANSACTION, mixed, {}) is mixed
    assert len(run.wire.sent) == 1


def test_a_transaction_is_repeated_byte_for_byte(run: Run) -> None:
    run(one(TRANSACTION), LOST, SLOW_DOWN, {})
    requests = [request for _, request in run.wire.sent]
    assert len(requests) == 3
    assert requests[0] == requests[1] == requests[2] == TRANSACTION.request


def test_a_lost_reply_to_an_update_is_not_repeated(run: Run) -> None:
    error = caught(run, UPDATE, LOST, {})
    assert isinstance(error, OutcomeUnknownError)
    assert error.__cause__ is LOST
    assert (len(run.wire.sent), run.slept) == (1, [])


def test_an_internal_error_leaves_an_update_unknown_too(run: Run) -> None:
    assert isinstance(caught(run, UPDATE, InternalError("x"), {}), OutcomeUnknownError)


def test_what_was_never_sent_is_sent_again(run: Run) -> None:
    assert run(one(UPDATE), UNSENT, UNSENT, {"Attributes": 1}) == {"Attributes": 1}


def test_repeatable_writes_are_repeated_after_a_lost_reply(run: Run) -> None:
    assert run(one(DELETE), LOST, {}) == {}
    assert len(run.wire.sent) == 2


def test_a_write_stays_unknown_when_the_last_attempts_were_throttled(run: Run) -> None:
    error = caught(run, DELETE, LOST, SLOW_DOWN, SLOW_DOWN, SLOW_DOWN)
    assert isinstance(error, OutcomeUnknownError)
    assert error.__cause__ is SLOW_DOWN
    assert error.context["retries"] == 3


def test_a_definite_answer_ends_the_doubt(run: Run) -> None:
    canceled = TransactionCanceled("x", reasons=[CancellationReason("ConditionalCheckFailed")])
    assert caught(run, TRANSACTION, LOST, canceled) is canceled


@pytest.mark.parametrize("call", [DELETE, TRANSACTION], ids=["delete", "transaction"])
@pytest.mark.parametrize(
    "error",
    [
        AccessRefused("The token has expired."),
        ConfigError("No credentials."),
        ResourceNotFound("gone"),
        ServiceError("no", wire_name="Something"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_refusal_that_says_nothing_of_the_first_attempt_leaves_it_unknown(
    run: Run, call: Call, error: TablewrightError
) -> None:
    told = caught(run, call, LOST, error)
    assert isinstance(told, OutcomeUnknownError)
    assert told.__cause__ is error
    assert caught(run, call, SLOW_DOWN, error) is error  # nothing was lost


def test_what_left_the_outcome_open_is_said(run: Run) -> None:
    call, failed = Call("PutItem", {"TableName": "Lab"}), InternalError("Internal server error")
    lost = caught(run, call, LOST)
    assert lost.message == "The reply to PutItem was lost; the write may or may not have happened."
    answered = caught(run, call, failed)
    assert isinstance(answered, OutcomeUnknownError)
    assert answered.message == (
        "PutItem was answered with InternalServerError, which leaves its outcome open; "
        "the write may or may not have happened."
    )
    assert answered.__cause__ is failed


def test_a_read_whose_replies_are_lost_is_just_a_network_error(run: Run) -> None:
    error = caught(run, QUERY, *[NetworkError("x") for _ in range(4)])
    assert isinstance(error, NetworkError)
    at = datetime.fromisoformat(error.context.pop("at"))
    assert timedelta() <= datetime.now(UTC) - at < timedelta(minutes=5)
    assert error.context == {"table": "Lab", "index": "GSI1", "retries": 3}
    assert error.operation == "Query"


def test_the_budget_ends_retries_and_successes_refill_it(run: Run) -> None:
    budget = RetryBudget(capacity=2.0, refund=0.5)
    caught(run, GET, *[SLOW_DOWN] * 5, budget=budget)
    assert len(run.wire.sent) == 3
    caught(run, GET, *[SLOW_DOWN] * 5, budget=budget)
    assert len(run.wire.sent) == 1
    for _ in range(2):
        run(one(GET), {}, budget=budget)
    assert run(one(GET), SLOW_DOWN, {}, budget=budget) == {}


def test_an_operation_can_have_a_policy_of_its_own(run: Run) -> None:
    policy = RetryPolicy(max_retries=0, operations={"Query": RetryPolicy(max_retries=1, random=lambda: 0.0)})
    caught(run, GET, SLOW_DOWN, SLOW_DOWN, policy=policy)
    assert len(run.wire.sent) == 1
    assert run(one(QUERY), SLOW_DOWN, {}, policy=policy) == {}


def test_further_exceptions_can_be_named_as_retryable(run: Run) -> None:
    odd = ServiceError("x", wire_name="OddException")
    policy = RetryPolicy(also=frozenset({"OddException"}), random=lambda: 0.0)
    assert run(one(GET), odd, {}, policy=policy) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_retries": -1},
        {"max_retries": 1.5},
        {"max_retries": True},
        {"base_delay": -0.1},
        {"base_delay": "1"},
        {"base_delay": 2.0, "max_delay": 1.0},
        {"max_delay": float("inf")},
        {"budget": -1},
        {"also": "OddException"},
        {"operations": {"Qurey": RetryPolicy()}},
        {"operations": {"Query": 3}},
        {"operations": {"Query": RetryPolicy(operations={"Scan": RetryPolicy()})}},
        {"random": 0.5},
        {"sleep": 1},
    ],
    ids=lambda wrong: "-".join(wrong) + str(len(str(wrong))),
)
def test_an_impossible_policy_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        RetryPolicy(**wrong)


def test_pauses_follow_the_policy_and_their_share(run: Run) -> None:
    def steps() -> Steps[None]:
        yield Pause(0)
        yield Pause(3, 0.5)

    run(steps())
    assert run.slept == [0.1, 0.4]


def test_other_exceptions_pass_through(run: Run) -> None:
    with pytest.raises(ZeroDivisionError):
        run(one(GET), ZeroDivisionError(), {})
    assert len(run.wire.sent) == 1


def test_meters_count_attempts_and_errors(run: Run) -> None:
    wire = Scripted(SLOW_DOWN, {"ConsumedCapacity": {"CapacityUnits": 2.5}}, ConditionalCheckFailed())
    driver = SyncDriver(wire, RetryPolicy(random=lambda: 0.0), lambda _: None)
    with driver.measure() as outer:
        driver.run(one(GET))
        with driver.measure() as inner, pytest.raises(ConditionalCheckFailed):
            driver.run(one(UPDATE))
    assert [(s.operation, s.error, s.capacity.read) for s in outer.requests] == [
        ("GetItem", "THROTTLED", 0.0),
        ("GetItem", None, 2.5),
        ("UpdateItem", "CONDITIONAL_CHECK_FAILED", 0.0),
    ]
    assert [s.operation for s in inner.requests] == ["UpdateItem"]
    assert all(request["ReturnConsumedCapacity"] == "TOTAL" for _, request in wire.sent)
    driver.run(one(GET))
    assert "ReturnConsumedCapacity" not in wire.sent[-1][1]
    assert len(outer.requests) == 3


def test_a_measured_transaction_is_still_repeated_byte_for_byte() -> None:
    wire = Scripted(LOST, {})
    driver = SyncDriver(wire, RetryPolicy(random=lambda: 0.0), lambda _: None)
    with driver.measure():
        driver.run(one(TRANSACTION))
    assert wire.sent[0][1] is wire.sent[1][1]
