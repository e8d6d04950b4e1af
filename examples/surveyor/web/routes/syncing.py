"""What synchronising needs: the queue, the feed of changes with what was deleted, and what went wrong. All are about a whole tenant."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from examples.surveyor.base import Unsynced
from examples.surveyor.web.callers import Store, manager
from examples.surveyor.web.library_shapes import Changes, ChangeShown, ItemShown
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import Cursor, Limit, Listed, Moment, Shown

router = APIRouter(
    prefix="/sync", tags=["synchronising"], dependencies=[Depends(manager)], responses=responses(400, 401, 403)
)


class LogLine(Shown):
    """What went wrong with an item."""

    at: datetime
    kind: str
    survey_id: str | None
    entity_id: str
    message: str


@router.get("/queue")
def show_queue(
    store: Store,
    status: Annotated[Unsynced, Query(description="What waits, or what failed.")] = "pending",
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[ItemShown]:
    """What waits to be synchronised, or failed, whatever it is; longest wait first. For managers of the tenant."""
    page = store.sync_queue(status, limit, cursor)
    return Listed.of(map(ItemShown.of, page), page)


@router.get("/changes")
def show_changes(store: Store, limit: Limit = 100, cursor: Cursor = None) -> Changes:
    """What was written or deleted since a cursor, each change once; without one, all there is. For managers of the tenant."""
    page = store.changes_since(cursor, limit)
    return Changes(items=[ChangeShown.of(each) for each in page.items], next=page.cursor, has_more=page.has_more)


@router.get("/log")
def show_log(
    store: Store,
    since: Annotated[Moment | None, Query(description="What went wrong from then on.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Listed[LogLine]:
    """What went wrong, newest first. For managers of the tenant."""
    page = store.sync_log(since, limit, cursor)
    return Listed.of(map(LogLine.of, page), page)
