"""What the access patterns ask of keys: for each read the fields that it knows, the order it wants, and who is read with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.selection import UNKNOWN, Selection, select
from tablewright.cost.reads import USUAL_RESULTS
from tablewright.errors import PatternError
from tablewright.model.entity import Entity
from tablewright.model.expectations import ReadsExpected
from tablewright.model.operations import Collection, Get, Mixed, Query
from tablewright.model.pattern import Pattern
from tablewright.model.relationships import Relationship
from tablewright.synth.design import Design, related
from tablewright.synth.facts import EntityFacts
from tablewright.synth.heat import Reading
from tablewright.synth.refusals import Refusals
from tablewright.synth.stand_ins import TYPES


def called(read: str) -> str:
    """A pattern as a function; what else asks for a key, such as a relationship or a tree, is words already."""
    return f"{read}()" if read.isidentifier() else read


def begun(sentence: str) -> str:
    """A sentence that begins with a read. A function keeps its name; words begin with a capital."""
    return sentence.replace("the ", "The ", 1) if sentence.startswith("the ") else sentence


def listed(names: Sequence[str]) -> str:
    """As in "a", "a and b" and "a, b and c"."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])


class Need(Struct, frozen=True, eq=False):
    """What one read asks of the key that serves it."""

    patterns: tuple[str, ...]
    entity: str
    known: frozenset[str]
    """Fields that have one value."""
    constants: tuple[tuple[str, Any], ...]
    """Those of them whose value stands in the pattern."""
    listed: frozenset[str]
    """Those of them that have several values, each with a request of its own."""
    order: tuple[str, ...]
    """The fields that follow at once, because they are ranged over or sorted by."""
    ranged: bool
    whole: bool
    """Whether the key must be made of the known fields and no others: a get()."""
    strong: bool
    sources: Mapping[str, str]
    """Where the value of each known field comes from."""
    readings: tuple[Reading, ...] = ()
    """How often it is read at the peak, as far as was said."""
    takes: frozenset[str] | None = None
    """The fields that it takes of an item, those of filters included; None where it takes all of them."""

    @property
    def asks(self) -> tuple[Any, ...]:
        """What makes two needs one."""
        constants = tuple((n, repr(v)) for n, v in self.constants)
        order = (self.order, self.ranged)
        return (
            self.entity,
            tuple(sorted(self.known)),
            constants,
            tuple(sorted(self.listed)),
            order,
            self.whole,
            self.strong,
        )

    def given(self, field: str) -> bool:
        """Whether items without this field are not asked for."""
        return field in self.known or (self.ranged and field == self.order[0])

    def __str__(self) -> str:
        words = f"by {', '.join(n for n in self.sources if n in self.known)}" if self.known else "all of them"
        return words + (f" in order of {', '.join(self.order)}" if self.order else "")


class Together(Struct, frozen=True, eq=False):
    """Several entities that share a partition, mostly because one request reads them, with what it knows of all of them."""

    pattern: str
    parts: tuple[Need, ...]
    shared: tuple[str, ...]
    """Where the values come from that all parts know, in the order of the first part's conditions."""
    ordered: int = 0
    """How many fields sort the items across all parts; each part sorts by as many of its own."""
    merged: bool = False
    """Whether it may be spread over shards, which are merged in order: queries that are joined with |."""
    adjacent: bool = True
    """Whether one request reads all of them, so that nobody else should lie between; one partition alone is asked for where a
    relationship is an item collection, whoever else lies there."""

    @property
    def asks(self) -> tuple[Any, ...]:
        """What makes two of them one: the same parts, whose fields meet alike."""
        meeting = sorted(tuple(self.field(part, source) for part in self.parts) for source in self.shared)
        return (tuple(meeting), self.ordered, self.merged, *(part.asks for part in self.parts))

    def field(self, part: Need, source: str) -> str:
        """The field of a part that has this value."""
        return next(n for n, s in part.sources.items() if s == source)


class Wanted(Struct, frozen=True, eq=False):
    """Everything that the patterns of a design ask for."""

    singles: tuple[Need, ...]
    together: tuple[Together, ...]
    hints: tuple[str, ...]
    """What the design does not say, and should."""


def wanted(
    design: Design,
    facts: Mapping[type[Entity], EntityFacts],
    collections: Iterable[Together] = (),
    *,
    refusals: Refusals,
) -> Wanted:
    """Reads all patterns of a design, beside `collections` that something else asks for. Patterns that no key can serve are
    noted, and left out."""
    singles: dict[tuple[Any, ...], Need] = {}
    together: dict[tuple[Any, ...], Together] = {group.asks: group for group in collections}
    hints: list[str] = []
    for pattern in design.patterns.values():
        expected = design.expectations.of_pattern(pattern.name)
        for operation in pattern.variants.values():
            reader = _Reader(pattern, facts, expected)
            with refusals.of(called(pattern.name)):
                match operation:
                    case Get() | Query():
                        need = reader.need(operation, strong=operation.strong)
                        known = singles.get(need.asks)
                        singles[need.asks] = need if known is None else _both(known, need)
                    case Collection() | Mixed():
                        group = reader.group(operation)
                        same = together.get(group.asks)
                        together[group.asks] = group if same is None else _both_together(same, group)
            hints.extend(h for h in reader.hints if h not in hints)
    for relationship in design.relationships:
        if relationship.strategy == "item collection" and isinstance(relationship.target, type):
            group = _collection(relationship, facts)
            together.setdefault(group.asks, group)
        for need in _directions(relationship, facts):
            singles.setdefault(need.asks, need)
    return Wanted(tuple(singles.values()), tuple(together.values()), tuple(hints))


