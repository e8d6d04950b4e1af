"""TW701: an index partition does not name the tenant."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, named_ids, snake
from tablewright.lint.rule import Rule
from tablewright.lint.tenants import leads, tenants


class TenantLeftOut(Rule):
    """An index partition does not begin with the tenant.

    The tenant leads the partition keys of the table, and is missing in an index. Items of two tenants with equal ids
    lie in one partition there, a read returns both, and no IAM condition on leading keys can keep them apart. Put the
    tenant first in the partition key of every index: behind another field it keeps items apart, but IAM cannot tell.
    Lists across all tenants, for administrators, are made on purpose: waive them. The tenant is a field that is called
    so, or like an organisation. An id that leads every entity of the table may be one too, which is only noted.

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
        for tenant in tenants(design):
            name = tenant.field
            for path in design.every_path():
                plan = path.plan
                # What is the tenant itself is listed over all tenants, or not at all.
                if name not in plan.fields or plan.key_fields == {name} or leads(path, name):
                    continue
                named = fields(path.pk)
                if _global(design, name, named) or (tenant.guessed and _of_itself(design, path, name)):
                    continue
                told = (
                    f"names {name!r} behind other fields, where IAM cannot see it"
                    if name in named
                    else f"does not name {name!r}, which leads the others"
                )
                first = f"{snake(name).removesuffix('_id').upper()}#{{{name}}}#..."
                yield Found(
                    design.about_entity(plan),
                    f"The partition key of {plan.name} on {key_of(path)} {told}.",
                    f"If {name} says whose data it is, begin with it: {first}"
                    if tenant.guessed
                    else f"Begin it with the tenant: {first}",
                    "info" if tenant.guessed else None,
                    also=(path.index_name,) if path.index_name else (),
                )


def _global(design: Design, tenant: str, named: list[str]) -> bool:
    """Whether these fields are keys of entities that belong to no tenant, such as users of several."""
    free = [plan for plan in design.entities if tenant not in plan.fields]
    known = {name for plan in free for path in design.paths(plan) for name in fields(path.pk)}
    return bool(named) and known.issuperset(named)


def _of_itself(design: Design, path: KeyPath, tenant: str) -> bool:
    """Whether a partition is one item's own, another direction of a link, or names the field all the same."""
    named = set(fields(path.pk))
    return tenant in named or named <= path.plan.key_fields.union(named_ids(design, path.plan))
