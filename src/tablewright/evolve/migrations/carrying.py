"""Carries out the parts of steps: items page by page, indexes one at a time. The one place that knows how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.fetching import fetch_items
from tablewright.client.session import Session
from tablewright.client.writes.action import OPERATIONS, same_key
from tablewright.errors import (
    ConditionalCheckFailed,
    OutcomeUnknownError,
    RequestRefused,
    TablewrightError,
    TransactionCanceled,
    TransactionConflict,
)
from tablewright.evolve.jobs.work import Decision, Skipped, Work, Writes
from tablewright.evolve.jobs.writing import in_the_way
from tablewright.evolve.migrations.estimating import estimated_units
from tablewright.evolve.migrations.indexes import DropOne, MakeOne, settled
from tablewright.evolve.migrations.limits import Limits
from tablewright.evolve.migrations.outcome import Outcome
from tablewright.evolve.migrations.step import PairWork, Part
from tablewright.transport.answers import next_start
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.transport.http.sync import HttpTransport
from tablewright.values.types import Item

T = TypeVar("T")
Progress = Callable[[str, Outcome], object]

_AT_ONCE = 16
_ATTEMPTS = 5
_OVERTAKEN = "it was changed again and again while it was worked on"


def carry_out(
    part: Part, session: Session, *, write: bool, progress: Progress | None = None, limits: Limits | None = None
) -> Outcome:
    """Carries out a part, or counts what it would write. `progress` is called after each write and page."""
    pace = limits or Limits()
    tell: Progress = progress or (lambda name, outcome: None)
    if isinstance(part, MakeOne | DropOne):
        return _index(part, session, write=write, tell=tell)
    outcome, start = Outcome(), None
    while True:
        page = _page(session, part, start, outcome, pace.page())
        pairs, start = pace.read(outcome, partial(stored, session, page))
        _settle(session, part, pairs, outcome, pace, tell, write=write)
        tell(part.name, outcome)
        if start is None:
            return outcome


def _settle(
    session: Session,
    part: Work | PairWork,
    pairs: Sequence[tuple[Item, Item | None]],
    outcome: Outcome,
    pace: Limits,
    tell: Progress,
    *,
    write: bool,
) -> None:
    """The items of a page: side by side in lanes, or one after another where writes have a limit."""
    look = _looking(part)

    def settle(item: Item, partner: Item | None, outcome: Outcome) -> None:
        decision = look(item, partner)
        if isinstance(decision, Skipped):
            outcome.skipped[decision.reason] += 1
        elif decision is not None:
            steps = _one(session, part, item, partner, decision, outcome, write=write)
            if write:
                pace.write(outcome, partial(stored, session, steps))
            else:
                stored(session, steps)

    def lane(number: int) -> Outcome:
        counted = Outcome()
        for item, partner in pairs[number::lanes]:
            settle(item, partner, counted)
        return counted

    lanes = _lanes(session) if write and not pace.slows_writes else 1
    if lanes > 1:
        with ThreadPoolExecutor(lanes, thread_name_prefix="tablewright-migration") as pool:
            for counted in pool.map(lane, range(lanes)):
                outcome.add(counted)
        return
    for item, partner in pairs:
        settle(item, partner, outcome)
        if write:
            tell(part.name, outcome)


def _lanes(session: Session) -> int:
    """How many writes are under way at once: as many as share a commit or wait for a network together. An engine in memory
    answers at once, and threads would only wait for each other."""
    transport = session._driver.transport
    if isinstance(transport, EmbeddedTransport):
        return 1 if transport.engine.in_memory else _AT_ONCE
    return _AT_ONCE if isinstance(transport, HttpTransport) else 1


def stored(session: Session, steps: Steps[T]) -> T:
    """Requests with items as they are stored, sealed values and older schema versions included: what a session's own reads show
    is what they become."""
    return session._driver.drive(steps)


def _index(part: MakeOne | DropOne, session: Session, *, write: bool, tell: Progress) -> Outcome:
    outcome = Outcome()
    tell(part.name, outcome)
    if write:
        # Filling an index may take hours: whoever holds the lock meanwhile has to say so.
        outcome.written = int(stored(session, _telling(part.steps(), lambda: tell(part.name, outcome))))
    else:
        outcome.written = int(part.todo(stored(session, settled(part.table))))
    tell(part.name, outcome)
    return outcome


def _telling(steps: Steps[T], tell: Callable[[], object]) -> Steps[T]:
    """The same steps, with a word at each pause."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                tell()
            try:
                answer = yield step
            except TablewrightError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result


