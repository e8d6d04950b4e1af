"""What DynamoDB checks on values that come from outside, with its own messages. Returns them in canonical form."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, cast

from tablewright.errors import EmptySetError, FieldTypeError, ValidationError
from tablewright.values.numbers import canonical_number, is_canonical
from tablewright.values.sizes import DOCUMENT_OVERHEAD, ELEMENT_OVERHEAD, attribute_size, canonical_size, text_size
from tablewright.values.types import TAGS, AttributeValue, Item

MAX_NESTING = 31
"""Lists and maps that may stand inside each other; a scalar in the innermost is the 32nd level."""
MAX_NAME_BYTES = 65_535

_KNOWN_NAMES: dict[str, int] = {}
"""Names of attributes that were found right, with their sizes; a table has few, and every item has them again."""
_MANY_NAMES = 4096
_LONG_NAME = 256


class DuplicateMembersError(ValidationError):
    """A set that has a member twice; `quoted` tells it in the service's newer words."""

    def __init__(self, message: str, quoted: str) -> None:
        super().__init__(message, constraint="unique members")
        self.quoted = quoted


NESTING_MESSAGE = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
)
_NULL = "The supplied Item contains a null AttributeValue"
_INVALID = "One or more parameter values were invalid: "
_STRUCTURE = "Start of structure or map found where not expected"


def check_item(item: Mapping[str, Any]) -> Item:
    """Check every value of an item as DynamoDB does and return it with canonical numbers.

    The item itself comes back when it is canonical already; otherwise a copy does, and the input stays as it was.
    Raises ValidationError (FieldTypeError for what the service calls a SerializationException) with DynamoDB's
    message; `field` names the attribute.
    """
    if item.__class__ is not dict:
        _refuse_shape(item, "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>")
    return _check_map(item, 0)


def check_value(av: Any, path: str | None = None, *, spare: int = 0) -> AttributeValue:
    """Check one value as check_item does; `path` is the `field` of errors, `spare` what it may nest deeper."""
    try:
        return _check(av, -spare)
    except ValidationError as error:
        if error.field is None:
            error.field = path
        raise


def _check_map(members: Mapping[str, Any], depth: int) -> Item:
    changed: Item | None = None
    for name, av in members.items():
        # Nearly every value is a plain one that is canonical as it stands.
        if av.__class__ is dict and len(av) == 1 and name.__class__ is str and 0 < len(name) < 256 and name.isascii():
            ((tag, value),) = av.items()
            if value.__class__ is str:
                if (tag == "S" and value.isascii()) or (tag == "N" and is_canonical(value)):
                    continue
            elif tag == "BOOL" and value.__class__ is bool:
                continue
        checked = _check_member(name, av, depth)
        if checked is not av:
            if changed is None:
                changed = dict(members)
            changed[name] = checked
    return members if changed is None else changed  # type: ignore[return-value]


def weigh_item(item: Mapping[str, Any]) -> tuple[Item, int]:
    """check_item and item_size in one walk: what every put needs."""
    if item.__class__ is not dict:
        return check_item(item), 0  # refused
    changed: Item | None = None
    total = 0
    known = _KNOWN_NAMES
    for name, av in item.items():
        # Nearly every value is a plain one under a name that was seen before.
        if name in known and av.__class__ is dict and len(av) == 1:
            if "S" in av:
                value = av["S"]
                if value.__class__ is str and value.isascii():
                    total += known[name] + len(value)
                    continue
            elif "N" in av:
                value = av["N"]
                if value.__class__ is str and (plain := canonical_size(value)):
                    total += known[name] + plain
                    continue
            elif (plain := _plain_size(av, 0)) >= 0:
                total += known[name] + plain
                continue
        checked = _check_member(name, av, 0)
        size = text_size(name)
        total += size + attribute_size(checked)
        if name not in known and len(name) < _LONG_NAME and len(known) < _MANY_NAMES:
            known[name] = size
        if checked is not av:
            if changed is None:
                changed = dict(item)
            changed[name] = checked
    return (cast("Item", item) if changed is None else changed), total


