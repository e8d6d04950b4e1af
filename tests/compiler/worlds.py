"""Random small models and reads of them: few values and keys that often meet, so that proofs have something to do."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import event
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import Field

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Entity,
    Keys,
    KeyStyle,
    Shard,
    Table,
    Unique,
    attr,
    between,
    exists,
    is_in,
    number,
    sparse,
    sparse_local,
    starts_with,
)
from tablewright.errors import ModelError
from tablewright.model.entity import EntityMeta
from tablewright.model.keys import Derived
from tablewright.values.keycodec import STRICT

# Few values, so that items meet: some look like literals, like each other's beginnings, and like what the codec writes.
DOMAINS: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "word": (str, ("x", "xy", "x#A", "A", "x$", "1"), ""),
    "tag": (Literal["x", "A", "B"], ("x", "A", "B"), ""),
    "num": (int, (0, 1, 2, 10), ":2"),
    "signed": (int, (-10, -2, 0, 1, 10), ":2"),
    "day": (date, (date(2025, 1, 1), date(2025, 1, 31), date(2025, 2, 1), date(2025, 12, 31)), ""),
    "maybe": (str | None, (None, "x", "x#"), ""),
    "late": (date | None, (None, date(2025, 1, 2), date(2025, 3, 1)), ""),
}
ANNOTATIONS = {"num": Field(ge=0, le=99), "maybe": Field(default=None), "late": Field(default=None)}
DERIVED: dict[str, Derived] = {"shard": Shard("word", of=3), "month": Bucket("day", "month")}
# Partitions are shared on purpose, and sort keys often begin alike.
PARTITIONS = (
    "A#{word}",
    "A#{word}",
    "A#{tag}",
    "A",
    "{word}",
    "A#{shard}",
    "{tag}#{shard}",
    "A#{month}",
    "{tag}#{month}",
)
INDEX_PARTITIONS = ("{num:2}", "{num:2}", "A#{day}", "A#{tag}", "{tag}#{shard}", "A#{month}", "{signed:2}#{month}")
BEGINNINGS = ("x", "x", "x#{word}", "A#{tag}", "{tag}", "{word}", "{num:2}", "{day}")
ENDINGS = ("", "", "A", "{word}", "{num:2}", "{signed:2}", "{day}", "A#{num:2}", "{word}#A#{tag}", "{day}#{num:2}")
OPTIONAL_ENDINGS = ("{maybe}", "{late}#{word}", "{late}")
PREDICATES: tuple[Callable[[], Any], ...] = (
    lambda: attr("tag") == "A",
    lambda: is_in(attr("tag"), ["A", "x"]),
    lambda: exists(attr("maybe")),
    lambda: attr("num") >= 2,
)


@dataclass
class EntitySpec:
    keys: tuple[str, str]
    indexes: dict[str, Any]
    unique: list[Unique]


@st.composite
def sort_keys(draw: st.DrawFn, *, optional: bool) -> str:
    ending = draw(st.sampled_from((*ENDINGS, *OPTIONAL_ENDINGS) if optional else ENDINGS))
    return "#".join(part for part in (draw(st.sampled_from(BEGINNINGS)), ending) if part)


@st.composite
def entity_specs(draw: st.DrawFn) -> EntitySpec:
    indexes: dict[str, Any] = {}
    kinds = draw(st.sets(st.sampled_from(["GSI1", "GSI2", "LSI1", "LSI2", "Partly", "Again"])))
    if "GSI1" in kinds:
        sides = (draw(st.sampled_from(INDEX_PARTITIONS)), draw(sort_keys(optional=True)))
        predicate = draw(st.sampled_from((None, *PREDICATES)))
        indexes["GSI1"] = sides if predicate is None else sparse(*sides, when=predicate())
    if "GSI2" in kinds:  # two texts, then a text and a number
        texts = draw(st.permutations(("word", "tag", "maybe")))
        numeric = draw(st.sampled_from(("num", "signed")))
        indexes["GSI2"] = ((f"{{{texts[0]}}}", f"{{{texts[1]}}}"), (f"{{{texts[2]}}}", f"{{{numeric}}}"))
    if "LSI1" in kinds:
        indexes["LSI1"] = draw(st.sampled_from(["{signed}", "{num}"]))
    if "LSI2" in kinds:
        text = draw(sort_keys(optional=True))
        indexes["LSI2"] = text if draw(st.booleans()) else sparse_local(text, when=draw(st.sampled_from(PREDICATES))())
    if "Partly" in kinds:  # its sort key is the table's
        text = draw(st.sampled_from(INDEX_PARTITIONS))
        indexes["Partly"] = text if draw(st.booleans()) else sparse(text, when=draw(st.sampled_from(PREDICATES))())
    if "Again" in kinds and "GSI1" in kinds:  # its partition key is that of GSI1
        text = draw(sort_keys(optional=True))
        indexes["Again"] = text if draw(st.booleans()) else sparse_local(text, when=draw(st.sampled_from(PREDICATES))())
    unique = [Unique("word", "num")] if draw(st.integers(0, 5)) == 0 else []
    return EntitySpec((draw(st.sampled_from(PARTITIONS)), draw(sort_keys(optional=False))), indexes, unique)


@dataclass
class World:
    table: Table
    entities: list[type[Entity]] = field(default_factory=list)
    indexes: list[GSI | LSI] = field(default_factory=list)
    """As they were declared."""

    def add(self, spec: EntitySpec, name: str | None = None) -> None:
        """Adds an entity, unless the compiler refuses it."""
        name = name or f"E{len(self.entities)}"
        annotations = {n: kind for n, (kind, _, _) in DOMAINS.items()}
        separator = self.table.key_style.separator
        indexes = {n: k for n, k in spec.indexes.items() if n in self.table.indexes}
        used = "".join([*spec.keys, *map(str, indexes.values())])
        keys = Keys(
            *(k.replace("#", separator) for k in spec.keys),
            derive={n: d for n, d in DERIVED.items() if f"{{{n}}}" in used},
            indexes={n: _separated(k, separator) for n, k in indexes.items()},
            unique=spec.unique,
        )
        body = {
            "__annotations__": annotations,
            "__module__": __name__,
            "__qualname__": name,
            "keys": keys,
            **ANNOTATIONS,
        }
        try:
            self.entities.append(EntityMeta(name, (Entity,), body, table=self.table))
        except ModelError as error:
            event(f"refused: {type(error).__name__}")


def _separated(keys: Any, separator: str) -> Any:
    """Index keys with another separator."""
    if isinstance(keys, str):
        return keys.replace("#", separator)
    if isinstance(keys, tuple):
        return tuple(_separated(k, separator) for k in keys)
    return replace(keys, pk=_separated(keys.pk, separator), sk=_separated(keys.sk, separator))


STYLES = {"strict": STRICT, "adopted": KeyStyle.adopted("|"), "escaped": KeyStyle.adopted("#", escape=True)}
"""No value above holds the separator of the adopted table: what the compiler refuses or serves there supposes that."""


each_style = pytest.mark.parametrize(
    "style", [name if name == "strict" else pytest.param(name, marks=pytest.mark.full) for name in STYLES]
)


SHARING: list[GSI | LSI] = [
    GSI("Inverted", pk="SK", sk="PK"),
    GSI("Turned", pk="GSI1SK", sk="GSI1PK"),
    GSI("Partly", sk="SK"),
    GSI("Again", pk="GSI1PK"),
    LSI("LSI3", sk="GSI1SK"),
]
"""Indexes that share key attributes with the table or with each other."""


@st.composite
def empty_worlds(draw: st.DrawFn, style: KeyStyle = STRICT, more: tuple[GSI, ...] = ()) -> World:
    multi = GSI("GSI2", pk=["g2a", "g2b"], sk=["g2c", number("g2d")])
    indexes: list[GSI | LSI] = [GSI("GSI1"), multi, LSI("LSI1", sk=number("l1")), LSI("LSI2")]
    if draw(st.booleans()):
        indexes += SHARING
    indexes += more
    return World(Table("Random", indexes=indexes, key_style=style), indexes=indexes)


@st.composite
def worlds(draw: st.DrawFn, style: KeyStyle = STRICT, most: int = 4) -> World:
    world = draw(empty_worlds(style))
    for spec in draw(st.lists(entity_specs(), min_size=1, max_size=most)):
        world.add(spec)
    return world


def every_value(names: set[str]) -> Iterator[dict[str, Any]]:
    """All combinations of these fields' values, the rest fixed, up to a number that enumeration can bear."""
    filled = {n: values[-1] for n, (_, values, _) in DOMAINS.items()}
    listed = sorted(names)
    for combination in itertools.islice(itertools.product(*(DOMAINS[n][1] for n in listed)), 3000):
        yield {**filled, **dict(zip(listed, combination, strict=True))}


