"""A save whose reply was lost, or that was cut off: what it has done shows in the items themselves."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.client.aggregates.state import Held, Sent, State, counters_of
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.fetching import fetch_items
from tablewright.client.writes.action import same_key
from tablewright.client.writes.items import remember
from tablewright.model.entity import Stored, stored
from tablewright.values.types import Item


def settle(context: Context, state: State, sent: Sequence[Sent]) -> Steps[None]:
    """Looks at items that may have been written. One that is as it was to be was; all others are left to the guards of the
    next write."""
    if not sent:
        return
    found = yield from fetch_items(context, [s.key for s in sent], strong=True)
    happened = False
    for one in (s for s in sent if not s.touched_only):
        happened = _settle(state, one, one.plan.alive(found.get(same_key(one.key)))) or happened
    for one in (s for s in sent if s.touched_only and happened):
        item = one.plan.alive(found.get(same_key(one.key)))
        if item is not None:
            _hold(state, one, item)
    state.unsure = []


def _settle(state: State, sent: Sent, item: Item | None) -> bool:
    """Whether a write has happened; if so, it is noted."""
    if sent.fields is None:
        return item is None and state.held.pop(same_key(sent.key), None) is not None
    if item is None or not sent.plan.owns(item) or not _as_sent(state, sent, item):
        return False
    _hold(state, sent, item)
    return True


def _as_sent(state: State, sent: Sent, item: Item) -> bool:
    """Whether an item has the fields that were sent, but for what others count in it."""
    plan = sent.plan
    uncounted = dict.fromkeys(counters_of(state, sent.branch), 0)
    there = plan.values_in(item, plan.fields)
    meant = plan.values_in({**(sent.fields or {}), **sent.key}, plan.fields)
    return plan.encode_fields({**there, **uncounted}) == plan.encode_fields({**meant, **uncounted})


def _hold(state: State, sent: Sent, item: Item) -> None:
    entity = sent.plan.decode(item)
    known = stored(entity) or Stored()
    counters = counters_of(state, sent.branch)
    text = same_key(sent.key)
    state.held[text] = Held(sent.plan, sent.branch, sent.key, item, known, sent.parent, sent.counted, counters)
    below = state.aggregate.branches if sent.branch is None else sent.branch.branches
    if sent.entity is not None:
        state.opened.update((text, branch.name) for branch in below)
        vars(sent.entity).update({name: getattr(entity, name) for name in counters | sent.worked_out})
        remember(sent.entity, known, sent.key)
