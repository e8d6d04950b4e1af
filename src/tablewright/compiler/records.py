"""Items straight from the JSON of a response: a record type for each entity, without dicts in between.

A response is read into records whose attributes have the types that the entity's fields are stored in, and these become
entities. What does not fit, because other code wrote it, is read as usual: into dicts, with care and with errors that
say what is wrong.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, Required, TypedDict

import msgspec
from msgspec import Meta, Struct, defstruct

from tablewright.compiler.codegen import DecodeItem, filled
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keyfields import KeyFields
from tablewright.compiler.noted import COPIED_TO
from tablewright.compiler.strangers import promised
from tablewright.compiler.versions import Versions
from tablewright.compiler.wirecodec import WireCodec
from tablewright.model.entity import STORED, STORED_KEY, Entity, Stored
from tablewright.values.sizes import LARGE_ITEM
from tablewright.values.types import Item

Reader = Callable[[bytes | bytearray], dict[str, Any]]
Name = tuple[str, ...]
"""The contents of an item's key attributes."""


class _S(Struct, gc=False):
    S: str


class _N(Struct, gc=False):
    N: str


class _B(Struct, gc=False):
    B: str


class _Bool(Struct, gc=False):
    BOOL: bool


class _Consumed(TypedDict, total=False):
    CapacityUnits: float


class _Unread(TypedDict):
    Keys: list[Item]


_SCALARS: Mapping[str, type[Struct]] = {"S": _S, "N": _N, "B": _B, "BOOL": _Bool}


class Form:
    """How one entity is read from responses: `reader` for their JSON, and what the records in it are: `entity` makes one
    of the model, of an item too, `name` tells it from others of its table, as `key_name` does by a key. `of` is what the entity
    is called."""

    __slots__ = ("_readers", "entity", "key_name", "name", "of", "record")

    def __init__(
        self,
        of: str,
        record: type[Struct],
        entity: Callable[[Any], Any],
        name: Callable[[Any], Name],
        key_name: Callable[[Item], Name],
    ) -> None:
        self.of = of
        self.record = record
        self.entity = entity
        self.name = name
        self.key_name = key_name
        self._readers: dict[str, Reader] = {}

    def reader(self, operation: str) -> Reader:
        """Reads the response of GetItem, PutItem, UpdateItem, Query or BatchGetItem."""
        reader = self._readers.get(operation)
        if reader is None:
            reader = self._readers[operation] = _reader(operation, self.record)
        return reader


_Count = Annotated[int, Meta(ge=0)]


def _reader(operation: str, record: Any) -> Reader:
    told: Any = list[_Consumed] if operation == "BatchGetItem" else _Consumed
    members: dict[str, Any] = {"ConsumedCapacity": told}
    if operation == "GetItem":
        members["Item"] = record
    elif operation == "PutItem":
        members.update(Attributes=dict[str, Any], ItemCollectionMetrics=Any)
    elif operation == "UpdateItem":
        members.update(Attributes=Required[record], ItemCollectionMetrics=Any)
    elif operation == "Query":
        members.update(Items=Required[list[record]], Count=_Count, ScannedCount=_Count, LastEvaluatedKey=dict[str, Any])
    else:
        members.update(Responses=Required[dict[str, list[record]]], UnprocessedKeys=dict[str, _Unread])
    typed: Any = TypedDict
    decoder: Any = msgspec.json.Decoder(typed("Answer", members, total=False))
    reader: Reader = decoder.decode
    return reader if operation != "UpdateItem" else lambda body: reader(_small(body))


def _small(body: bytes | bytearray) -> bytes | bytearray:
    """Large items are read as dicts, so that whoever wrote one can be told its size."""
    if len(body) > LARGE_ITEM:
        raise ValueError
    return body


_QUOTING = frozenset('"\\')
"""What a member of a record cannot have in its name; nor control characters."""


