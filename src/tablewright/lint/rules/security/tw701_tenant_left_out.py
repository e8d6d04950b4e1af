"""TW701: an index partition does not name the tenant."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import TENANT, fields
from tablewright.lint.rule import Rule

_TENANT = TENANT.fullmatch


class TenantLeftOut(Rule):
    """An index partition does not name the tenant.

    The tenant leads the partition keys of the table, and is missing in an index. Items of two tenants with equal ids
    lie in one partition there, a read returns both, and no IAM condition on leading keys can keep them apart. Put the
    tenant first in the partition key of every index. Lists across all tenants, for administrators, are made on purpose:
    waive them.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class Project(Entity, table=app):
        keys = Keys("TENANT#{tenant_id}", "PROJECT#{project_id}")
        tenant_id: str
        project_id: str


    class Task(Entity, table=app):
        keys = Keys("TENANT#{tenant_id}", "TASK#{task_id}", GSI1=("PROJECT#{project_id}", "TASK#{task_id}"))
        tenant_id: str
        project_id: str
        task_id: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class Project(Entity, table=app):
        keys = Keys("TENANT#{tenant_id}", "PROJECT#{project_id}")
        tenant_id: str
        project_id: str


    class Task(Entity, table=app):
        keys = Keys(
            "TENANT#{tenant_id}", "TASK#{task_id}", GSI1=("TENANT#{tenant_id}#PROJECT#{project_id}", "TASK#{task_id}")
        )
        tenant_id: str
        project_id: str
        task_id: str
    ```
    """

    code = "TW701"
    name = "tenant-left-out"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        led: dict[str, int] = {}
        for plan in design.entities:
            for name in fields(plan.pk)[:1]:
                if _TENANT(name):
                    led[name] = led.get(name, 0) + 1
        tenants = [name for name, count in led.items() if count > 1]
        for path in design.every_path():
            for name in tenants:
                if (
                    name in path.plan.fields
                    and name not in fields(path.pk)
                    and not _global(design, name, fields(path.pk))
                ):
                    yield Found(
                        design.about_entity(path.plan),
                        f"The partition key of {path.plan.name} on {key_of(path)} does not name {name!r}, which leads the others.",
                        f"Begin it with the tenant: {name.removesuffix('_id').upper()}#{{{name}}}#...",
                        also=(path.index_name,) if path.index_name else (),
                    )


def _global(design: Design, tenant: str, named: list[str]) -> bool:
    """Whether these fields are keys of entities that belong to no tenant, such as users of several."""
    free = [plan for plan in design.entities if tenant not in plan.fields]
    known = {name for plan in free for path in design.paths(plan) for name in fields(path.pk)}
    return bool(named) and known.issuperset(named)