# ---------------------------------------------------------------------------------------------------------- reads

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "between": lambda a, b: b[0] <= a <= b[1],
    "starts_with": lambda a, b: a.startswith(b),
    "in": lambda a, b: a in b,
}


@dataclass
class Condition:
    name: str
    op: str
    value: Any

    def on(self, entity: Any) -> Any:
        """As a condition of a query."""
        owner = getattr(entity, self.name)
        if self.op == "between":
            return between(owner, *self.value)
        if self.op == "starts_with":
            return starts_with(owner, self.value)
        if self.op == "in":
            return is_in(owner, self.value)
        return OPERATORS[self.op](owner, self.value)

    def holds(self, item: Any) -> bool:
        """Naively, on an item."""
        value = getattr(item, self.name)
        return value is not None and OPERATORS[self.op](value, self.value)


def given_values(name: str) -> tuple[Any, ...]:
    return tuple(v for v in DOMAINS[name][1] if v is not None)


@st.composite
def conditions(draw: st.DrawFn, entity: type[Entity], table: Table) -> tuple[str | None, list[Condition]]:
    """Conditions that some key of the entity has a chance to serve: its partition, leading sort fields, then a range."""
    plan = table.plan.of(entity)
    paths: list[tuple[str | None, list[str], list[str]]] = [(None, fields_of(plan.pk), fields_of(plan.sk))]
    for binding in plan.bindings:
        pk = [plan.pk] if binding.index.local else binding.pk
        paths.append(
            (
                binding.index.name,
                [f for k in pk for f in fields_of(k)],
                [f for k in binding.sk for f in fields_of(k)],
            )
        )
    index, partition, sort = draw(st.sampled_from(paths + paths[1:] * 2))
    fixed = partition + sort[: draw(st.integers(0, len(sort)))]
    fixed = list(dict.fromkeys(n for n in fixed if n not in DERIVED))
    rest = [n for n in sort if n not in fixed and n not in DERIVED]
    chosen = [Condition(n, "==", draw(st.sampled_from(given_values(n)))) for n in fixed]
    ranged = rest[0] if rest and draw(st.booleans()) else None
    if "month" in partition and "day" not in fixed:
        ranged = "day"
    if ranged is not None:
        chosen += _range(draw, ranged, both="month" in partition)
    if draw(st.integers(0, 2)) == 0:
        extra = draw(st.sampled_from(["word", "day", "tag", "maybe"]))
        if extra not in {c.name for c in chosen}:
            chosen.append(Condition(extra, "==", draw(st.sampled_from(given_values(extra)))))
    return index if draw(st.booleans()) else None, chosen


def fields_of(key: Any) -> list[str]:
    return [] if key is None else list(key.bound.template.fields) if hasattr(key, "bound") else [key.field.name]


def _range(draw: st.DrawFn, name: str, *, both: bool) -> list[Condition]:
    values = st.sampled_from(given_values(name))
    if both or draw(st.integers(0, 3)) == 0:
        low, high = draw(values), draw(values)
        if draw(st.booleans()):
            return [Condition(name, "between", (low, high))]
        ops = draw(st.tuples(st.sampled_from([">", ">="]), st.sampled_from(["<", "<="])))
        return [Condition(name, ops[0], low), Condition(name, ops[1], high)]
    if DOMAINS[name][0] in (str, str | None) and draw(st.booleans()):
        return [Condition(name, "starts_with", draw(st.sampled_from(["x", "x#", ""])))]
    return [Condition(name, draw(st.sampled_from(["<", "<=", ">", ">="])), draw(values))]


@st.composite
def populations(draw: st.DrawFn, world: World) -> list[Entity]:
    every = st.fixed_dictionaries({n: st.sampled_from(values) for n, (_, values, _) in DOMAINS.items()})
    return [entity(**values) for entity in world.entities for values in draw(st.lists(every, min_size=10, max_size=14))]
