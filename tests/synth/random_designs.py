"""Random designs: entities over a few fields, and reads of every kind, as the text of a design's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

FIELDS = {
    "a": "str",
    "b": "str",
    "c": 'Literal["x", "y"]',
    "d": "datetime",
    "n": "int",
    "o": "str | None",
}
"""What every entity has; `o` may be missing, and `n` is a whole number unless the design measures in something else."""
MEASURES = ("int", "Decimal", "bytes")
RANGES = (">=", ">", "<", "<=")
REQUIRED = ("a", "b", "c", "d", "n")
FEW = frozenset("cd")
"""Fields that spread no traffic: those with few values, and times."""


@dataclass(frozen=True)
class Read:
    """One read: the fields it fixes (some with a constant), a range, an order."""

    known: tuple[str, ...]
    constant: bool = False
    """Whether `c` is fixed to "x" rather than to a parameter."""
    ranged: str | None = None
    order: tuple[str, ...] = ()
    one: bool = False
    strong: bool = False
    operator: str = ">="
    """That of the range."""
    listed: tuple[str, ...] = ()
    """Which of the known fields have several values; the read may be sorted by these as well."""

    @property
    def follows(self) -> tuple[str, ...]:
        """What the key must go on with."""
        return self.order or ((self.ranged,) if self.ranged else ())


@dataclass
class Kind:
    """One entity."""

    name: str
    identity: tuple[str, ...]
    frozen: frozenset[str]
    reads: list[Read] = field(default_factory=list)


@dataclass(frozen=True)
class Part:
    """One entity's share of a read of several."""

    member: int
    """Which entity of the design."""
    shared: tuple[str, ...]
    """Its fields that have the values which all parts know, in their order."""
    more: tuple[str, ...] = ()
    """What it knows beside them."""
    order: tuple[str, ...] = ()
    ranged: bool = False
    """Whether it has a range over the first field of its order."""
    one: bool = False
    operator: str = ">="

    @property
    def known(self) -> tuple[str, ...]:
        """All that it knows."""
        return self.shared + self.more


@dataclass(frozen=True)
class Page:
    """A read of several entities together: in one object, or mixed in an order of their own."""

    parts: tuple[Part, ...]
    mixed: bool = False
    strong: bool = False

    def in_order(self, identities: Sequence[tuple[str, ...]]) -> int:
        """By how many fields the items are sorted across all parts."""
        several = not any(set(p.known) >= set(identities[p.member]) for p in self.parts)
        lengths = {len(p.order) for p in self.parts}
        alike = len(lengths) == 1 and not any(p.more for p in self.parts)
        return lengths.pop() if self.mixed and several and alike else 0


@dataclass(frozen=True)
class Relation:
    """A relationship between two entities, with the strategy that was chosen for it."""

    source: int
    target: int
    strategy: str
    via: int | None = None
    """The entity of the links, and its fields that identify either end."""
    ends: tuple[tuple[str, ...], ...] = ()

    def text(self, names: Sequence[str]) -> str:
        """As relate() takes it."""
        how = {
            "embedded": ', field="o"',
            "shallow duplication": ', copies={"b": "a"}',
        }.get(self.strategy, "")
        if self.via is not None:
            how = f", via={names[self.via]}, source_fields={self.ends[0]!r}, target_fields={self.ends[1]!r}"
        many = "1:N" if self.via is None else "M:N"
        return f'Relationship({names[self.source]}, {names[self.target]}, "{many}", "{self.strategy}"{how})'


