"""Carrying writes out: one write as a request of its own where it can be, many as one transaction.

A write whose guard failed is planned again with the item that the failure brought along, ten times at most; that loop is
about other writers and has nothing to do with retries of failed requests.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from msgspec import Struct

from tablewright.client import hooks
from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import GUARD_ATTEMPTS, GUARD_PAUSE, Context
from tablewright.client.fetching import Need, fetch_items
from tablewright.client.refusals import explained, explained_reason
from tablewright.client.transacting import Task, refuse_same_item, settle, told, transaction_request
from tablewright.client.writes.action import OPERATIONS, Action, same_key
from tablewright.client.writes.base import Write
from tablewright.client.writes.create import Create
from tablewright.client.writes.mirroring import mirrors_of
from tablewright.errors import (
    TRANSIENT_REASONS,
    ConditionalCheckFailed,
    ContentionError,
    IdempotentParameterMismatch,
    RequestRefused,
    TablewrightError,
    TransactionCanceled,
)
from tablewright.values.types import Item


class _Planning(Struct, eq=False):
    """One write under way: the item as far as it is known, and whether that is what the table says itself."""

    write: Write
    current: Item | None = None
    sure: bool = True
    now: str = ""
    origin: int = 0
    """Which of the caller's writes it belongs to."""


class Outcome(Struct, frozen=True):
    """What became of a write: its time stamp, the item that it was planned on, and the attributes that came back."""

    now: str
    current: Item | None = None
    attributes: Item | None = None


def perform(context: Context, write: Write, *, returning: str = "NONE") -> Steps[Outcome]:
    """Carries one write out, as a single request where it is a single action."""
    outcomes = yield from _carry_out(context, [write], None, returning)
    if write.plan.hooks is not None:
        hooks.after([(write, outcomes[0].current, outcomes[0].attributes)])
    return outcomes[0]


def commit(context: Context, writes: Sequence[Write], token: str | None = None) -> Steps[list[Outcome]]:
    """Carries many writes out as one transaction, or none of them."""
    if not writes:
        return []
    refuse_same_item([w.key for w in writes])
    outcomes = yield from _carry_out(context, writes, token, None)
    hooks.after((w, o.current, o.attributes) for w, o in zip(writes, outcomes, strict=True) if w.plan.hooks is not None)
    return outcomes


def read_current(context: Context, write: Write) -> Steps[Item | None]:
    """The stored item, read consistently."""
    found = yield from fetch_items(context, [write.key], strong=True, need=_need([write]))
    return write.seen(found.get(same_key(write.key)))


def _carry_out(
    context: Context, writes: Sequence[Write], token: str | None, returning: str | None
) -> Steps[list[Outcome]]:
    plannings = [_Planning(w, origin=n) for n, w in enumerate(writes)]
    if context.plan.table.mirrors:
        plannings += [_Planning(w, origin=n) for n, w in mirrors_of(context, writes)]
    # A caller's token stands for one plan, so that plan should be right the first time: no guesses.
    yield from _look(context, plannings, guessing=token is None)
    for attempt in range(GUARD_ATTEMPTS):
        if attempt > 1:
            yield Pause(min(attempt - 2, 4), GUARD_PAUSE)
        now = context.now()
        tasks = yield from _plan(context, plannings, now)
        try:
            if returning is not None and len(tasks) == 1 and tasks[0].action.kind in OPERATIONS:
                attributes = yield from _alone(context, plannings[0].write, tasks[0].action, returning)
                return [Outcome(plannings[0].now, plannings[0].current, attributes)]
            yield from _together(context, plannings, tasks, token or context.token())
        except ConditionalCheckFailed as failed:
            yield from _judge(context, plannings[0], failed.item, first=attempt == 0)
        except TransactionCanceled as canceled:
            untold = _untold(plannings, tasks, canceled, first=attempt == 0)
            looked = (yield from _look_at(context, untold)) if untold else {}
            _judge_all(plannings, tasks, canceled, looked)
            if token is not None:
                # Under another token the same call, repeated, would be carried out twice.
                raise ContentionError(
                    "Another writer was faster, and a transaction with a token of yours is planned only once.",
                    hint="Nothing was written; repeat it with a new token.",
                ) from canceled
        else:
            return [Outcome(p.now, p.current) for p in plannings[: len(writes)]]
    names = ", ".join(sorted({w.plan.name for w in writes}))
    raise ContentionError(
        f"Other writers changed {names} each of the {GUARD_ATTEMPTS} times this write was planned.",
        hint="Nothing was written; try again later.",
    )


