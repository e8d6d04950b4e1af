"""Generated functions between an entity's fields and its wire item: straight-line code, one line or two per field.

Generated because this runs for every item read or written. Names in the source are our own, the model's text stands in it
as quoted constants only, and objects come in through the namespace, so nothing of the model's text is executed.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from msgspec.structs import replace
from pydantic import BaseModel

from tablewright.compiler.fields import DECODING_FAILURES, ENCODING_FAILURES, FieldPlan
from tablewright.compiler.keyfields import KeyFields
from tablewright.compiler.noted import COPIED_TO
from tablewright.compiler.versions import Versions
from tablewright.compiler.wirecodec import SCALARS, encode_text
from tablewright.errors import DecodeError, ValidationError
from tablewright.model.entity import STORED, STORED_KEY, Entity, EntityOptions, Stored
from tablewright.model.indexes import AttributeNames, KeyAttribute
from tablewright.values.types import AttributeValue, Item

EncodeFields = Callable[[Mapping[str, Any]], Item]
DecodeItem = Callable[[Item], Any]

_INLINE_ENCODE: Mapping[type, str] = {str: '{"S": v} if v.isascii() else text(v)', bool: '{"BOOL": v}'}
_NO_MAP: AttributeValue = {"M": {}}


class Source:
    """Lines of a function under construction, with the objects they refer to. Its body is one try block."""

    def __init__(self, name: str, parameter: str) -> None:
        self._name = name
        self._parameter = parameter
        self._lines = [f"def {name}({parameter}):", "    try:"]
        self.names: dict[str, Any] = {}

    def add(self, line: str) -> None:
        self._lines.append("        " + line)

    def ref(self, value: Any) -> str:
        name = f"_{len(self.names)}"
        self.names[name] = value
        return name

    def function_or(self, failures: tuple[type[Exception], ...], otherwise: Callable[[Any], Any]) -> Any:
        """The function, which hands over to another where it fails."""
        self._lines += [f"    except {self.ref(failures)}:", f"        return {self.ref(otherwise)}({self._parameter})"]
        return self._compiled()

    def function(self, failures: tuple[type[Exception], ...], explain: Callable[[Any, Exception], Exception]) -> Any:
        """The function; for these failures, and values of ours that are not valid, it raises what explains them."""
        explained = self.ref(explain)
        self._lines += [
            # Our own error tells what it met, which may be data.
            f"    except {self.ref(ValidationError)} as error:",
            f"        raise {explained}({self._parameter}, error) from None",
            f"    except {self.ref(failures)} as error:",
            f"        raise {explained}({self._parameter}, error) from error",
        ]
        return self._compiled()

    def _compiled(self) -> Any:
        exec("\n".join(self._lines), self.names)  # noqa: S102 - see the module's docstring
        return self.names[self._name]


def _inline(templates: Mapping[type, str], field: FieldPlan) -> str | None:
    return next((text for kind, text in templates.items() if field.codec is SCALARS[kind]), None)


def encoder(fields: Mapping[str, FieldPlan], nested: str | None) -> EncodeFields:
    """From validated field values to the item's attributes, without keys and stamps."""
    source = Source("encode", "values")
    source.names["text"] = encode_text
    source.add("item = {}")
    if nested is not None:
        source.add("inner = {}")
        source.add(f'item[{source.ref(nested)}] = {{"M": inner}}')
    for field in fields.values():
        target = "item" if len(field.path) == 1 else "inner"
        source.add(f"v = values[{source.ref(field.name)}]")
        value = _inline(_INLINE_ENCODE, field) or f"{source.ref(field.codec.encode)}(v)"
        store = f"{target}[{source.ref(field.path[-1])}] = {value}"
        if field.omit_none:
            store = f"if v is not None: {store}"
        elif field.omit_empty:
            store = f"if v or v is None: {store}"
        source.add(store)
    source.add("return item")

    def explain(values: Mapping[str, Any], error: Exception) -> Exception:
        return _what_cannot_be_stored(fields, values) or error

    encode: EncodeFields = source.function(ENCODING_FAILURES, explain)
    return encode


