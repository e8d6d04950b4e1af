"""From a legacy item to the items of the new table: pure functions, the same for every job and session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

import pydantic
from msgspec import Struct
from msgspec.json import Encoder

from tablewright.client.writes.action import same_key
from tablewright.client.writes.items import full_item
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.compiler.wirecodec import format_datetime, parse_datetime
from tablewright.errors import TablewrightError, ValidationError
from tablewright.evolve.findings import first_of
from tablewright.evolve.moving.expiring import expiry_of
from tablewright.evolve.moving.mapping import Constant, Default, FrozenItems, Legacy, Made, Move, Moving, Remark, Source
from tablewright.model.entity import Entity, Stored
from tablewright.values.numbers import canonical_number
from tablewright.values.sizes import MAX_ITEM_SIZE, item_size
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item

_sorted = Encoder(order="deterministic").encode
_time = pydantic.TypeAdapter(datetime)


class State(Struct, frozen=True):
    """What one move reads of the legacy tables: the leading item, those that are merged into it, and what was frozen."""

    item: Item | None
    joined: Mapping[str, Item | None] = {}
    frozen: Mapping[str, FrozenItems | None] = {}


class Part(Struct, frozen=True):
    """One item of the new table that a legacy item becomes: an entity, or the marker of a unique value of it."""

    entity: str
    key: Item
    item: Item
    loose: frozenset[str]
    """Attributes that tell of the write itself, such as its time: they have to be there, and are not compared."""
    expires: Decimal | None = None
    """When time to live takes the item, or that of which this is a marker, in seconds since 1970."""


class Derived(Struct, frozen=True):
    """What a legacy item becomes."""

    parts: tuple[Part, ...] = ()
    remarks: tuple[str, ...] = ()
    """What was made up or left out for it."""


class Unfit(Exception):
    """A legacy item that cannot become what its move says; functions of a mapping may raise it. The reason holds no values."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def legacy_key(move: Move, item: Mapping[str, Any]) -> Item:
    """The key of a leading item."""
    return {name: item[name] for name in move.key}


def origin_of(moving: Moving, item: Item) -> dict[str, str] | None:
    """Where an item of the new table says that it came from: move, key and digest; None where no move brought it."""
    told = item.get(moving.origin, {}).get("M", {})
    found = {name: told.get(name, {}).get("S") for name in ("move", "key", "digest")}
    return None if None in found.values() else found


def key_text(key: Item) -> str:
    """A key as a text that is equal for equal keys."""
    return _sorted(_canonical({"M": key})).decode()


def digest_of(move: Move, state: State) -> str:
    """What stands for everything that decides what is made of a legacy item."""
    read: dict[str, Any] = {"": _seen(move.read, state.item)}
    for name, join in move.joins.items():
        read[name] = _seen({*join.key, *join.uses}, state.joined.get(name))
    return sha256(_sorted(read)).hexdigest()[:32]


def _seen(names: Iterable[str], item: Item | None) -> Any:
    return None if item is None else {n: _canonical(item[n]) for n in names if n in item}


def _canonical(value: dict[str, Any]) -> Any:
    """A wire value in a form that is equal for equal values: sets have no order, and 1.0 is 1."""
    for tag, held in value.items():
        match tag:
            case "N":
                return {tag: canonical_number(held)}
            case "NS":
                return {tag: sorted(map(canonical_number, held))}
            case "SS" | "BS":
                return {tag: sorted(held)}
            case "L":
                return {tag: [_canonical(v) for v in held]}
            case "M":
                return {tag: {n: _canonical(v) for n, v in held.items()}}
            case _:
                return {tag: held}
    return value


def same_items(one: Item, other: Item) -> bool:
    """Whether two items hold the same."""
    return one.keys() == other.keys() and all(_canonical(v) == _canonical(other[n]) for n, v in one.items())


