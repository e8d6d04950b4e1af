"""What can be said of keys and their fields: literals, times, ids, how many values there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Protocol

from msgspec import Struct

from tablewright.compiler import spreading
from tablewright.compiler.derived import BucketPlan, ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.wirerecords import NO_DEFAULT
from tablewright.lint.design import Design
from tablewright.model.annotations import NoneType, count_of_values, members, metadata, without_none
from tablewright.model.conditions import Between, Compare
from tablewright.model.entity import Entity
from tablewright.model.expectations import ValuesExpected
from tablewright.model.fields import Epoch
from tablewright.model.table import TableModel
from tablewright.values.keycodec import Literal as LiteralPiece


class Described(Protocol):
    """An entity and its fields, whether it has a plan already or its keys are still to be found."""

    @property
    def entity(self) -> type[Entity]:
        """Its class."""
        ...

    @property
    def table(self) -> TableModel:
        """The table or design that it belongs to."""
        ...

    @property
    def sources(self) -> Mapping[str, FieldPlan]:
        """Its fields, and the library's own time stamps."""
        ...


class Piece(Struct, frozen=True):
    """A piece of a key: literal text, or a field; `derived` is the shard or bucket that stands in its place."""

    text: str | None = None
    field: str | None = None
    derived: ShardPlan | BucketPlan | None = None


def pieces(keys: KeyPlan | Iterable[KeyPlan]) -> list[Piece]:
    """Literals and fields of one side of a key, from left to right."""
    every = (keys,) if isinstance(keys, TemplateKey | NativeKey) else keys
    return [piece for key in every for piece in _pieces(key)]


def _pieces(key: KeyPlan) -> Iterator[Piece]:
    if isinstance(key, NativeKey):
        yield Piece(field=key.field.name)
        return
    for segment in key.bound.template.pieces:
        for piece in segment:
            if isinstance(piece, LiteralPiece):
                yield Piece(text=piece.text)
            else:
                derived: Any = key.derived.get(piece.field)
                yield Piece(field=piece.field, derived=derived)


def fields(keys: KeyPlan | Iterable[KeyPlan]) -> list[str]:
    """The fields that stand in a key themselves, in order."""
    return [p.field for p in pieces(keys) if p.field is not None and p.derived is None]


def literals(keys: KeyPlan | Iterable[KeyPlan]) -> list[str]:
    """The literals of a key, in order."""
    return [p.text for p in pieces(keys) if p.text is not None]


def whole(path: KeyPath) -> tuple[KeyPlan, ...]:
    """Both sides of a key."""
    return path.pk + path.sk


def annotation(plan: Described, name: str) -> Any:
    """The annotation of a field, or of one of the library's time stamps."""
    return plan.sources[name].annotation


def kinds(plan: Described, name: str) -> set[Any]:
    """The plain types that a field may have, None aside."""
    return {m for m in members(annotation(plan, name)) if m is not NoneType}


# ----------------------------------------------------------------------------------------------------------- times

_TIME = re.compile(r"(^|_)(timestamp|time_?stamp|ts|datetime|created|updated|modified|expires)$|_time$")
_DAY = re.compile(r"(^|_)(date|day|month|hour|time_bucket)$")
"""Names of times that are written as text; a number of that name may as well be one of twelve."""
_AT_OR_ON = re.compile(r"(^|_)(?P<word>[a-z]+)_(?P<place>at|on)$")
_HAPPENED = re.compile(
    r"(?!(bas|locat|host|hous|station|employ|enroll|aim|direct|stor|park|dock|seat)ed)[a-z]+ed"
    r"|sent|seen|taken|made|begun|born|paid|read|written|done|sold|bought|built|given|left|lost|found|won|met|held|set|last"
    r"|(expire|start|end|begin|happen|occur|open|close|lapse)s|due"
)
"""What stands before `_at` in the name of a time: participles, but for those that say a place, and verbs of time."""
_DATED = re.compile(
    r"(creat|updat|modifi|chang|delet|plac|order|shipp|deliver|receiv|join|sign|start|end|finish|clos|complet|approv)ed"
    r"|sent|paid|born|due|(expire|start|end|begin|close)s"
)
"""What stands before `_on` in the name of a time; what is based or installed on something is no time."""
_NUMBERS = frozenset({int, Decimal, float})


def is_moment(plan: Described, name: str) -> bool:
    """Whether a field holds a moment: a datetime, or a text or number that is called or used like one."""
    return datetime in kinds(plan, name) or (is_disguised_time(plan, name) and not _DAY.search(snake(name)))


def is_disguised_time(plan: Described, name: str) -> bool:
    """Whether a text or number is a moment, by its name or by its use. Where someone works, and what a task depends on, is
    called alike and is none."""
    found = kinds(plan, name)
    if not found <= {str, *_NUMBERS}:
        return False
    if _TIME.search(snake(name)) or (found == {str} and _DAY.search(snake(name))):
        return True
    called = _AT_OR_ON.search(snake(name))
    if called is None:
        return False
    if called["place"] == "at" and (found <= _NUMBERS or _HAPPENED.fullmatch(called["word"])):
        return True
    return bool(_DATED.fullmatch(called["word"])) or _used_as_time(plan, name)