def _page(
    session: Session, part: Work | PairWork, start: Item | None, outcome: Outcome, limit: dict[str, int]
) -> Steps[tuple[list[tuple[Item, Item | None]], Item | None]]:
    """Items with their partners, where the work is on pairs, and where the next page begins."""
    request: dict[str, Any] = {
        "TableName": part.table,
        "ReturnConsumedCapacity": "TOTAL",
        "ConsistentRead": True,
        **part.reads,
        **limit,
    }
    if start is not None:
        request["ExclusiveStartKey"] = start
    response = yield Call("Scan", request, repeatable=True)
    outcome.looked += len(response["Items"])
    outcome.evaluated += response.get("ScannedCount", len(response["Items"]))
    outcome.read_units += response.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
    items: list[Item] = response["Items"]
    if not isinstance(part, PairWork):
        return [(item, None) for item in items], next_start(response)
    keys = {same_key(_key(session, item)): key for item in items if (key := part.partner(item)) is not None}
    found = yield from fetch_items(session._context, list(keys.values()), strong=True)
    there = {same_key(_key(session, item)): item for item in found.values()}
    pairs = [
        (item, there.get(same_key(keys[name]))) for item in items if (name := same_key(_key(session, item))) in keys
    ]
    return pairs, next_start(response)


def _one(
    session: Session,
    part: Work | PairWork,
    item: Item,
    partner: Item | None,
    decision: Decision,
    outcome: Outcome,
    *,
    write: bool,
) -> Steps[None]:
    """One item for which something has to be written; it is looked at anew when somebody was faster."""
    for attempt in range(_ATTEMPTS):
        if decision is None:
            return
        if isinstance(decision, Skipped):
            outcome.skipped[decision.reason] += 1
            return
        if not write:
            break
        try:
            response = yield _call(decision)
            outcome.consumed += _consumed(response)
        except RequestRefused as error:
            outcome.skipped[f"the table refused what would be written ({error.code})"] += 1
            return
        except (ConditionalCheckFailed, TransactionConflict, TransactionCanceled, OutcomeUnknownError) as error:
            if isinstance(error, TransactionCanceled) and any(r.code in _REFUSALS for r in error.reasons):
                outcome.skipped[f"the table refused what would be written ({error.code})"] += 1
                return
            stands = in_the_way(decision, error)
            if stands is None:
                return
            if isinstance(stands, Skipped):
                outcome.skipped[stands.reason] += 1
                return
            if attempt:
                yield Pause(attempt, what="A migration that others overtook")
            again = yield from _again(session, part, item)
            if again is None:  # deleted meanwhile, and it stays so
                return
            item, partner = again
            decision = _looking(part)(item, partner)
            continue
        break
    else:
        outcome.skipped[_OVERTAKEN] += 1
        return
    known = [one for one in (item, partner) if one is not None]
    outcome.written += 1
    outcome.units += estimated_units(session._context.plan.table, decision, known)


_REFUSALS = ("ValidationError", "ItemCollectionSizeLimitExceeded")


def _looking(part: Work | PairWork) -> Callable[[Item, Item | None], Decision]:
    return part.settle if isinstance(part, PairWork) else lambda item, _: part.look(item)


def _again(session: Session, part: Work | PairWork, item: Item) -> Steps[tuple[Item, Item | None] | None]:
    current = yield from _get(part.table, _key(session, item))
    if current is None:
        return None
    key = part.partner(current) if isinstance(part, PairWork) else None
    partner = None
    if isinstance(part, PairWork):
        if key is None:
            return None
        partner = yield from _get(part.table, key)
    return current, partner


def _get(table: str, key: Item) -> Steps[Item | None]:
    response = yield Call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}, repeatable=True)
    return response.get("Item")


def _call(writes: Writes) -> Call:
    if len(writes.actions) == 1:
        ((kind, body),) = writes.actions[0].items()
        return Call(OPERATIONS[kind], {**body, "ReturnConsumedCapacity": "TOTAL"})
    return Call("TransactWriteItems", {"TransactItems": list(writes.actions), "ReturnConsumedCapacity": "TOTAL"})


def _consumed(response: dict[str, Any]) -> float:
    told = response.get("ConsumedCapacity") or []
    parts = [told] if isinstance(told, dict) else told
    return float(sum(part.get("CapacityUnits", 0.0) for part in parts))


def _key(session: Session, item: Item) -> Item:
    table = session._context.plan.table
    return {a.name: item[a.name] for a in (table.pk, table.sk) if a is not None}
