"""What two models call otherwise and mean alike: stored types, entities in code, and fields that kept their attribute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablewright.evolve.differences.describing import EntityDescription, ModelDescription
from tablewright.evolve.differences.texts import translated


def pair_entities(
    old: ModelDescription, new: ModelDescription
) -> tuple[dict[str, EntityDescription], list[tuple[EntityDescription, EntityDescription]]]:
    """Entities that belong together: those of the same stored type, then those of the same name. The first result are
    the old ones that have no partner, by stored type."""
    pairs = [(entity, new.entities[name]) for name, entity in old.entities.items() if name in new.entities]
    alone = {name: entity for name, entity in old.entities.items() if name not in new.entities}
    named = {e.name: e for name, e in new.entities.items() if name not in old.entities}
    for name, entity in list(alone.items()):
        if entity.name in named:
            pairs.append((entity, named[entity.name]))
            del alone[name]
    return alone, pairs


def renamed_fields(old: EntityDescription, new: EntityDescription) -> dict[str, str]:
    """Fields that have another name in code and the same attribute: from the old name to the new one."""
    gone = {f.attribute: name for name, f in old.fields.items() if name not in new.fields}
    came = {f.attribute: name for name, f in new.fields.items() if name not in old.fields}
    return {gone[attribute]: came[attribute] for attribute in gone if attribute in came}


class Renames:
    """From the words of the old model to those of the new one."""

    def __init__(self, old: ModelDescription, new: ModelDescription) -> None:
        _, pairs = pair_entities(old, new)
        self.kinds = {was.type: now.type for was, now in pairs}
        self.names = {was.name: now.name for was, now in pairs}
        fields = [(was, field, later) for was, now in pairs for field, later in renamed_fields(was, now).items()]
        self._stored = {(was.type, field): later for was, field, later in fields}
        self._coded = {(was.name, field): later for was, field, later in fields}

    def kind(self, stored_type: str) -> str:
        """What a stored type became."""
        return self.kinds.get(stored_type, stored_type)

    def name(self, entity: str) -> str:
        """What an entity is called in code."""
        return self.names.get(entity, entity)

    def field(self, entity: str, field: str) -> str:
        """What a field is called, of an entity by its old name in code."""
        return self._coded.get((entity, field), field)

    def texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Texts with fields in them."""
        return tuple(translated(text, self.kinds, self._stored) for text in texts)

    def variants(self, variants: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """The texts of each variant."""
        return {variant: self.texts(texts) for variant, texts in variants.items()}
