"""TW805: a feed of changes does not show deletions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.compiler.sortkeys import NativeSort, SortPlan, TemplateSort
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields
from tablewright.lint.rule import Rule

_CHANGED = re.compile(r"(last_)?(updated|modified|changed)(_at|_on)?|(updated|modified|changed)At").fullmatch


class FeedWithoutDeletions(Rule):
    """A feed of changes does not show deletions.

    An index by the time of the last write is read for what has changed. An item that is deleted leaves the index, and
    who follows the feed keeps it for ever. With `soft_delete=SoftDelete(feed=...)` a tombstone stays there for some
    time, and shows that it was deleted. Entities that are never deleted need none: waive it.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Keys, Query, Table, query, updated

    app = Table("App", indexes=[GSI("GSI1")])


    class Note(Entity, table=app):
        keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("USER#{user}", "{updated_at}#{note_id}"))
        user: str
        note_id: str


    @app.pattern
    def changed_since(user: str, since: datetime) -> Query[Note]:
        return query(Note, Note.user == user, updated(Note) >= since)
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Keys, Query, SoftDelete, Table, query, updated

    app = Table("App", indexes=[GSI("GSI1")])


    class Note(Entity, table=app, soft_delete=SoftDelete(feed="GSI1")):
        keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("USER#{user}", "{updated_at}#{note_id}"))
        user: str
        note_id: str


    @app.pattern
    def changed_since(user: str, since: datetime) -> Query[Note]:
        return query(Note, Note.user == user, updated(Note) >= since)
    ```
    """

    code = "TW805"
    name = "feed-without-deletions"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            first = next(iter(fields(path.sk)), None)
            if path.index is None or first is None or not _CHANGED(first):
                continue
            feed = path.plan.options.soft_delete.feed if path.plan.options.soft_delete is not None else None
            ranged = [
                read for read in design.reads_of(path.plan, path.index_name) if _ranged(read.one.served.sort, first)
            ]
            if ranged and feed != path.index_name:
                yield Found(
                    design.about_entity(path.plan),
                    f"{ranged[0].pattern.name}() follows changes of {path.plan.name} through {path.index_name}, where deletions do not show.",
                    f'Let it delete softly: soft_delete=SoftDelete(feed="{path.index_name}").',
                    also=(path.index_name, *(read.pattern for read in ranged)),
                )


def _ranged(sort: SortPlan, name: str) -> bool:
    if isinstance(sort, TemplateSort):
        return sort.ranged == name
    return isinstance(sort, NativeSort) and sort.ranged is not None and sort.ranged.field.name == name
