"""TW409: a read that is in a hurry takes several requests, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.proofs.bounds import PAGE
from tablewright.compiler.reads import CollectionPlan, QueryPlan
from tablewright.lint.design import Design, Read
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class ManyRoundTrips(Rule):
    """A read that is in a hurry takes several requests, one after the other.

    One request reads 1 MB at most, and the next can only be asked for when it was answered. A collection is read as a
    whole, so one of several MB takes as many requests in a row, however little of it is shown. Reported where expect()
    says `latency_ms` of the pattern, and by `per`, `items`, `results` and `size` more than 1 MB is read. Page it with a
    query, keep what is large in items of their own, or read the parts when they are looked at.

    Bad:

    ```python
    from dataclasses import dataclass

    from tablewright import Collection, Entity, Keys, Table, collect, many, one, query

    clinic = Table("Clinic")


    class Pet(Entity, table=clinic):
        keys = Keys("PET#{pet_id}", "PET")
        pet_id: str


    class Visit(Entity, table=clinic):
        keys = Keys("PET#{pet_id}", "VISIT#{visit_id}")
        pet_id: str
        visit_id: str
        notes: str


    @dataclass
    class Record:
        pet: Pet | None
        visits: list[Visit]


    @clinic.pattern
    def record(pet_id: str) -> Collection[Record]:
        return collect(
            Record,
            pet=one(query(Pet, Pet.pet_id == pet_id)),
            visits=many(query(Visit, Visit.pet_id == pet_id)),
        )


    clinic.expect(Pet, items=10_000, size=300)
    clinic.expect(Visit, size=20_000, per={"pet_id": 200})
    clinic.expect(record, latency_ms=50)
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    clinic = Table("Clinic")


    class Visit(Entity, table=clinic):
        keys = Keys("PET#{pet_id}", "VISIT#{visit_id}")
        pet_id: str
        visit_id: str
        notes: str


    @clinic.pattern
    def visits_of(pet_id: str) -> Query[Visit]:
        return query(Visit, Visit.pet_id == pet_id)


    clinic.expect(Visit, size=20_000, per={"pet_id": 200})
    clinic.expect(visits_of, latency_ms=50, results=20)
    ```
    """

    code = "TW409"
    name = "many-round-trips"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        told: set[str] = set()
        for read in design.reads:
            expected = design.expectations.of_pattern(read.pattern.name)
            size = _bytes(design, read) if expected.latency_ms is not None else None
            if size is None or size <= PAGE or read.pattern.name in told:
                continue
            told.add(read.pattern.name)
            yield Found(
                design.about_pattern(read.pattern),
                f"The pattern {read.pattern.name}() reads {size / PAGE:,.1f} MB, in {-(-size // PAGE)} requests one after the "
                f"other, and should be answered in {expected.latency_ms:g} milliseconds.",
                "Page it with a query, or keep what is large in items of their own; or say with expect() that less is read.",
                also=(read.plan.entity,),
            )


def _bytes(design: Design, read: Read) -> int | None:
    """Bytes that one partition gives for a read, by what was said; None where that is not enough."""
    results = design.expectations.of_pattern(read.pattern.name).results
    whole = read.whole
    if isinstance(whole, CollectionPlan):
        parts = [part for part in whole.parts if part.many]
        if not parts:
            return None
        sizes = [_part(design, part.query, None) for part in parts]
        known = sum(size for size in sizes if size is not None) if None not in sizes else None
        if results is None:
            return known
        # What is expected of all parts together is given to the largest items.
        usual = results * max(design.expectations.of(part.query.plan.entity).size or 0 for part in parts)
        return usual if known is None else min(known, usual)
    return _part(design, whole, results) if isinstance(whole, QueryPlan) else None


def _part(design: Design, query: QueryPlan, results: int | None) -> int | None:
    expected = design.expectations.of(query.plan.entity)
    served = query.served
    most = expected.at_most(frozenset(served.known), served.path.index_name)
    limits = [n for n in (most, results if not query.filters else None, query.page_limit) if n is not None]
    if expected.size is None or not limits or served.complete:
        return None
    return min(limits) * expected.size