def _plain_size(av: Mapping[str, Any], depth: int) -> int:
    """Bytes of a value with one tag that is canonical as it stands; -1 where it has to be looked at."""
    for tag, value in av.items():
        if tag == "S":
            return len(value) if value.__class__ is str and value.isascii() else -1
        if tag == "N":
            return (canonical_size(value) or -1) if value.__class__ is str else -1
        if tag == "BOOL":
            return 1 if value.__class__ is bool else -1
        if tag == "L" and value.__class__ is list and depth < MAX_NESTING:
            total = DOCUMENT_OVERHEAD + ELEMENT_OVERHEAD * len(value)
            for element in value:
                if element.__class__ is not dict or len(element) != 1:
                    return -1
                text = element.get("S")
                if text.__class__ is str and text.isascii():
                    total += len(text)
                elif (plain := _plain_size(element, depth + 1)) >= 0:
                    total += plain
                else:
                    return -1
            return total
        if tag == "M" and value.__class__ is dict and depth < MAX_NESTING:
            total = DOCUMENT_OVERHEAD + ELEMENT_OVERHEAD * len(value)
            for name, member in value.items():
                size = _KNOWN_NAMES.get(name)
                if size is None or member.__class__ is not dict or len(member) != 1:
                    return -1
                plain = _plain_size(member, depth + 1)
                if plain < 0:
                    return -1
                total += size + plain
            return total
    return -1


def _check_member(name: Any, av: Any, depth: int) -> AttributeValue:
    try:
        if name.__class__ is not str or not 0 < len(name) < 256 or not name.isascii():
            _check_name(name)
        if av is None:
            raise ValidationError(f"{_NULL}: {name} is null", constraint="one tag")
        return _check(av, depth)
    except ValidationError as error:
        if depth == 0:
            error.field = str(name)
        raise


def _check(av: Any, depth: int) -> AttributeValue:
    if av.__class__ is not dict:
        if av is None:
            raise ValidationError(_NULL, constraint="one tag")
        if isinstance(av, list):
            _serialization("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue")
        _serialization("Unexpected value type in payload")
    if len(av) != 1:
        return _check_several(av, depth)
    for tag, value in av.items():
        if tag == "S" and value.__class__ is str and value.isascii():
            return av
        check = _CHECKS.get(tag)
        if check is None or value is None:
            break
        checked = check(value, depth)
        return av if checked is value else {tag: checked}
    raise ValidationError(_EMPTY, constraint="one tag")


def _check_several(av: Mapping[str, Any], depth: int) -> AttributeValue:
    """Unknown and null members do not count; faults inside a member are reported before their number."""
    present = {tag: value for tag, value in av.items() if tag in TAGS and value is not None}
    for tag, value in present.items():
        present[tag] = _CHECKS[tag](value, depth)
    if len(present) == 1:
        return present
    raise ValidationError(_SEVERAL if present else _EMPTY, constraint="one tag")


def _check_text(value: Any, _: int = 0) -> str:
    if not isinstance(value, str):
        _refuse_scalar(value, "String")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            _serialization("A string holds a lone surrogate, which UTF-8 cannot carry.")
    return value


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        _serialization("The name of an attribute is not a string.")
    if not name:
        raise ValidationError("Empty attribute name", constraint="name")
    if len(_check_text(name).encode("utf-8")) > MAX_NAME_BYTES:
        raise ValidationError(
            f"{_INVALID}Attribute name is too large, must be less than {MAX_NAME_BYTES + 1} bytes", constraint="name"
        )


def _check_number(value: Any, _: int = 0) -> str:
    if not isinstance(value, str):
        _refuse_scalar(value, "String")
    return canonical_number(value)


_LAST_BEFORE_PAD = {1: frozenset("AEIMQUYcgkosw048"), 2: frozenset("AQgw")}


def _check_binary(value: Any, _: int = 0) -> str:
    if not isinstance(value, str):
        if isinstance(value, (dict, list)):
            _refuse_scalar(value, "java.nio.ByteBuffer")
        _serialization("only base-64-encoded strings are convertible to bytes")
    if len(value) % 4:
        _serialization(f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(value)}")
    try:
        a2b_base64(value, strict_mode=True)
    except (Base64Error, ValueError):
        _serialization("Invalid Base64 character")
    pad = value.count("=", -2) if value else 0
    if pad and value[-1 - pad] not in _LAST_BEFORE_PAD[pad]:
        # The service's own spelling.
        _serialization("Invalid last non-pad Base64 character dectected")
    return value


def _check_bool(value: Any, _: int) -> bool:
    if not isinstance(value, bool):
        if isinstance(value, str):
            _serialization("Unexpected token received from parser")
        _refuse_scalar(value, "Boolean")
    return value


def _check_null(value: Any, depth: int) -> bool:
    if not _check_bool(value, depth):
        raise ValidationError(f"{_INVALID}Null attribute value types must have the value of true", constraint="NULL")
    return value  # type: ignore[no-any-return]