def differing(one: Item, other: Item) -> list[str]:
    """The attributes in which two items differ."""
    names = sorted(one.keys() | other.keys())
    return [n for n in names if n not in one or n not in other or _canonical(one[n]) != _canonical(other[n])]


def malformed(part: Part, found: Item) -> list[str]:
    """Those of the library's own attributes whose values nobody compares that are missing, or hold what it would not write."""
    return sorted(n for n in part.loose & part.item.keys() if not _of_a_kind(part.item[n], found.get(n, {})))


def _of_a_kind(own: dict[str, Any], found: dict[str, Any]) -> bool:
    if own.keys() != found.keys():
        return False
    if "N" in own:
        return bool(found["N"].isdecimal())
    if "S" in own:
        try:
            parse_datetime(found["S"])
        except ValueError:
            return False
    return True


def content_digest(part: Item, loose: Iterable[str]) -> int:
    """A number that stands for what an item holds; sums of them do not depend on the order of items."""
    held = {n: _canonical(v) for n, v in part.items() if n not in loose}
    return int.from_bytes(sha256(_sorted(held)).digest()[:16], "big")


def derive(moving: Moving, move: Move, state: State, now: str) -> tuple[Part, ...]:
    """The items that have to be in the new table for a state of the legacy tables; none for a leading item that is gone.

    Raises Unfit."""
    return derived(moving, move, state, now).parts


def derived(moving: Moving, move: Move, state: State, now: str) -> Derived:
    """The same, with remarks."""
    if state.item is None:
        return Derived()
    legacy = legacy_of(move, state)
    created, updated = _stamp(value_of(move.created, legacy)), _stamp(value_of(move.updated, legacy))
    origin = {
        "M": {
            "move": {"S": move.called},
            "key": {"S": key_text(legacy_key(move, state.item))},
            "digest": {"S": digest_of(move, state)},
        }
    }
    parts: dict[bytes, Part] = {}
    remarks: list[str] = []
    for made in _made(move, legacy):
        if isinstance(made, Remark):
            remarks.append(made.text)
            continue
        plan = moving.table.plan.of(type(made.entity))
        changed = _stamp(made.updated) or updated
        first = _stamp(made.created) or created or changed
        for part in _stored(plan, made.entity, moving, origin, now, first, changed):
            if parts.setdefault(same_key(part.key), part) is not part:
                raise Unfit(f"two items that it becomes have one key ({part.entity})")
    return Derived(tuple(parts.values()), tuple(remarks))


def entities_of(move: Move, state: State) -> tuple[Entity, ...]:
    """The entities that a legacy item becomes, for readers. Raises Unfit."""
    if state.item is None:
        return ()
    return tuple(made.entity for made in _made(move, legacy_of(move, state)) if isinstance(made, Made))


def legacy_of(move: Move, state: State) -> Legacy:
    """Only what the move names is handed to functions, so that nothing else can decide what becomes of an item."""
    assert state.item is not None
    legacy = from_wire_item({n: v for n, v in state.item.items() if n in move.read})
    for name, join in move.joins.items():
        found = state.joined.get(name)
        seen = {*join.key, *join.uses}
        legacy[name] = None if found is None else from_wire_item({n: v for n, v in found.items() if n in seen})
    for frozen in move.frozen:
        legacy[frozen.name] = state.frozen.get(frozen.name)
    return legacy