def with_forced(facts: EntityFacts, asked: Wanted) -> EntityFacts:
    """The entity, with whether a consistent read that knows nothing spread forces its table key."""
    strong = [need.known for need in asked.singles if need.entity == facts.name and need.strong]
    for group in asked.together:
        for part in group.parts:
            if part.entity == facts.name and part.strong:
                strong.append(frozenset(group.field(part, source) for source in group.shared))
    return replace(facts, forced=any(not known & facts.spread for known in strong))


def _collection(relationship: Relationship, facts: Mapping[type[Entity], EntityFacts]) -> Together:
    """An item collection is read by the identity of its parent, by the table's own key."""
    source = facts[relationship.source]
    identity = {name: name for name in source.identity}
    parts = [
        known_by(related(relationship), facts[cast("type[Entity]", entity)], identity, strong=True)
        for entity in (relationship.source, relationship.target)
    ]
    return Together(related(relationship), tuple(parts), source.identity, adjacent=False)


def _directions(relationship: Relationship, facts: Mapping[type[Entity], EntityFacts]) -> Iterator[Need]:
    """Links are read from either end: by keys of their own, or the second end by those of their mirrors."""
    ends = (
        (relationship.via, relationship.source_fields),
        (relationship.mirror or relationship.via, relationship.target_fields),
    )
    for back, (links, fields) in enumerate(ends):
        if links is not None and links in facts and fields and set(fields) <= facts[links].shares.keys():
            read = related(relationship, back=bool(back))
            yield known_by(read, facts[links], {name: name for name in fields}, strong=False)


def known_by(what: str, facts: EntityFacts, fields: Mapping[str, str], *, strong: bool) -> Need:
    """A read by these fields alone, with the names of what their values come from."""
    return Need(
        patterns=(what,),
        entity=facts.name,
        known=frozenset(fields),
        constants=(),
        listed=frozenset(),
        order=(),
        ranged=False,
        whole=False,
        strong=strong,
        sources=dict(fields),
    )


def _both(one: Need, other: Need) -> Need:
    if other.patterns[0] in one.patterns:
        return one if other.takes == one.takes else replace(one, takes=None)
    takes = None if one.takes is None or other.takes is None else one.takes | other.takes
    return replace(one, patterns=one.patterns + other.patterns, readings=one.readings + other.readings, takes=takes)


def _both_together(one: Together, other: Together) -> Together:
    return replace(one, parts=tuple(_both(a, b) for a, b in zip(one.parts, other.parts, strict=True)))


