"""How sizes and places are said, and what traffic is about in a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.observe.snapshot import TABLE, Traffic
from tablewright.wording import quantity

if TYPE_CHECKING:
    from tablewright.compiler.entity_plan import EntityPlan
    from tablewright.compiler.plan import TablePlan
    from tablewright.compiler.reads import ReadPlan
    from tablewright.model.table import TableModel


def size(number: float) -> str:
    """340 bytes, 4.2 KB and 1 MB."""
    if number < 1024:
        return f"{quantity(round(number))} bytes"
    unit, name = (1024, "KB") if number < 2**20 else (2**20, "MB") if number < 2**30 else (2**30, "GB")
    return f"{quantity(round(number / unit, 1))} {name}"


def place(name: str) -> str:
    """What a place is called in a sentence."""
    return "the table" if name == TABLE else name


def by_boto(plan: TablePlan | None, traffic: Traffic) -> bool:
    """Whether it comes from a program without a model, which calls boto3: what to do is then told in boto3's words."""
    return plan is None and traffic.pattern is None and traffic.entity is None


def entity_of(plan: TablePlan | None, traffic: Traffic) -> EntityPlan | None:
    """The entity of the model that a kind of traffic reads or writes."""
    if plan is None or traffic.entity is None:
        return None
    named = (entity for entity in plan.entities.values() if entity.name == traffic.entity)
    return next(named, plan.by_type.get(traffic.entity))


def tells_sizes(table: TableModel, traffic: Traffic) -> bool:
    """Whether the items of it that were measured are whole: what an index holds may be a part of them."""
    index = table.indexes.get(traffic.index or "")
    return not traffic.index or (index is not None and index.projection == "ALL")


def writes_of(traffic: Traffic) -> int:
    """How many writes it is: a batch is as many as it has items; a transaction is one, with the markers that it takes along."""
    return traffic.keys if traffic.operation == "BatchWriteItem" else traffic.requests


def reads_of(plan: TablePlan | None, pattern: str | None) -> list[ReadPlan]:
    """The variants of a pattern of the model."""
    return [] if plan is None or pattern is None else list(plan.patterns.get(pattern, {}).values())


def key_in_code(entity: EntityPlan | None, given: str) -> str:
    """What names an item in code: `key(Order, order_id=...)`; `given` is what each field is set to, {} being its name."""
    if entity is None:
        return "key(...)"
    return f"key({', '.join([entity.name, *(f'{name}={given.format(name)}' for name in sorted(entity.key_fields))])})"