def _check_list(value: Any, depth: int) -> Sequence[Any]:
    if not isinstance(value, list):
        _refuse_list(value)
    if depth >= MAX_NESTING:
        raise ValidationError(NESTING_MESSAGE, constraint="nesting")
    changed: list[Any] | None = None
    for position, element in enumerate(value):
        checked = _check(element, depth + 1)
        if checked is not element:
            if changed is None:
                changed = list(value)
            changed[position] = checked
    return value if changed is None else changed


def _check_document(value: Any, depth: int) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _refuse_shape(value, "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>")
    if depth >= MAX_NESTING:
        raise ValidationError(NESTING_MESSAGE, constraint="nesting")
    return _check_map(value, depth + 1)


def _check_string_set(value: Any, _: int) -> list[str]:
    if not isinstance(value, list):
        _refuse_list(value)
    if not value:
        raise EmptySetError(f"{_INVALID}An string set  may not be empty", constraint="non-empty set")
    for member in value:
        if member is None:
            raise ValidationError(f"{_INVALID}An string set may not have a null string as a member", constraint="set")
        _check_text(member)
    if len(set(value)) != len(value):
        told = ", ".join(f'"{member}"' for member in _up_to_repeat(value, str.encode))
        raise DuplicateMembersError(
            f"{_INVALID}Input collection [{', '.join(value)}] contains duplicates.",
            f"{_INVALID}Input collection [{told}] contains duplicates.",
        )
    return value


def _check_number_set(value: Any, _: int) -> list[str]:
    if not isinstance(value, list):
        _refuse_list(value)
    if not value:
        raise EmptySetError(f"{_INVALID}An number set  may not be empty", constraint="non-empty set")
    checked = [canonical_number("") if member is None else _check_number(member) for member in value]
    if len(set(checked)) != len(checked):
        raise DuplicateMembersError(
            "Input collection contains duplicates", f"{_INVALID}Input collection contains duplicates."
        )
    return value if checked == value else checked


def _check_binary_set(value: Any, _: int) -> list[str]:
    if not isinstance(value, list):
        _refuse_list(value)
    if not value:
        raise EmptySetError(f"{_INVALID}Binary sets should not be empty", constraint="non-empty set")
    for member in value:
        if member is None:
            raise ValidationError(f"{_INVALID}Binary sets may not contain null or empty values", constraint="set")
        _check_binary(member)
    if len(set(value)) != len(value):
        told = ",".join(f'"{member}"' for member in _up_to_repeat(value, a2b_base64))
        raise DuplicateMembersError(
            f"{_INVALID}Input collection [{', '.join(value)}]of type BS contains duplicates.",
            f"{_INVALID}Input collection [{told}]of type BS contains duplicates.",
        )
    return value


def _up_to_repeat(members: Sequence[str], order: Callable[[str], bytes]) -> list[str]:
    """Members as the service's newer checks list them: in order up to the first repeat, then as they came."""
    seen: set[str] = set()
    for position, member in enumerate(members):
        if member in seen:
            return [*sorted(seen, key=order), *members[position:]]
        seen.add(member)
    return list(members)


_CHECKS: Mapping[str, Callable[[Any, int], Any]] = {
    "S": _check_text,
    "N": _check_number,
    "B": _check_binary,
    "BOOL": _check_bool,
    "NULL": _check_null,
    "L": _check_list,
    "M": _check_document,
    "SS": _check_string_set,
    "NS": _check_number_set,
    "BS": _check_binary_set,
}


# -------------------------------------------------------------------------- wrong JSON types, in the service's words


def _serialization(message: str) -> NoReturn:
    raise FieldTypeError(message, constraint="serialization")


def _refuse_scalar(value: Any, wanted: str) -> NoReturn:
    if isinstance(value, dict):
        _serialization(_STRUCTURE)
    if isinstance(value, list):
        _serialization(f"Unrecognized collection type class {wanted if '.' in wanted else 'java.lang.' + wanted}")
    if isinstance(value, bool):
        found = "TRUE_VALUE" if value else "FALSE_VALUE"
    elif isinstance(value, float):
        found = "DECIMAL_VALUE"
    else:
        found = "NUMBER_VALUE"
    _serialization(f"{found} cannot be converted to {wanted}")


def _refuse_list(value: Any) -> NoReturn:
    _serialization(_STRUCTURE if isinstance(value, dict) else "Unexpected field type")


def _refuse_shape(value: Any, wanted: str) -> NoReturn:
    if isinstance(value, list):
        _serialization(f"Unrecognized collection type {wanted}")
    _serialization("Unexpected field type")
