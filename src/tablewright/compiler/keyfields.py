"""Fields that stand in an item's key, for items that hold them nowhere else: so other code often writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.compiler.fields import DECODING_FAILURES, FieldPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.errors import DecodeError
from tablewright.values.types import Item


class KeyFields(Struct, frozen=True, eq=False):
    """How an entity's fields are read from the key, which its templates allow in one way only."""

    entity: str
    fields: Mapping[str, FieldPlan]
    keys: Mapping[str, KeyPlan]
    """By field: the key that tells its value."""
    names: frozenset[str]
    """All fields that the primary key is made of, whether it tells them or not."""

    def value(self, name: str, item: Item) -> Any:
        """A field's value, as the key of an item tells it."""
        key = self.keys[name]
        try:
            return key.decode(item[key.attribute.name])[name]
        except DECODING_FAILURES as error:
            raise DecodeError(
                f"A stored {self.entity} lacks {name!r} (attribute {'.'.join(self.fields[name].path)!r}), and its "
                f'{key.attribute.name} is not of the form "{key}", which would tell it.',
                hint="Correct the template, or store the attribute on such items.",
            ) from error

    def completed(self, item: Item) -> Item:
        """The item with the fields that only its key holds; the same object where it lacks none."""
        missing = [name for name in self.keys if self.fields[name].path[0] not in item]
        if not missing:
            return item
        return {**item, **{self.fields[n].path[0]: self.fields[n].encode(self.value(n, item)) for n in missing}}

    def hint(self, name: str) -> str:
        """What to do about a required field that an item lacks."""
        if name not in self.names:
            return "Give the field a default, or migrate the stored items."
        return "Its key holds only a shard or bucket made of it: store the attribute on such items. A default would be wrong."


def key_fields_of(
    entity: str, fields: Mapping[str, FieldPlan], keys: tuple[KeyPlan, ...], names: frozenset[str]
) -> KeyFields:
    """The fields of an entity that its primary key tells."""
    apart = [key for key in reversed(keys) if isinstance(key, TemplateKey) or not key.shared]
    told = {name: key for key in apart for name in key.fields}
    return KeyFields(entity, fields, told, names)