def decoder(
    entity: type[Entity],
    fields: Mapping[str, FieldPlan],
    names: AttributeNames,
    in_key: KeyFields,
    versions: Versions | None = None,
) -> DecodeItem:
    """From a stored item to an entity, without validation; the instance is filled directly."""
    decode = _of_one_version(entity, fields, names, in_key)
    if versions is None:
        return decode
    attribute, usual = versions.attribute, {"N": str(versions.number)}

    def decode_any(item: Item) -> Any:
        return decode(item if item.get(attribute) == usual else versions.current(item))

    return decode_any


def _of_one_version(
    entity: type[Entity], fields: Mapping[str, FieldPlan], names: AttributeNames, in_key: KeyFields
) -> DecodeItem:
    """First as if every value had its usual form, in one expression; where one has not, once more with care."""
    # What the key tells is never a default's to say.
    needed = {n: replace(f, default=None, omit_none=False) if n in in_key.keys else f for n, f in fields.items()}
    careful = _decoder(entity, needed, names, _careful_reading)

    def explain(item: Item, error: Exception) -> Exception:
        return _what_cannot_be_read(entity, needed, in_key, item)

    read: DecodeItem = careful.function(ENCODING_FAILURES, explain)

    def slow(item: Item) -> Any:
        return read(in_key.completed(item))

    if entity.__pydantic_post_init__:  # the user's own code, which must not run twice
        return slow
    quick = _decoder(entity, needed, names, _usual_reading)
    decode: DecodeItem = quick.function_or(DECODING_FAILURES, slow)
    return decode


def _decoder(
    entity: type[Entity],
    fields: Mapping[str, FieldPlan],
    names: AttributeNames,
    reading: Callable[[Source, FieldPlan, str], str],
) -> Source:
    source = Source("decode", "item")
    source.names.update(b64decode=b64decode, Decimal=Decimal)
    nested = next((f.path[0] for f in fields.values() if len(f.path) > 1), None)
    if nested is not None:
        source.add(f"inner = item.get({nested!r}, {source.ref(_NO_MAP)})['M']")
    members: list[str] = []
    for field in fields.values():
        container = "item" if len(field.path) == 1 else "inner"
        attribute = repr(field.path[-1])
        if field.default is None:
            value = reading(source, field, f"{container}[{attribute}]")
        else:
            fallback = "None" if field.omit_none else f"{source.ref(field.default)}()"
            value = reading(source, field, "a")
            if field.omit_none:  # other writers may store NULL where we leave the attribute out
                value = f"None if 'NULL' in a else {value}"
            value = f"{fallback} if (a := {container}.get({attribute})) is None else {value}"
        members.append(f"{field.name!r}: {value}")
    members.append(f"{STORED!r}: {source.ref(stored_reader(entity.__options__, names))}(item)")
    keys = [key for key in (entity.__table__.pk, entity.__table__.sk) if key is not None]
    own, copied = ", ".join(f"item[{a.name!r}][{a.tag!r}]" for a in keys), f"*{source.ref(_copied(keys))}(c)"
    members.append(f"{STORED_KEY!r}: ({own},) if (c := item.get({COPIED_TO!r})) is None else ({own}, {copied})")
    _fill(source, entity, fields, f"{{{', '.join(members)}}}")
    if entity.__pydantic_post_init__:  # also what fills private attributes
        source.add("e.model_post_init(None)")
    source.add("return e")
    return source


def _copied(keys: Sequence[KeyAttribute]) -> Callable[[AttributeValue], tuple[str, ...]]:
    """The other key of an item that has two: who found it under the one may write it under the other."""

    def read(mark: AttributeValue) -> tuple[str, ...]:
        try:
            other = mark["M"]["key"]["M"]
            return tuple(other[key.name][key.tag] for key in keys)
        except (KeyError, TypeError):  # an attribute of this name that no migration has written
            return ()

    return read


