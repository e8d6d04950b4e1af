"""`Design`: a table whose keys are still to be found. It takes the place of Table(...) until they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tablewright.errors import ModelError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import AttributeNames
from tablewright.model.keys import Keys, Unique
from tablewright.model.table import StreamView, TableModel


class Design(TableModel):
    """A table without keys: entities, access patterns, relationships and expectations, from which keys are proposed.

    Entities of a design have no `keys`. They say instead, as class keywords:

    - `identity=["order_id"]`: the fields that identify one item. They never change; nor do fields with `frozen=True`.
    - `handles=["customer_id", "order_id"]`: what those who write an item hold; its primary key is made of these fields
      alone. Without it, any of the fields that never change may become part of the key.
    - `unique=["email"]`: as in Keys(); the rules are taken over.

    `tablewright design propose FILE` writes the same file with Table(...), indexes and keys.
    """

    needs_keys: ClassVar[bool] = False
    asks: ClassVar[tuple[str, ...]] = ("identity", "handles", "unique")

    def __init__(
        self, name: str, *, names: AttributeNames | None = None, stream: StreamView | bool | None = None
    ) -> None:
        super().__init__(name, names=names, stream=stream)

    def on_entity(self, entity: type[Entity]) -> None:
        """Checks what the entity says of itself in place of keys."""
        name, asked = entity.__name__, entity.__asked__
        if isinstance(getattr(entity, "keys", None), Keys):
            raise ModelError(
                f"{name} has keys, but {self.name} is a design, which finds them.",
                hint="Leave keys out, or write Table(...) in place of Design(...).",
            )
        identity = field_list(entity, "identity", asked)
        if not identity:
            raise ModelError(
                f"{name} does not say what identifies an item.",
                hint=f'Name the fields: class {name}(Entity, table=..., identity=["{next(iter(entity.model_fields), "id")}"]).',
            )
        missing = [n for n in identity if "handles" in asked and n not in field_list(entity, "handles", asked)]
        if missing:
            raise ModelError(
                f"{name}: handles= lacks {missing[0]!r}, which identifies it.", hint="Writers must hold the identity."
            )
        for rule in asked.get("unique", ()):
            for field in rule.fields if isinstance(rule, Unique) else (rule,):
                _existing(entity, "unique", field)


def field_list(entity: type[Entity], keyword: str, asked: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that a class keyword names."""
    given = asked.get(keyword, ())
    if not isinstance(given, list | tuple):
        raise ModelError(f"{entity.__name__}: {keyword}= is a list of field names.")
    for name in given:
        _existing(entity, keyword, name)
    return tuple(given)


def _existing(entity: type[Entity], keyword: str, name: Any) -> None:
    if name not in entity.model_fields:
        raise ModelError(
            f"{entity.__name__}: {keyword}= names field {name!r}, which it does not have."
            + did_you_mean(str(name), entity.model_fields)
        )