def _made(move: Move, legacy: Legacy) -> Iterable[Made | Remark]:
    if move.entity is not None:
        given = {name: value_of(source, legacy, name) for name, source in move.fields.items()}
        try:
            made: list[Made | Remark] = [Made(move.entity(**{n: v for n, v in given.items() if v is not None}))]
        except pydantic.ValidationError as error:
            raise Unfit(first_of(move.entity, error)) from None
        except TablewrightError as error:
            raise Unfit(error.message) from None
        return made + [
            Remark(f"no {source.attribute!r}, so that the default is taken")
            for source in move.fields.values()
            if isinstance(source, Default) and legacy.get(source.attribute) is None
        ]
    assert move.split is not None
    try:
        made = [each if isinstance(each, Made | Remark) else Made(each) for each in move.split(legacy)]
    except Unfit:
        raise
    except pydantic.ValidationError as error:
        model = next((each for each in move.makes if each.__name__ == error.title), None)
        raise Unfit(first_of(model, error)) from None
    except Exception as error:  # the user's function; what it says may hold values
        raise Unfit(f"{_named(move.split)} raised {type(error).__name__}") from error
    for each in made:
        if isinstance(each, Made) and type(each.entity) not in move.makes:
            raise Unfit(f"{_named(move.split)} made {type(each.entity).__name__}, which makes= does not name")
    return made


def value_of(source: Source | None, legacy: Legacy, field: str = "time stamp") -> Any:
    """What a field gets of a legacy item. Raises Unfit."""
    if source is None or isinstance(source, str):
        return None if source is None else legacy.get(source)
    if isinstance(source, Constant):
        return source.value
    if isinstance(source, Default):
        held = legacy.get(source.attribute)
        return source.value if held is None else held
    try:
        return source(legacy)
    except Unfit:
        raise
    except Exception as error:
        raise Unfit(f"the function for {field!r} raised {type(error).__name__}") from error


def _stamp(value: Any) -> str | None:
    if value is None:
        return None
    try:
        return format_datetime(_time.validate_python(value))
    except (pydantic.ValidationError, ValidationError):
        raise Unfit("a time stamp is no time with a time zone") from None


def _refuse_untold(plan: EntityPlan, told: Mapping[str, str | None]) -> None:
    """Refuses keys that would hold the time of the write: it is another one for each look at the legacy item. Raises Unfit."""
    untold = [name for name, stamp in told.items() if stamp is None and name not in plan.fields]
    for name in untold:
        if any(name in sources for sources in (plan.key_fields, *(binding.sources for binding in plan.bindings))):
            raise Unfit(f"nothing tells {name}, which keys of {plan.name} hold")


def _loose(plan: EntityPlan, created: str | None, updated: str | None) -> frozenset[str]:
    """Those of the library's own attributes that nobody has told of: they come from the write itself."""
    names = plan.names
    loose = {names.version}
    if created is None:
        loose.add(names.created)
    if updated is None:
        loose.add(names.updated)
    return frozenset(loose - {f.path[0] for f in plan.fields.values()})


def _stored(
    plan: EntityPlan,
    entity: Entity,
    moving: Moving,
    origin: dict[str, Any],
    now: str,
    created: str | None,
    updated: str | None,
) -> Iterable[Part]:
    """Fields first, then what is worked out: an old attribute never wins over a type or a key."""
    _refuse_untold(plan, {CREATED: created, UPDATED: updated})
    try:
        values = plan.validated(entity)
        key = plan.key(values)
        written = updated or now
        item = full_item(plan, values, key, written, Stored(1 if plan.options.version else None, created or written))
        markers = plan.markers(values)
    except TablewrightError as error:
        raise Unfit(error.message) from None
    loose = _loose(plan, created, updated) | {moving.origin}
    marked: Item = {**item, moving.origin: origin}
    if item_size(marked) > MAX_ITEM_SIZE:
        raise Unfit(
            f"with {moving.origin}, which says where it came from, it is larger than {MAX_ITEM_SIZE // 1024} KB"
        )
    expires = expiry_of(moving, item)
    yield Part(plan.name, key, marked, loose, expires)
    for unique in plan.uniques:
        held = markers[unique.name]
        if held is not None:
            owned: Item = {plan.names.type: {"S": unique.type_name}, plan.names.owner: {"M": key}}
            marker: Item = {**held, **owned, moving.origin: origin}
            yield Part(f"{plan.name} ({unique.name})", held, marker, loose, expires)


def _named(function: Any) -> str:
    return f"{getattr(function, '__name__', 'a function')}()"
