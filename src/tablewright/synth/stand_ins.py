"""Entities of a design with their identity for a key: what is wrong with them whatever keys are found shows where they are
defined."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.fields import FieldPlan, plan_fields
from tablewright.errors import KeyTemplateError, ModelError
from tablewright.model.annotations import metadata, plain, without_none
from tablewright.model.entity import Entity
from tablewright.model.fields import Epoch
from tablewright.model.keys import Keys, Unique
from tablewright.model.table import TableModel
from tablewright.values.keycodec import part_for
from tablewright.values.sizes import MAX_PARTITION_KEY, MAX_SORT_KEY


def stand_in(
    entity: type[Entity], table: TableModel, identity: Sequence[str], unique: Sequence[str | Unique]
) -> EntityPlan:
    """The entity, compiled; raises ModelError for what no key could mend."""
    fields = plan_fields(entity) if entity.__pydantic_complete__ else {}
    for name in identity:
        if name in fields and (fields[name].nullable or not keyable(fields[name])):
            why = "may be None" if fields[name].nullable else "has a type or a name that cannot stand in a key"
            raise ModelError(
                f"{entity.__name__} is identified by {name!r}, which {why}.",
                hint=f"Make {name} required, or choose another identity."
                if fields[name].nullable
                else f"Choose another identity, or {TYPES}.",
            )
    template = "#".join(("ID", *(f"{{{name}}}" for name in identity)))
    try:
        return plan_entity(entity, table, Keys(template, "ID", unique=list(unique)))
    except KeyTemplateError as error:
        longest = error.context.get("declared_bytes")
        if longest is None:
            raise
        raise ModelError(
            f"{entity.__name__}: what identifies it, {', '.join(identity)}, can take {longest} bytes by the declared lengths; "
            f"DynamoDB allows {MAX_PARTITION_KEY} in a partition key and {MAX_SORT_KEY} in a sort key.",
            hint=error.hint,
        ) from None


TYPES = "use str, int, Decimal, bool, datetime, date, UUID, an Enum or a Literal"
"""What can stand in a key, in words."""


def keyable(field: FieldPlan) -> bool:
    """Whether a field can stand in a key."""
    annotation = without_none(field.annotation)
    if metadata(annotation, Epoch) is not None:
        annotation = plain(annotation)
    kind = plain(annotation)
    if (isinstance(kind, type) and issubclass(kind, enum.Flag)) or field.sealing is not None:
        return False
    if not re.fullmatch(r"[A-Za-z0-9_]+", field.name):  # as templates want it
        return False
    try:
        part_for(annotation, width=None)
    except KeyTemplateError:
        return False
    return True