class _Attributes:
    """The attributes of a record under construction, each with a name of ours and the type that is stored."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.types: dict[str, Any] = {}
        self.optional: set[str] = set()

    def add(self, attribute: str, kind: Any, *, optional: bool) -> str:
        if attribute not in self.names:
            self.names[attribute] = f"a{len(self.names)}"
            self.types[attribute] = kind
            if optional:
                self.optional.add(attribute)
        return f"r.{self.names[attribute]}"

    def record(self) -> type[Struct]:
        needed = [(n, self.types[a]) for a, n in self.names.items() if a not in self.optional]
        others = [(n, self.types[a] | None, None) for a, n in self.names.items() if a in self.optional]
        renamed = {name: attribute for attribute, name in self.names.items()}
        return defstruct("Record", [*needed, *others], rename=renamed, gc=False)


def form_of(
    entity: type[Entity],
    fields: Mapping[str, FieldPlan],
    in_key: KeyFields,
    decode: DecodeItem,
    versions: Versions | None = None,
) -> Form | None:
    """The form of an entity; None where items need more than this, such as a nested map or code of the user's."""
    options, table = entity.__options__, entity.__table__
    keys = [key for key in (table.pk, table.sk) if key is not None]
    usual = all(len(f.path) == 1 and f.sealing is None and not f.omit_empty for f in fields.values())
    if entity.__pydantic_post_init__ or not usual or options.nested is not None or options.soft_delete is not None:
        return None
    attributes = _Attributes()
    refs: dict[str, Any] = {"b64decode": b64decode, "Decimal": Decimal, "Stored": Stored}
    members: list[str] = []
    for field in fields.values():
        optional = field.default is not None and field.name not in in_key.keys
        at = attributes.add(field.path[0], _stored_type(field.codec), optional=optional)
        value = _reading(field.codec, at, refs)
        if optional:
            value = f"{_ref(refs, field.default)}() if {at} is None else {value}"
        members.append(f"{field.name!r}: {value}")
    names, stamps = table.names, ["None"] * 4
    for place, attribute, tag, wanted in (
        (0, names.version, "N", options.version),
        (1, names.created, "S", options.timestamps),
        (2, names.updated, "S", options.timestamps),
    ):
        if wanted:
            at = attributes.add(attribute, _SCALARS[tag], optional=True)
            content = f"{at}.S" if tag == "S" else f"int({at}.N)"
            stamps[place] = f"None if {at} is None else {content}"
    other_version = ""
    if versions is not None:
        # An item of another version fits no record, so that it comes as a dict, or is looked at with care.
        kind = _version(versions.number) if versions.upcasts else _N
        at = attributes.add(versions.attribute, kind, optional=not versions.upcasts)
        stamps[3] = str(versions.number) if versions.upcasts else f"None if {at} is None else int({at}.N)"
        if not versions.upcasts:
            other_version = f" or ({at} is not None and {at}.N != {str(versions.number)!r})"
    members.append(f"{STORED!r}: Stored({', '.join(stamps)})")
    parts = []
    for key in keys:
        if attributes.types.get(key.name, _SCALARS[key.tag]) is not _SCALARS[key.tag]:
            return None
        parts.append(f"{attributes.add(key.name, _SCALARS[key.tag], optional=False)}.{key.tag}")
    # An item that has two keys fits no record either.
    attributes.add(COPIED_TO, Literal["never"], optional=True)
    own_name = f"({', '.join(parts)},)"
    members.append(f"{STORED_KEY!r}: {own_name}")
    type_of = attributes.add(names.type, _S, optional=True)
    if attributes.types[names.type] is not _S or not attributes.optional.issuperset({names.type}):
        return None
    if not all(name.isprintable() and not set(name) & _QUOTING for name in attributes.names):
        return None
    record = attributes.record()
    odd = f"((k := {type_of}) is not None and k.S != {options.type!r}){other_version}"

    def with_care(record: Any) -> Any:
        return promised(entity, record if record.__class__ is dict else _item(record), decode)

    make = filled(entity, fields, f"{{{', '.join(members)}}}", refs, odd, with_care)
    in_keys = [f"k[{key.name!r}][{key.tag!r}]" for key in keys]
    exec(f"def name(r): return {own_name}\ndef key_name(k): return ({', '.join(in_keys)},)", refs)  # noqa: S102 - as in codegen
    return Form(entity.__name__, record, make, refs["name"], refs["key_name"])


def _version(number: int) -> type[Struct]:
    """The type of an attribute that holds this version."""
    return defstruct("Version", [("N", Literal[str(number)])], gc=False)


def _item(record: Any) -> Item:
    """A record as the item that it was made of, as far as it goes."""
    return {name: value for name, value in msgspec.to_builtins(record).items() if value is not None}


def _ref(refs: dict[str, Any], value: Any) -> str:
    name = f"_{len(refs)}"
    refs[name] = value
    return name


def _stored_type(codec: WireCodec) -> Any:
    if codec.element is not None and codec.is_usual:
        return _list_of(_stored_type(codec.element))
    if codec.is_usual and codec.tag is not None:
        return _SCALARS[codec.tag]
    return dict[str, Any]


def _list_of(element: Any) -> Any:
    return defstruct("List", [("L", list[element])], gc=False)


def _reading(codec: WireCodec, at: str, refs: dict[str, Any]) -> str:
    if codec.is_usual:
        return codec.read(at, lambda value, tag: f"{value}.{tag}")
    return f"{_ref(refs, codec.decode)}({at})"
