"""One item: looked at, written for, and looked at anew where others were faster."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from tablewright.client.retry import RetryPolicy
from tablewright.errors import (
    ArgumentError,
    ConditionalCheckFailed,
    ItemCollectionTooLarge,
    RequestRefused,
    ServiceError,
    TablewrightError,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from tablewright.evolve.jobs.beside import Neighbours
from tablewright.evolve.jobs.counting import OVERTAKEN, Tally
from tablewright.evolve.jobs.estimating import Costing
from tablewright.evolve.jobs.holding import Hold
from tablewright.evolve.jobs.sending import Doubt, Sender
from tablewright.evolve.jobs.sizing import TOO_LARGE, is_too_large
from tablewright.evolve.jobs.work import Decision, Skipped, Work, WorkBeside, Writes
from tablewright.evolve.jobs.writing import in_the_way, request_of
from tablewright.values.types import Item

ATTEMPTS = 10
_HOPELESS = 100
"""Malformed requests in a row, and none that went well: then it is the work that is wrong. Items that the service will not
have because of what they hold are not counted: there may be any number of them, and nothing else left to write."""
_MALFORMED = re.compile(
    r"Invalid \w+Expression: (?!.*(?:exceeded|too many))"  # an expression may grow with the item
    r"|Value provided in ExpressionAttribute\w+ unused"
    r"|ExpressionAttribute\w+ (?:must not be empty|contains invalid key)"
    r"|The provided key element does not match the schema"
)
"""What the service says of requests that it would refuse for any item."""

Found: TypeAlias = Sequence[Item | None]
"""What was found beside an item."""
Outcome: TypeAlias = str
"""WRITTEN, NOTHING or GONE; anything else is a reason for which the item was skipped."""
WRITTEN, NOTHING, GONE = "\0written", "\0nothing", "\0gone"


class Settler:
    """Settles items, one at a time for each caller. With a `costing` nothing is written: what would be is added up there."""

    def __init__(
        self,
        work: Work,
        sender: Sender,
        key_names: tuple[str, ...],
        costing: Costing | None,
        policy: RetryPolicy,
        sleep: Callable[[float], Awaitable[object]],
        hold: Hold | None = None,
    ) -> None:
        self._work = work
        self._sender = sender
        self._key_names = key_names
        self._costing = costing
        self._policy = policy
        self._sleep = sleep
        self._hold = hold
        self._malformed = 0
        self._beside = Neighbours(work, sender, policy, sleep) if isinstance(work, WorkBeside) else None

    async def neighbours(self, items: Sequence[Item]) -> Sequence[Found]:
        """What the work wants to know beside each item of a page."""
        return [()] * len(items) if self._beside is None else await self._beside.of(items)

    def _look(self, item: Item, found: Found) -> Decision:
        try:
            decision = self._work.look(item) if self._beside is None else self._beside.work.compare(item, found)
        except TablewrightError:
            raise
        except Exception as error:  # the user's code; what it says may hold values
            raise ArgumentError(
                f"{self._work.name}: the work failed at an item, with {type(error).__name__}.",
                hint="Mend it, or let it return Skipped(...) for such items; then run the job again: it goes on where it stopped. "
                "The error's context has the key of the item.",
                context={"key": {name: item[name] for name in self._key_names}},
            ) from error
        if decision is not None and not isinstance(decision, Writes | Skipped):
            raise ArgumentError(
                f"{self._work.name}: the work answered with {type(decision).__name__}.",
                hint="An answer is Writes(...), Skipped(...) or None.",
            )
        return decision

    async def settle(self, item: Item, found: Found = ()) -> Outcome:
        """What became of an item."""
        doubt = Doubt()
        for attempt in range(ATTEMPTS):
            decision = self._look(item, found)
            if decision is None:
                return WRITTEN if doubt.lost else NOTHING
            if isinstance(decision, Skipped):
                if not decision.compared:
                    return decision.reason
                now = await self._again(item)
                if now is None:
                    return GONE
                if now == item:
                    return decision.reason
                item, (found,) = now, await self.neighbours([now])
                continue
            operation, request = request_of(decision, self._work.name)
            if is_too_large(decision, self._known(item, found)):
                return TOO_LARGE
            if self._costing is not None:
                if decision.notes:
                    return NOTHING
                self._costing.add(decision, self._known(item, found))
                return WRITTEN
            if self._hold is not None and self._hold.is_in_doubt:
                await self._hold.assure()
            try:
                await self._sender.write(operation, request, doubt)
            except ServiceError as error:
                if refused(error):
                    self._malformed += _malformed(error)
                    if self._malformed >= _HOPELESS:
                        raise
                    return f"the service refused to write it ({error.wire_name})"
                if not _overtaken(error):
                    raise
                stands = in_the_way(decision, error)
                if stands is None:
                    return WRITTEN if doubt.lost else NOTHING
                if isinstance(stands, Skipped):
                    return stands.reason
                if not doubt.lost:
                    self._sender.overtaken += 1
                if attempt > 1:
                    await self._sleep(self._policy.delay(attempt) / 10)
            else:
                self._malformed = -_HOPELESS  # the work itself is fine
                return NOTHING if decision.notes else WRITTEN
            again = await self._again(item)
            if again is None:
                return WRITTEN if doubt.lost and self._deletes(decision, item) else GONE
            item = again
            (found,) = await self.neighbours([item])
        return OVERTAKEN

    def _known(self, item: Item, found: Found) -> list[tuple[str, Item]]:
        """The items that are known to be there, with their tables."""
        beside = () if self._beside is None else self._beside.work.beside(item)
        others = [(table, other) for (table, _), other in zip(beside, found, strict=True) if other is not None]
        return [(self._work.table, item), *others]

    def _deletes(self, decision: Writes, item: Item) -> bool:
        key = {name: item[name] for name in self._key_names}
        deletes = (action["Delete"] for action in decision.actions if "Delete" in action)
        return any(one["TableName"] == self._work.table and one["Key"] == key for one in deletes)

    async def _again(self, item: Item) -> Item | None:
        """The item as it is now."""
        key = {name: item[name] for name in self._key_names}
        request = {"TableName": self._work.table, "Key": key, "ConsistentRead": True}
        response = await self._sender.read("GetItem", request)
        return response.get("Item") or None


def count(tally: Tally, outcome: Outcome) -> None:
    """Adds what became of an item."""
    tally.looked += 1
    if outcome == WRITTEN:
        tally.written += 1
    elif outcome == GONE:
        tally.gone += 1
    elif outcome != NOTHING:
        tally.skip(outcome)


_REFUSALS = {"ValidationError", "ItemCollectionSizeLimitExceeded"}


def refused(error: ServiceError) -> bool:
    """Whether the service will not have it, whenever it is sent."""
    if isinstance(error, TransactionCanceled):
        return any(reason.code in _REFUSALS for reason in error.reasons)
    return isinstance(error, RequestRefused | ItemCollectionTooLarge)


def _malformed(error: ServiceError) -> bool:
    """Whether what was refused would be so for any item, and is not refused because of what this one holds."""
    if isinstance(error, RequestRefused) and error.wire_name != RequestRefused.default_wire_name:
        return True
    reasons = error.reasons if isinstance(error, TransactionCanceled) else ()
    return any(_MALFORMED.search(said or "") for said in (error.message, *(reason.message for reason in reasons)))


def _overtaken(error: ServiceError) -> bool:
    """Whether somebody else wrote, or is just writing."""
    if isinstance(error, TransactionCanceled):
        codes = {reason.code for reason in error.reasons}
        return "ConditionalCheckFailed" in codes or "TransactionConflict" in codes
    return isinstance(error, ConditionalCheckFailed | TransactionConflict | TransactionInProgress)
