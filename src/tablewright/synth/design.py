"""`Design`: a table whose keys are still to be found. It takes the place of Table(...) until they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tablewright.compiler.changes import summarise
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.relationships import check_relationship
from tablewright.errors import ModelError
from tablewright.model.aggregates import Aggregate
from tablewright.model.change import Change
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import AttributeNames
from tablewright.model.keys import Keys, Unique
from tablewright.model.pattern import Pattern
from tablewright.model.relationships import Relationship
from tablewright.model.symbols import SourceLine, user_line
from tablewright.model.table import StreamView, TableModel
from tablewright.synth.stand_ins import stand_in


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
        self.stand_ins: dict[type[Entity], EntityPlan] = {}
        """Each entity as far as it does not depend on its keys."""
        self.lines: dict[str, SourceLine] = {}
        """Where definitions are written, by what messages call them."""

    def on_entity(self, entity: type[Entity]) -> None:
        """Checks what the entity says of itself in place of keys, and what no key could mend."""
        self.lines[entity.__name__] = user_line()
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
        self.stand_ins[entity] = stand_in(entity, self, identity, asked.get("unique", ()))

    def on_pattern(self, pattern: Pattern[..., Any]) -> None:
        """Notes where it is written."""
        self.lines[f"{pattern.name}()"] = user_line()

    def on_change(self, change: Change[Any, ...]) -> None:
        """Checks the change: what identifies an item, and what is frozen, stays as it is."""
        self.lines[f"{change.name}()"] = user_line()
        plan = self.stand_ins.get(change.entity)
        if plan is None:
            name = getattr(change.entity, "__name__", type(change.entity).__name__)
            raise ModelError(f"{name} is no entity of {self.label}.", context={"missing_entity": name})
        summarise(change, plan)

    def on_relationship(self, relationship: Relationship) -> None:
        """Checks what the relationship says of fields, whatever keys are found."""
        self.lines[str(relationship)] = self.lines[related(relationship)] = user_line()
        self.lines[related(relationship, back=True)] = user_line()
        check_relationship(relationship, self.stand_ins, keyed=False)

    def on_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Notes where it is written."""
        self.lines[aggregate.__name__] = self.lines[f"the tree {aggregate.__name__}"] = user_line()


def related(relationship: Relationship, *, back: bool = False) -> str:
    """A relationship within a sentence, from its source or back from its target."""
    target = relationship.target if isinstance(relationship.target, str) else relationship.target.__name__
    ends = (relationship.source.__name__, target)
    return f"the relationship {' to '.join(reversed(ends) if back else ends)}"


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
