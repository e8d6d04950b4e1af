"""A save whose reply was lost, or that was cut off: what it has done shows in the items themselves."""

from __future__ import annotations

from tablewright.client.aggregates.state import Held, Sent, State, counters_of
from tablewright.client.aggregates.units import Placed
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.fetching import fetch_items
from tablewright.client.writes.action import same_key
from tablewright.client.writes.items import remember
from tablewright.model.entity import Stored, stored
from tablewright.values.types import Item


def settle_unsure(context: Context, state: State, placed: dict[bytes, Placed], *, resume: bool) -> Steps[None]:
    """Looks at the items that may have been written. One that is as it was to be was; all others are left to the guards
    of the next write. With `resume` every new item of the tree may have been written, by a process that is gone."""
    sent = list(state.unsure)
    if resume:
        known = {same_key(s.key) for s in sent} | state.held.keys()
        sent += [_new(one) for text, one in placed.items() if text not in known]
    if not sent:
        return
    found = yield from fetch_items(context, [s.key for s in sent], strong=True)
    happened = False
    for one in (s for s in sent if not s.touched_only):
        happened = _settle(state, one, one.plan.alive(found.get(same_key(one.key))), placed) or happened
    for one in (s for s in sent if s.touched_only and happened):
        item = one.plan.alive(found.get(same_key(one.key)))
        if item is not None:
            _hold(state, one, item, placed)
    state.unsure = []


def _new(one: Placed) -> Sent:
    fields = one.plan.encode_fields(one.values)
    return Sent(one.plan, one.key, one.branch, one.parent, fields, one.counted, touched_only=False)


def _settle(state: State, sent: Sent, item: Item | None, placed: dict[bytes, Placed]) -> bool:
    """Whether a write has happened; if so, it is noted."""
    if sent.fields is None:
        return item is None and state.held.pop(same_key(sent.key), None) is not None
    if item is None or not sent.plan.owns(item) or not _as_sent(state, sent, item):
        return False
    _hold(state, sent, item, placed)
    return True


def _as_sent(state: State, sent: Sent, item: Item) -> bool:
    """Whether an item has the fields that were sent, but for what others count in it."""
    plan = sent.plan
    uncounted = dict.fromkeys(counters_of(state, sent.branch), 0)
    there = plan.values_in(item, plan.fields)
    meant = plan.values_in({**(sent.fields or {}), **sent.key}, plan.fields)
    return plan.encode_fields({**there, **uncounted}) == plan.encode_fields({**meant, **uncounted})


def _hold(state: State, sent: Sent, item: Item, placed: dict[bytes, Placed]) -> None:
    entity = sent.plan.decode(item)
    known = stored(entity) or Stored()
    counters = counters_of(state, sent.branch)
    text = same_key(sent.key)
    state.held[text] = Held(sent.plan, sent.branch, sent.key, item, known, sent.parent, sent.counted, counters)
    below = state.aggregate.branches if sent.branch is None else sent.branch.branches
    state.opened.update((text, branch.name) for branch in below if text in placed)
    if text in placed:
        vars(placed[text].entity).update({name: getattr(entity, name) for name in counters})
        remember(placed[text].entity, known, sent.key)
