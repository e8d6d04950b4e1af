"""TW210: an index holds some of the entities that have its field."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import choices, fields, kinds, whole
from tablewright.lint.rule import Rule


class PartialQueue(Rule):
    """An index holds some of the entities that have its field.

    Several entities have the same field with the same choices, and only some of them are in the index by it. A queue
    that is read there misses the others: what is pending stays so, and nobody sees it. Give each of them keys on the
    index, or call what means something else by another name.

    Bad:

    ```python
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Query, Table, query

    app = Table("App", indexes=[GSI("GSI1")])


    class Survey(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "SURVEY#{survey_id}", GSI1=("SYNC#{tenant}#{sync}", "SURVEY#{survey_id}"))
        tenant: str
        survey_id: str
        sync: Literal["synced", "pending"] = "pending"


    class Photo(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "PHOTO#{photo_id}")
        tenant: str
        photo_id: str
        sync: Literal["synced", "pending"] = "pending"


    @app.pattern
    def surveys_to_sync(tenant: str, sync: Literal["synced", "pending"]) -> Query[Survey]:
        return query(Survey, Survey.tenant == tenant, Survey.sync == sync)
    ```

    Good:

    ```python
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Query, Table, query

    app = Table("App", indexes=[GSI("GSI1")])


    class Survey(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "SURVEY#{survey_id}", GSI1=("SYNC#{tenant}#{sync}", "SURVEY#{survey_id}"))
        tenant: str
        survey_id: str
        sync: Literal["synced", "pending"] = "pending"


    class Photo(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "PHOTO#{photo_id}", GSI1=("SYNC#{tenant}#{sync}", "PHOTO#{photo_id}"))
        tenant: str
        photo_id: str
        sync: Literal["synced", "pending"] = "pending"


    @app.pattern
    def surveys_to_sync(tenant: str, sync: Literal["synced", "pending"]) -> Query[Survey]:
        return query(Survey, Survey.tenant == tenant, Survey.sync == sync)
    ```
    """

    code = "TW210"
    name = "partial-queue"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            if path.index is None or not design.reads_of(path.plan, path.index_name):
                continue
            for name in fields(path.pk):
                if choices(path.plan, name) is None:
                    continue
                missing = [
                    other.name
                    for other in design.entities
                    if name in other.fields
                    and kinds(other, name) == kinds(path.plan, name)
                    and not any(name in fields(whole(each)) for each in design.paths(other))
                ]
                if missing:
                    yield Found(
                        design.about_index(path.index.name),
                        f"{path.plan.name} is in {path.index.name} by {name!r}, and {', '.join(missing)} with the same field is not.",
                        f"Give each of them keys on {path.index.name}, so that who reads it misses nothing.",
                        also=(path.plan.entity, *(plan.entity for plan in design.entities if plan.name in missing)),
                    )