# -------------------------------------------------------------------------------------------------- planning


def _look(context: Context, plannings: Sequence[_Planning], *, guessing: bool) -> Steps[None]:
    """Finds the items that must be known: the caller's copies where they will do, the rest read at once."""
    unknown = []
    for planning in plannings:
        if planning.write.needs_current:
            planning.current = planning.write.guess() if guessing else None
            planning.sure = planning.current is None
            if planning.sure:
                unknown.append(planning)
    if unknown:
        yield from _read(context, unknown)


def _read(context: Context, plannings: Sequence[_Planning]) -> Steps[None]:
    found = yield from fetch_items(
        context, [p.write.key for p in plannings], strong=True, need=_need([p.write for p in plannings])
    )
    errors: dict[int, TablewrightError] = {}
    for planning in plannings:
        planning.current, planning.sure = planning.write.seen(found.get(same_key(planning.write.key))), True
        error = planning.write.verdict(planning.current)
        if error is not None:
            errors.setdefault(planning.origin, error)
    if errors:
        raise told(errors)


def _plan(context: Context, plannings: Sequence[_Planning], now: str) -> Steps[list[Task]]:
    tasks: list[Task] = []
    for position, planning in enumerate(plannings):
        if not planning.sure and not _can_plan(planning, now):
            yield from _read(context, [planning])
        try:
            planning.now = planning.write.stamp(planning.current, now)
            tasks.extend(Task(action, position) for action in planning.write.actions(planning.current, planning.now))
        except TablewrightError as error:
            raise told({planning.origin: error}) from error.__cause__
    return settle(tasks)


def _can_plan(planning: _Planning, now: str) -> bool:
    """Whether a plan can be made on the caller's copy. If not, the copy may be to blame: the table's own word counts."""
    try:
        planning.write.actions(planning.current, now)
    except TablewrightError:
        return False
    return True


# --------------------------------------------------------------------------------------------------- sending


def _alone(context: Context, write: Write, action: Action, returning: str) -> Steps[Item | None]:
    body = action.body(context.table)
    if returning != "NONE" and (action.kind == "Update" or returning == "ALL_OLD"):
        body["ReturnValues"] = returning
    try:
        response = yield Call(OPERATIONS[action.kind], body, action.repeatable, entity=write.plan.name)
    except RequestRefused as error:
        raise explained(error, [write.plan]) from error
    return response.get("Attributes")


def _together(context: Context, plannings: Sequence[_Planning], tasks: Sequence[Task], token: str) -> Steps[None]:
    # The request is made once, so that the token stands for the same bytes however often it is sent.
    try:
        yield Call(
            "TransactWriteItems",
            transaction_request(context.table, tasks, token),
            True,
            entity=_entity([p.write for p in plannings]),
        )
    except RequestRefused as error:
        raise explained(error, [p.write.plan for p in plannings]) from error
    except IdempotentParameterMismatch as error:
        error.hint = (
            "A transaction with this token was carried out in the last ten minutes. If it was this one, nothing is left "
            "to do; for another one use another token."
        )
        raise


def _entity(writes: Sequence[Write]) -> str | None:
    """The entity of all of them, if it is one."""
    names = {w.plan.name for w in writes}
    return names.pop() if len(names) == 1 else None


def _need(writes: Sequence[Write]) -> Need:
    """What is told of a read that writes need."""
    names = {w.called for w in writes}
    return Need(_entity(writes), names.pop() if len(names) == 1 else "transaction")


# --------------------------------------------------------------------------------------------------- judging


def _judge(context: Context, planning: _Planning, old: Item | None, *, first: bool) -> Steps[None]:
    """Raises what the caller must know; otherwise the write is planned again with the item that was met."""
    write = planning.write
    if old is None and _must_look(write, first=first):
        old = (yield from _look_at(context, [write]))[same_key(write.key)]
        error = _verdict(write, write.seen(old), met=False)
    else:
        error = why_refused(write, old)
    if error is not None:
        raise error
    planning.current, planning.sure = write.seen(old), True
    write.foreign.clear()  # on another item, a marker that was another's may be its own