class _Reader:
    """Reads the variants of one pattern."""

    def __init__(
        self, pattern: Pattern[..., Any], facts: Mapping[type[Entity], EntityFacts], expected: ReadsExpected
    ) -> None:
        self._expected = expected
        self._what = f"The pattern {pattern.name}()"
        self._pattern = pattern
        self._facts = facts
        self.hints: list[str] = []

    def group(self, operation: Collection[Any] | Mixed[Any]) -> Together:
        queries = [p.query for p in operation.parts] if isinstance(operation, Collection) else list(operation.queries)
        strong = operation.strong or any(q.strong for q in queries)
        parts = tuple(self.need(q, strong=strong, alone=False) for q in queries)
        if any(q.descending for q in queries) and not any(p.order for p in parts):
            raise self._in_no_order(queries[0])
        several = next((name for part in parts for name in sorted(part.listed)), None)
        if several is not None:
            raise PatternError(
                f"{self._what} reads several entities from one partition, and is_in() asks for several by {several!r}.",
                hint="Run it once for each value, or read the entities in patterns of their own.",
            )
        shared = [s for s in parts[0].sources.values() if all(s in p.sources.values() for p in parts)]
        known = tuple(dict.fromkeys(shared))
        # A part that is one item at most has no order of its own to share.
        single = any(p.known.issuperset(self._of(q).identity) for p, q in zip(parts, queries, strict=True))
        alike = all(len(p.order) == len(parts[0].order) and len(p.known) == len(known) for p in parts) and not single
        ordered = len(parts[0].order) if isinstance(operation, Mixed) and alike else 0
        return Together(self._pattern.name, parts, known, ordered, isinstance(operation, Mixed))

    def need(self, read: Get[Any] | Query[Any], *, strong: bool, alone: bool = True) -> Need:
        facts = self._of(read)
        if read.index is not None:
            raise PatternError(
                f"{self._what} names the index {read.index!r}, and a design has none yet.", hint="Leave .via(...) out."
            )
        selection = select(self._what, read.entity, read.conditions, facts.fields)
        order = self._order(read, selection)
        for name in [*selection.fields, *order]:
            self._refuse_unkeyable(facts, name)
        for name in order:
            if name in facts.optional and name not in selection.ranges:
                raise PatternError(
                    f"{self._what} is sorted by {name!r}, which a {facts.name} may not have.",
                    hint=f"Make {name} required, or ask for it: {facts.name}.{name} >= ....",
                )
        descending = isinstance(read, Query) and read.descending
        if alone and descending and not order:
            raise self._in_no_order(read)
        if isinstance(read, Get):
            self._about_one(facts, selection)
        return Need(
            patterns=(self._pattern.name,),
            entity=facts.name,
            known=frozenset(selection.equal.keys() | selection.among.keys()),
            constants=tuple((n, s.constant) for n, s in sorted(selection.equal.items()) if _writable(s.constant)),
            listed=frozenset(selection.among),
            order=order,
            ranged=bool(selection.ranges),
            whole=isinstance(read, Get),
            strong=strong,
            sources=dict(_sources(selection)),
            readings=self._readings(facts, read, selection, strong=strong),
            takes=_takes(read, facts),
        )

    def _readings(
        self, facts: EntityFacts, read: Get[Any] | Query[Any], selection: Selection, *, strong: bool
    ) -> tuple[Reading, ...]:
        if not self._expected.rate:
            return ()
        return (
            Reading(
                pattern=self._pattern.name,
                rate=self._expected.rate,
                results=1 if isinstance(read, Get) else self._expected.results or USUAL_RESULTS,
                size=facts.size,
                held=facts.expected.at_most(frozenset(selection.equal.keys() | selection.among.keys())),
                filtered=isinstance(read, Query) and bool(read.filters),
                strong=strong,
            ),
        )

    def _of(self, read: Any) -> EntityFacts:
        facts = self._facts.get(read.entity)
        if facts is None:
            name = read.entity.__name__
            raise PatternError(
                f"{self._what} reads {name}, which is no entity of this design.", context={"missing_entity": name}
            )
        return facts

    def _order(self, read: Get[Any] | Query[Any], selection: Selection) -> tuple[str, ...]:
        ranged = list(selection.ranges)
        order = tuple(n for n in getattr(read, "order", ()) if n not in selection.equal)
        if len(ranged) > 1:
            raise PatternError(
                f"{self._what} has ranges over {' and '.join(ranged)}, and a key has one.",
                hint="Keep one, and move the others into .filter(...), which reads and then drops.",
            )
        if ranged and order and order[0] != ranged[0]:
            raise PatternError(
                f"{self._what} is sorted by {order[0]!r}, but has a range over {ranged[0]!r}: a key that serves the range "
                f"sorts by {ranged[0]!r} first.",
                hint="Move the range into .filter(...), or sort in Python.",
            )
        if isinstance(read, Get) and ranged:
            raise PatternError(f"{self._what} gets one item by a range.", hint="Use query().")
        return order or tuple(ranged)

    def _refuse_unkeyable(self, facts: EntityFacts, name: str) -> None:
        if name not in facts.shares:
            raise PatternError(
                f"{self._what} selects or sorts by {facts.name}.{name}, which has a type or a name that cannot stand in a key.",
                hint=f"{TYPES[0].upper()}{TYPES[1:]}, or move the condition into .filter(...), which reads and then drops.",
            )

    def _in_no_order(self, read: Any) -> PatternError:
        return PatternError(
            f"{self._what} is newest first, but does not say by which field.",
            hint=f"Add .sorted_by({read.entity.__name__}....) to its query.",
        )

    def _about_one(self, facts: EntityFacts, selection: Selection) -> None:
        known = selection.equal.keys()
        if not any(known >= set(rule) for rule in (facts.identity, *facts.unique)):
            fields = ", ".join(sorted(known)) or "nothing"
            self.hints.append(
                f"{self._pattern.name}() gets one {facts.name} by {fields}, and nothing says that there is only one: add "
                f"unique=[...] to {facts.name}, or use query()."
            )


def _takes(read: Get[Any] | Query[Any], facts: EntityFacts) -> frozenset[str] | None:
    if read.view is None:
        return None
    filtered = [leaf.field for condition in getattr(read, "filters", ()) for leaf in condition.leaves()]
    return frozenset(name for name in (*read.view.model_fields, *filtered) if name in facts.fields)


def _writable(constant: Any) -> bool:
    """Whether a constant can be written into the condition of a sparse index as it stands."""
    return constant is not UNKNOWN and isinstance(constant, str | int | Enum)


def _sources(selection: Selection) -> Iterator[tuple[str, str]]:
    """In the order of the conditions, so that keys read as the pattern does."""
    for name, source in selection.equal.items():
        yield name, f"={source.constant!r}" if source.constant is not UNKNOWN else source.name
    for name, listed in selection.among.items():
        yield name, f"in {listed.name}"