@dataclass
class Sketch:
    """A whole design."""

    kinds: list[Kind]
    pages: list[Page] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    measure: str = "int"
    """The type of `n`."""

    @property
    def types(self) -> dict[str, str]:
        """The type of each field."""
        return FIELDS | {"n": self.measure}

    def asked(self) -> Sketch:
        """The design with what its relationships ask of keys as reads and pages: an item collection lies in one partition of
        the table, and links are read from both ends."""
        kinds = [replace(kind, reads=list(kind.reads)) for kind in self.kinds]
        pages = list(self.pages)
        for relation in self.relations:
            if relation.strategy == "item collection":
                identity = kinds[relation.source].identity
                members = (relation.source, relation.target)
                pages.append(Page(tuple(Part(member, identity) for member in members), strong=True))
            if relation.via is not None:
                kinds[relation.via].reads += [Read(end) for end in relation.ends]
        return Sketch(kinds, pages, measure=self.measure)

    def text(self) -> str:
        """The file."""
        lines = [
            "from dataclasses import dataclass",
            "from datetime import datetime",
            "from decimal import Decimal",
            "from typing import Literal",
            "from pydantic import Field",
            "from tablewright import Collection, Design, Entity, Get, Mixed, Query, Relationship, collect, get, is_in, many, one, query",
            "",
            'design = Design("Random")',
        ]
        for kind in self.kinds:
            lines += ["", "", f"class {kind.name}(Entity, table=design, identity={list(kind.identity)!r}):"]
            for name, annotation in self.types.items():
                options = ["ge=0, le=99"] if name == "n" and annotation == "int" else []
                options += ["frozen=True"] if name in kind.frozen else []
                options += ["default=None"] if name == "o" else []
                lines.append(f"    {name}: {annotation}" + (f" = Field({', '.join(options)})" if options else ""))
        for kind in self.kinds:
            for number, read in enumerate(kind.reads):
                lines += ["", "", *self._pattern(f"read_{kind.name.lower()}_{number}", kind.name, read)]
        for number, page in enumerate(self.pages):
            lines += ["", "", *self._page(number, page)]
        names = [kind.name for kind in self.kinds]
        lines += [f"design.relate({relation.text(names)})" for relation in self.relations]
        return "\n".join(lines) + "\n"

    def _page(self, number: int, page: Page) -> list[str]:
        names = [self.kinds[part.member].name for part in page.parts]
        queries = []
        parameters = {f"k{n}": self.types[field] for n, field in enumerate(page.parts[0].shared)}
        for name, part in zip(names, page.parts, strict=True):
            own = [f"{part.member}_{field}" for field in part.more]
            parameters |= {f"m{suffix}": self._given(field) for suffix, field in zip(own, part.more, strict=True)}
            tests = [f"{name}.{field} == k{n}" for n, field in enumerate(part.shared)]
            tests += [f"{name}.{field} == m{suffix}" for suffix, field in zip(own, part.more, strict=True)]
            if part.ranged:
                parameters[f"since{part.member}"] = self.types[part.order[0]]
                tests.append(f"{name}.{part.order[0]} {part.operator} since{part.member}")
            queries.append(f"query({', '.join((name, *tests))}){_order(name, Read((), order=part.order))}")
        given = ", ".join(f"{name}: {annotation}" for name, annotation in parameters.items())
        strong = ".consistent()" if page.strong else ""
        if page.mixed:
            return [
                "@design.pattern",
                f"def page_{number}({given}) -> Mixed[{' | '.join(names)}]:",
                f"    return ({' | '.join(queries)}){strong}",
            ]
        kinds = ["one" if part.one else "many" for part in page.parts]
        parts = [f"{n.lower()}={k}({q})" for n, k, q in zip(names, kinds, queries, strict=True)]
        types = [f"{n} | None" if part.one else f"list[{n}]" for n, part in zip(names, page.parts, strict=True)]
        return [
            "@dataclass",
            f"class Page{number}:",
            *(f"    {n.lower()}: {t}" for n, t in zip(names, types, strict=True)),
            "",
            "",
            "@design.pattern",
            f"def page_{number}({given}) -> Collection[Page{number}]:",
            f"    return collect(Page{number}, {', '.join(parts)}){strong}",
        ]

    def _pattern(self, name: str, entity: str, read: Read) -> list[str]:
        given_as = {n: f"list[{self._given(n)}]" if n in read.listed else self._given(n) for n in read.known}
        parameters = {n: annotation for n, annotation in given_as.items() if not (n == "c" and read.constant)}
        parameters |= {"since": self._given(read.ranged)} if read.ranged else {}
        given = ", ".join(f"{name}: {annotation}" for name, annotation in parameters.items())
        kind = "Get" if read.one else "Query"
        return [
            "@design.pattern",
            f"def {name}({given}) -> {kind}[{entity}]:",
            f"    return {kind.lower()}({entity}{_conditions(entity, read)}){_order(entity, read)}",
        ]

    def _given(self, name: str) -> str:
        """The type of a parameter for a field, which always has a value."""
        return "str" if name == "o" else self.types[name]


