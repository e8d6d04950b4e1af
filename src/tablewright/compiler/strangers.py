"""Items that are not of the entity that their key promised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.errors import DecodeError, UnknownEntityTypeError
from tablewright.model.entity import Entity, with_article
from tablewright.values.types import Item


def stranger(entity: type[Entity], item: Item, what: str) -> UnknownEntityTypeError:
    """The error for an item that carries another type than the key promised; `what` met it."""
    attribute, name = entity.__table__.names.type, entity.__options__.type
    found = item.get(attribute, {}).get("S", "no text at all")
    return UnknownEntityTypeError(
        f"{what} met an item whose {attribute!r} is {found!r}, not {name!r}.",
        hint="Nothing was written. Items of both types have keys of this form: make them one entity, with what tells them "
        "apart as a field of it; or find out who wrote this one, and give it a key of its own.",
        context={"entity": entity.__name__, "type": found},
    )


def promised(entity: type[Entity], item: Item, decode: Callable[[Item], Any]) -> Any:
    """What an item decodes to, if it is of the entity that a read promised."""
    kind = item.get(entity.__table__.names.type)
    try:
        strange = kind is not None and kind.get("S") != entity.__options__.type
    except AttributeError:
        raise DecodeError(
            f"A stored {entity.__name__} has a {entity.__table__.names.type!r} that is no attribute value.",
            hint="DynamoDB stores no such item. Is this its address, or that of something in between?",
            context={"entity": entity.__name__},
        ) from None
    if strange:
        raise stranger(entity, item, f"A read of {with_article(entity.__name__)}") from None
    return decode(item)