def _must_look(write: Write, *, first: bool) -> bool:
    """Whether a failed condition that brings no item along leaves open what it met. There may be none; or whoever answered
    does not tell, as not all do that speak DynamoDB's language. What nobody told is not claimed, nor taken for granted twice."""
    if isinstance(write, Create):
        return False  # its only condition is that there is none
    return not first or why_refused(write, None) is not None


def _look_at(context: Context, writes: Sequence[Write]) -> Steps[dict[Hashable, Item | None]]:
    """The items of writes as they are now, by their keys."""
    found = yield from fetch_items(context, [w.key for w in writes], strong=True, need=_need(writes))
    return {(name := same_key(w.key)): found.get(name) for w in writes}


def why_unmet(context: Context, write: Write, failed: ConditionalCheckFailed) -> Steps[TablewrightError | None]:
    """Why a write failed that was tried once; None if nothing is in its way any more, so that it may be planned again."""
    if failed.item is not None:
        return why_refused(write, failed.item) or failed
    found = yield from _look_at(context, [write])
    return _verdict(write, write.seen(found[same_key(write.key)]), met=False)


def why_refused(write: Write, old: Item | None) -> TablewrightError | None:
    """Why a write cannot happen on the item that it met; None if only its guard failed."""
    return _verdict(write, write.seen(old))


def _verdict(write: Write, old: Item | None, *, met: bool = True) -> TablewrightError | None:
    """`met` says that this is the very item on which the condition failed, and not what was read after that."""
    error = write.verdict(old)
    if error is None and not write.guarded and (met or old is None):
        return write.missing() if old is None else write.refused(old)
    return error


def _untold(
    plannings: Sequence[_Planning], tasks: Sequence[Task], canceled: TransactionCanceled, *, first: bool
) -> list[Write]:
    """The writes whose conditions failed on items that nobody told."""
    failed = [
        plannings[t.position].write
        for t, r in zip(tasks, canceled.reasons, strict=False)
        if r.code == "ConditionalCheckFailed" and r.item is None and t.action.marker is None
    ]
    return [write for write in failed if _must_look(write, first=first)]


def _judge_all(
    plannings: Sequence[_Planning],
    tasks: Sequence[Task],
    canceled: TransactionCanceled,
    looked: Mapping[Hashable, Item | None],
) -> None:
    """The same for each action of a transaction; the error says which of the caller's writes failed, and why. `looked` are
    the items that had to be read for this, by their keys."""
    errors: dict[int, TablewrightError] = {}
    taken: dict[int, TablewrightError] = {}
    guarded = False
    failed = [(t, r) for t, r in zip(tasks, canceled.reasons, strict=False) if r.code != "None"]
    outdated = {t.position for t, r in failed if t.action.marker is None and r.code == "ConditionalCheckFailed"}
    for task, reason in failed:
        planning = plannings[task.position]
        if reason.code in TRANSIENT_REASONS:
            continue
        error: TablewrightError | None
        if reason.code != "ConditionalCheckFailed":
            errors[task.position] = explained_reason(reason, planning.write.plan, canceled)
        elif task.action.marker is not None and task.action.kind == "Delete" and task.position in outdated:
            guarded = True  # whose the marker is, an old copy cannot tell
        elif task.action.marker is not None:
            error = planning.write.marker_verdict(task.action)
            if error is not None:
                taken[task.position] = error
            guarded = guarded or error is None
        else:
            name = same_key(planning.write.key)
            met = planning.write.seen(looked.get(name, reason.item))
            error = _verdict(planning.write, met, met=name not in looked)
            if error is not None:
                errors.setdefault(task.position, error)
            else:
                guarded = True
                planning.current, planning.sure = met, True
                planning.write.foreign.clear()
    if not guarded:
        # A marker can fail only because a plan was made on an old copy: a failed guard decides before it.
        errors = {**taken, **errors}
    if errors:
        error = told({plannings[p].origin: e for p, e in sorted(errors.items(), reverse=True)})
        raise error from (None if error is canceled else canceled)
    if not guarded:
        raise canceled