def _conditions(entity: str, read: Read) -> str:
    fixed = [n for n in read.known if n not in read.listed]
    tests = [f"{entity}.{n} == " + ('"x"' if n == "c" and read.constant else n) for n in fixed]
    tests += [f"is_in({entity}.{n}, {n})" for n in read.listed]
    tests += [f"{entity}.{read.ranged} {read.operator} since"] if read.ranged else []
    return "".join(f", {test}" for test in tests)


def _order(entity: str, read: Read) -> str:
    order = f".sorted_by({', '.join(f'{entity}.{n}' for n in read.order)})" if read.order else ""
    return order + (".consistent()" if read.strong else "")


@st.composite
def reads(draw: st.DrawFn, identity: tuple[str, ...], frozen: frozenset[str]) -> Read:
    """Any read of an entity that a key could serve."""
    if draw(st.booleans()) and draw(st.booleans()):
        more = draw(st.sets(st.sampled_from([f for f in REQUIRED if f not in identity]), max_size=1))
        return Read(tuple(sorted({*identity, *more})), one=True)
    if draw(st.booleans()) and draw(st.booleans()):  # a range over what ends the table's key
        *first, last = draw(st.permutations(identity))
        return Read(tuple(first), ranged=last, operator=draw(st.sampled_from(RANGES)))
    known = tuple(sorted(draw(st.sets(st.sampled_from(list(FIELDS)), max_size=3))))
    rest = [f for f in REQUIRED if f not in known]
    order: tuple[str, ...] = tuple(draw(st.lists(st.sampled_from(rest), max_size=2, unique=True)))
    ranged = draw(st.sampled_from([None, order[0] if order else rest[0]]))
    constant = "c" in known and draw(st.booleans())
    held = frozen.union(identity) - {"o"}
    strong = not constant and held.issuperset((*known, *order, *([ranged] if ranged else []))) and draw(st.booleans())
    operator = draw(st.sampled_from(RANGES)) if ranged else ">="
    return Read(known, constant, ranged, order, strong=strong, operator=operator)


@st.composite
def lists(draw: st.DrawFn) -> Sketch:
    """A design of one entity, some of whose reads give a field several values."""
    identity = tuple(sorted(draw(st.sets(st.sampled_from(["a", "b", "d"]), min_size=1, max_size=2))))
    kind = Kind("AAx", identity, frozenset())
    for _ in range(draw(st.integers(1, 4))):
        known = tuple(sorted(draw(st.sets(st.sampled_from(["a", "b", "n"]), min_size=1))))
        listed = tuple(draw(st.lists(st.sampled_from(known), max_size=2, unique=True)))
        rest = [f for f in REQUIRED if f not in known or f in listed]
        order = tuple(draw(st.lists(st.sampled_from(rest), max_size=2, unique=True)))
        kind.reads.append(Read(known, order=order, listed=listed))
    return Sketch([kind])