def _fill(source: Source, entity: type[Entity], fields: Mapping[str, FieldPlan], members: str) -> None:
    """Lines that make an instance of these members, past its constructor."""
    source.add(f"d = {members}")
    source.add(f"e = {source.ref(entity.__new__)}({source.ref(entity)})")
    for slot, value in (
        ("__dict__", "d"),
        ("__pydantic_fields_set__", source.ref(set(fields))),  # one for all: it holds every field already
        ("__pydantic_extra__", "None"),
        ("__pydantic_private__", "None"),
    ):
        source.add(f"{source.ref(BaseModel.__dict__[slot].__set__)}(e, {value})")


def filled(
    entity: type[Entity],
    fields: Mapping[str, FieldPlan],
    members: str,
    names: Mapping[str, Any],
    odd: str,
    otherwise: Callable[[Any], Any],
) -> Callable[[Any], Any]:
    """A function from a record `r` to an instance whose members are made by this source; `otherwise` where `odd` is true of it
    or something fails."""
    source = Source("make", "r")
    source.names.update(names)
    source.add(f"if {odd}: raise LookupError")
    _fill(source, entity, fields, members)
    source.add("return e")
    make: Callable[[Any], Any] = source.function_or(DECODING_FAILURES, otherwise)
    return make


def _usual_reading(source: Source, field: FieldPlan, at: str) -> str:
    if not field.codec.is_usual:
        return _careful_reading(source, field, at)
    return field.codec.read(at, lambda value, tag: f"{value}[{tag!r}]")


def _careful_reading(source: Source, field: FieldPlan, at: str) -> str:
    return f"{source.ref(field.codec.decode)}({at})"


def stored_reader(options: EntityOptions, names: AttributeNames) -> Callable[[Item], Stored]:
    """Reads what the library itself keeps on items of this entity."""
    none: AttributeValue = {}
    if options.schema_version is None and not options.version:
        if not options.timestamps:
            nothing = Stored()
            return lambda item: nothing
        return lambda item: Stored(
            None, item.get(names.created, none).get("S"), item.get(names.updated, none).get("S"), None
        )

    def number(item: Item, name: str) -> int | None:
        text = item.get(name, none).get("N")
        return None if text is None else int(text)

    def stored(item: Item) -> Stored:
        return Stored(
            number(item, names.version) if options.version else None,
            item.get(names.created, none).get("S") if options.timestamps else None,
            item.get(names.updated, none).get("S") if options.timestamps else None,
            number(item, names.schema) if options.schema_version is not None else None,
        )

    return stored


def _what_cannot_be_stored(fields: Mapping[str, FieldPlan], values: Mapping[str, Any]) -> Exception | None:
    """The error of the field that cannot be encoded, with its name; the value itself stays out of the message."""
    for field in fields.values():
        value = values.get(field.name)
        if field.absent(value):
            continue
        try:
            field.encode(value)
        except ValidationError as error:
            return error
    return None


def _what_cannot_be_read(
    entity: type[Entity], fields: Mapping[str, FieldPlan], in_key: KeyFields, item: Item
) -> DecodeError:
    """Finds the field that made decoding fail; the value itself stays out of the message."""
    for field in fields.values():
        attribute = ".".join(field.path)
        *outer, last = field.path
        container: Any = item.get(outer[0], _NO_MAP).get("M") if outer else item
        av = container.get(last) if isinstance(container, dict) else None
        if av is None:
            if field.default is None:
                return DecodeError(
                    f"A stored {entity.__name__} lacks {field.name!r} (attribute {attribute!r}), which has no default.",
                    hint=in_key.hint(field.name),
                )
            continue
        try:
            if not (field.omit_none and "NULL" in av):
                field.codec.decode(av)
        except DECODING_FAILURES:
            tag = "".join(list(av)[:1]) if isinstance(av, dict) else "unknown"
            return DecodeError(
                f"A stored {entity.__name__} has a {field.name!r} (attribute {attribute!r}, type {tag}) that does not "
                f"fit its field.",
                hint="The item was written by other code or an older model; change the field or migrate the items.",
            )
    return DecodeError(f"A stored item cannot be read as {entity.__name__}.")