def _used_as_time(plan: Described, name: str) -> bool:
    """Whether a field is made anew for each item, is a time in another entity, or is asked for by a range."""
    own = plan.entity.model_fields.get(name)
    if own is not None and own.default_factory is not None:
        return True
    for entity in plan.table.entities.values():
        info = entity.model_fields.get(name)
        if info is not None and {date, datetime} & set(members(info.annotation)):
            return True
    operations: list[Any] = [op for pattern in plan.table.patterns.values() for op in pattern.variants.values()]
    mine = [op for op in operations if getattr(op, "entity", None) is plan.entity]
    asked = [c for op in mine for c in (*op.conditions, *op.filters)]
    return any(
        leaf.field == name
        and (isinstance(leaf, Between) or (isinstance(leaf, Compare) and leaf.op in ("<", "<=", ">", ">=")))
        for condition in asked
        for leaf in condition.leaves()
    )


def is_time(plan: Described, name: str) -> bool:
    """Whether a field is a moment or a day."""
    return is_disguised_time(plan, name) or not kinds(plan, name).isdisjoint({datetime, date})


def clock(plan: EntityPlan, name: str) -> str | None:
    """The form in which a field stores its time; None for a field that is none."""
    found = kinds(plan, name)
    if datetime in found:
        epoch = metadata(without_none(annotation(plan, name)), Epoch)
        return f"Epoch({epoch.unit!r})" if epoch is not None else "datetime"
    if is_disguised_time(plan, name):
        return "a text" if str in found else "a number"
    return "date" if date in found else None


# ------------------------------------------------------------------------------------------------------------- ids

_OWN_ID = re.compile(r"(id|uuid|ulid|guid)|(?P<thing>.+)_(id|uuid|ulid|guid|number|no)")


def snake(name: str) -> str:
    """`order_line` for OrderLine."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def is_id(plan: Described, name: str) -> bool:
    """Whether a field is called like an id that somebody makes, or is a UUID."""
    return spreading.is_id(plan.sources, name)


_COUNTED = re.compile(r"(.*_)?(version|revision|offset|index|counter|position|serial)").fullmatch
_SORTED_ID = re.compile(r"(.*_)?(ulid|ksuid|snowflake|uuid7)(_id)?").fullmatch


def is_ascending(plan: Described, name: str) -> bool:
    """Whether new items have higher values than all before: a time, a number that counts, an id that begins with a time."""
    counts = kinds(plan, name) == {int} and (is_id(plan, name) or _COUNTED(snake(name)))
    return is_time(plan, name) or bool(counts or _SORTED_ID(snake(name)))


def written_at_its_end(path: KeyPath) -> str | None:
    """The field for which every new item goes to the end of its partition, since the sort key begins with it; None where they are
    spread."""
    first = next((piece for piece in pieces(path.sk) if piece.field is not None), None)
    if first is None or first.field is None or first.derived is not None or not is_ascending(path.plan, first.field):
        return None
    return first.field


def own_ids(design: Design, plan: EntityPlan) -> list[str]:
    """Fields that are ids of the entity itself: of these, one tells its items apart.

    Those that are called like it are its own even where others hold them in their keys, as lines hold the id of their
    order. Of the rest, those that nobody else has in a key.
    """
    others = {name for other in design.entities if other is not plan for name in other.key_fields}
    named = named_ids(design, plan)
    return [name for name in plan.fields if name in named or (is_id(plan, name) and name not in others)]


def named_ids(design: Design, plan: EntityPlan) -> list[str]:
    """Ids that are called like the entity, or like what its sort key says that it is: `order_id` where that is ORDER#..."""
    own, others = snake(plan.name), {snake(other.name) for other in design.entities if other is not plan}
    said = {text.lower() for text in literals(plan.sk)[:1]} if plan.sk is not None else set()
    found = []
    for name in plan.fields:
        thing = _OWN_ID.fullmatch(snake(name))
        if thing is None:
            continue
        stem = thing["thing"]
        if stem in (None, own) or (stem not in others and (own.endswith(f"_{stem}") or stem in said)):
            found.append(name)
    return found


def roots(design: Design) -> dict[str, EntityPlan]:
    """Entities that one field identifies, by that field; where two have the same, by neither."""
    found: dict[str, list[EntityPlan]] = {}
    for plan in design.entities:
        if len(plan.key_fields) == 1:
            found.setdefault(next(iter(plan.key_fields)), []).append(plan)
    return {name: plans[0] for name, plans in found.items() if len(plans) == 1}


# ----------------------------------------------------------------------------------------------------- few values


def choices(plan: EntityPlan, name: str) -> int | None:
    """How many values a field's type allows; None where they are not counted."""
    return count_of_values(annotation(plan, name))


def distinct(design: Design, plan: EntityPlan, name: str) -> int | None:
    """How many values a field has: as it was said, or as its type says."""
    return values_of(design.expectations.of_field(plan.entity, name), annotation(plan, name))


def values_of(expected: ValuesExpected, annotated: Any) -> int | None:
    """The same for what is expected of a field, and its annotation."""
    known = [n for n in (expected.distinct, count_of_values(annotated)) if n is not None]
    return min(known) if known else None


_CHOICE = re.compile(
    r"(.*_)?(status|state|stage|phase|kind|type|role|tier|level|priority|severity|active|enabled|archived)|(is|has)_.+"
)


def is_choice(design: Design, plan: EntityPlan, name: str) -> bool:
    """Whether a text or number has a handful of values, though its type does not list them: it is called like a state or a
    kind, items begin with the same one, or all patterns that read by it ask for a constant."""
    found = kinds(plan, name)
    if not found <= {str, int} or is_id(plan, name):
        return False
    begins = plan.sources[name].known
    if _CHOICE.fullmatch(snake(name)) or (found == {str} and begins not in (NO_DEFAULT, None, "")):
        return True
    asked = [read.one.served.known.get(name) for read in design.reads if read.plan is plan]
    sources = [source for source in asked if source is not None]
    return bool(sources) and all(source.possible is not None for source in sources)