@st.composite
def page_parts(draw: st.DrawFn, kinds: Sequence[Kind], member: int, values: int, few: bool, order: str | None) -> Part:
    """One part of a page; `values` are shared texts, `few` says that `c` is shared too, `order` is that of all parts."""
    texts = draw(st.permutations(["a", "b"]))
    shared = (*texts[:values], *(["c"] if few else []))
    rest = [f for f in REQUIRED if f not in shared]
    if order is None:
        own: tuple[str, ...] = tuple(draw(st.lists(st.sampled_from(rest), max_size=2, unique=True)))
    else:
        own = tuple("b" if f == "t" and "b" not in shared else "a" if f == "t" else f for f in order)
    left = [f for f in (*rest, "o") if f not in own]
    more = tuple(draw(st.lists(st.sampled_from(left), max_size=1))) if order is None and draw(st.booleans()) else ()
    ranged = order is None and bool(own) and draw(st.booleans())
    known = {*shared, *more}
    one = known >= set(kinds[member].identity) and not ranged and draw(st.booleans())
    operator = draw(st.sampled_from(RANGES)) if ranged else ">="
    return Part(member, shared, more, own, ranged, one, operator)


@st.composite
def pages(draw: st.DrawFn, kinds: Sequence[Kind]) -> Page:
    """A read of two entities or more by values that they share, under whatever names."""
    members = sorted(draw(st.sets(st.integers(0, len(kinds) - 1), min_size=2)))
    values = draw(st.integers(0, 2))
    few = values == 0 or draw(st.booleans())
    mixed = draw(st.booleans())
    order = draw(st.sampled_from(["", "d", "nd", "t", "td"] if values < 2 else ["", "d", "nd"])) if mixed else None
    parts = tuple(draw(page_parts(kinds, member, values, few, order)) for member in members)
    held = [kinds[p.member].frozen.union(kinds[p.member].identity) - {"o"} for p in parts]
    settled = all(h.issuperset(p.known + p.order) for h, p in zip(held, parts, strict=True))
    return Page(parts, mixed, strong=settled and draw(st.booleans()))


@st.composite
def relations(draw: st.DrawFn, kinds: Sequence[Kind]) -> Relation:
    """A relationship of any strategy. A child says which parent it belongs to in fields that never change."""
    source, target = draw(st.permutations(range(len(kinds))))[:2]
    strategy = draw(
        st.sampled_from(
            [
                *["item collection"] * 4,
                *["adjacency list", "materialised graph"],
                *["embedded", "shallow duplication", "normalised"],
            ]
        )
    )
    held = kinds[target].frozen.union(kinds[target].identity)
    if strategy == "item collection" and not held.issuperset(kinds[source].identity):
        strategy = "adjacency list"
    if strategy not in ("adjacency list", "materialised graph"):
        return Relation(source, target, strategy)
    some = st.sets(st.sampled_from(REQUIRED), min_size=1, max_size=2).map(lambda fields: tuple(sorted(fields)))
    return Relation(source, target, strategy, draw(st.integers(0, len(kinds) - 1)), (draw(some), draw(some)))


@st.composite
def sketches(
    draw: st.DrawFn,
    *,
    kinds_between: tuple[int, int] = (1, 3),
    most_reads: int = 4,
    pages_between: tuple[int, int] = (0, 3),
    most_relations: int = 3,
) -> Sketch:
    """A design of a few entities."""
    kinds: list[Kind] = []
    for number in range(draw(st.integers(*kinds_between))):
        identity = tuple(sorted(draw(st.sets(st.sampled_from(["a", "b", "d"]), min_size=1, max_size=2))))
        frozen = frozenset(draw(st.sets(st.sampled_from(REQUIRED))))
        kind = Kind("ABC"[number] * 2 + "x", identity, frozen)
        kind.reads = draw(st.lists(reads(identity, frozen), max_size=most_reads, unique=True))
        kinds.append(kind)
    fewest, most = pages_between
    found = draw(st.lists(pages(kinds), min_size=fewest, max_size=most, unique=True)) if len(kinds) > 1 else []
    related = draw(st.lists(relations(kinds), max_size=most_relations, unique=True)) if len(kinds) > 1 else []
    return Sketch(kinds, found, related, draw(st.sampled_from(MEASURES)))
