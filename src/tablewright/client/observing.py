"""Advice from what a session's collector saw, as steps: how the table is paid for is asked for beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.errors import ConfigError, TablewrightError
from tablewright.observe.billing import billing_mode
from tablewright.observe.tracking import Track, Tracked

if TYPE_CHECKING:
    from tablewright.observe.recommendation import Recommendation


def recommendations(context: Context) -> Steps[list[Recommendation]]:
    """What should be changed, the most important first."""
    collector = context.options.observe
    if collector is None:
        raise ConfigError(
            "Nobody observes this session, so that there is nothing to give advice from.",
            hint="Open the table with open(..., observe=Collector()).",
        )
    if collector.knows_billing:
        return collector.recommendations(context.plan)
    try:
        response = yield Call("DescribeTable", {"TableName": context.table}, repeatable=True)
    except TablewrightError:
        pass  # whoever may not ask gets the other advice all the same
    else:
        collector.billed(billing_mode(response["Table"]))
    return collector.recommendations(context.plan)


def track(context: Context, name: str) -> Track:
    """Times an operation of the application."""
    return Track(context.options.observe or _NOBODY, name)


class _Nobody:
    def tell(self, tracked: Tracked, /) -> None:
        pass


_NOBODY = _Nobody()
