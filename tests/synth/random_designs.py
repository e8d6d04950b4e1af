"""Random designs: entities over a few fields, and reads of every kind, as the text of a design's file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

FIELDS = {
    "a": "str",
    "b": "str",
    "c": 'Literal["x", "y"]',
    "d": "datetime",
    "n": "int",
    "o": "str | None",
}
"""What every entity has; `o` may be missing."""
REQUIRED = ("a", "b", "c", "d", "n")
FEW = frozenset("c")
"""Fields with few values."""


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
class Page:
    """A read of the entities of these numbers together: in one object, or mixed in an order of their own."""

    members: tuple[int, ...]
    known: tuple[str, ...]
    mixed: bool
    order: tuple[str, ...]


@dataclass
class Sketch:
    """A whole design."""

    kinds: list[Kind]
    pages: list[Page] = field(default_factory=list)

    def text(self) -> str:
        """The file."""
        lines = [
            "from dataclasses import dataclass",
            "from datetime import datetime",
            "from typing import Literal",
            "from pydantic import Field",
            "from tablewright import Collection, Design, Entity, Get, Mixed, Query, collect, get, many, query",
            "",
            'design = Design("Random")',
        ]
        for kind in self.kinds:
            lines += ["", "", f"class {kind.name}(Entity, table=design, identity={list(kind.identity)!r}):"]
            for name, annotation in FIELDS.items():
                options = ["ge=0, le=99"] if name == "n" else []
                options += ["frozen=True"] if name in kind.frozen else []
                options += ["default=None"] if name == "o" else []
                lines.append(f"    {name}: {annotation}" + (f" = Field({', '.join(options)})" if options else ""))
        for kind in self.kinds:
            for number, read in enumerate(kind.reads):
                lines += ["", "", *_pattern(f"read_{kind.name.lower()}_{number}", kind.name, read)]
        for number, page in enumerate(self.pages):
            lines += ["", "", *self._page(number, page)]
        return "\n".join(lines) + "\n"

    def _page(self, number: int, page: Page) -> list[str]:
        names = [self.kinds[m].name for m in page.members]
        read = Read(page.known, order=page.order)
        queries = [f"query({n}{_conditions(n, read)}){_order(n, read)}" for n in names]
        if page.mixed:
            return [
                "@design.pattern",
                f"def page_{number}({', '.join(_parameter(k) for k in page.known)}) -> Mixed[{' | '.join(names)}]:",
                f"    return {' | '.join(queries)}",
            ]
        parts = [f"{n.lower()}=many({q})" for n, q in zip(names, queries, strict=True)]
        return [
            "@dataclass",
            f"class Page{number}:",
            *(f"    {n.lower()}: list[{n}]" for n in names),
            "",
            "",
            "@design.pattern",
            f"def page_{number}({', '.join(_parameter(k) for k in page.known)}) -> Collection[Page{number}]:",
            f"    return collect(Page{number}, {', '.join(parts)})",
        ]


def _parameter(name: str, what: str | None = None) -> str:
    annotation = "str" if name == "o" else FIELDS[name]
    return f"{what or name}: {annotation}"


def _conditions(entity: str, read: Read) -> str:
    tests = [f"{entity}.{n} == " + ('"x"' if n == "c" and read.constant else n) for n in read.known]
    tests += [f"{entity}.{read.ranged} >= since"] if read.ranged else []
    return "".join(f", {test}" for test in tests)


def _order(entity: str, read: Read) -> str:
    order = f".sorted_by({', '.join(f'{entity}.{n}' for n in read.order)})" if read.order else ""
    return order + (".consistent()" if read.strong else "")


def _pattern(name: str, entity: str, read: Read) -> list[str]:
    parameters = [_parameter(n) for n in read.known if not (n == "c" and read.constant)]
    parameters += [_parameter(read.ranged, "since")] if read.ranged else []
    kind = "Get" if read.one else "Query"
    return [
        "@design.pattern",
        f"def {name}({', '.join(parameters)}) -> {kind}[{entity}]:",
        f"    return {kind.lower()}({entity}{_conditions(entity, read)}){_order(entity, read)}",
    ]


@st.composite
def reads(draw: st.DrawFn, identity: tuple[str, ...]) -> Read:
    """Any read of an entity that a key could serve."""
    if draw(st.booleans()) and draw(st.booleans()):
        more = draw(st.sets(st.sampled_from([f for f in REQUIRED if f not in identity]), max_size=1))
        return Read(tuple(sorted({*identity, *more})), one=True)
    known = tuple(sorted(draw(st.sets(st.sampled_from(list(FIELDS)), max_size=3))))
    rest = [f for f in REQUIRED if f not in known]
    order: tuple[str, ...] = tuple(draw(st.lists(st.sampled_from(rest), max_size=2, unique=True)))
    ranged = draw(st.sampled_from([None, order[0] if order else rest[0]]))
    constant = "c" in known and draw(st.booleans())
    strong = not constant and draw(st.integers(0, 9)) == 0
    return Read(known, constant, ranged, order, strong=strong)


@st.composite
def sketches(draw: st.DrawFn, *, most_kinds: int = 3, most_reads: int = 4, pages: bool = True) -> Sketch:
    """A design of a few entities."""
    kinds = []
    for number in range(draw(st.integers(1, most_kinds))):
        identity = tuple(sorted(draw(st.sets(st.sampled_from(["a", "b", "d"]), min_size=1, max_size=2))))
        frozen = frozenset(draw(st.sets(st.sampled_from(REQUIRED))))
        kind = Kind("ABC"[number] * 2 + "x", identity, frozen)
        kind.reads = draw(st.lists(reads(identity), max_size=most_reads, unique=True))
        kinds.append(kind)
    found: list[Any] = []
    if pages and len(kinds) > 1:
        some = st.sets(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=2).map(lambda s: tuple(sorted(s)))
        members = st.sets(st.integers(0, len(kinds) - 1), min_size=2).map(lambda s: tuple(sorted(s)))
        order = st.sampled_from([(), (), ("d",), ("n", "d")])
        found = draw(st.lists(st.builds(Page, members, some, st.booleans(), order), max_size=3, unique=True))
    return Sketch(kinds, found)
