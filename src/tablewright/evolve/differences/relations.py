"""Recorded relationships, compared: how each is stored, which fields are copied, and which links are written twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.evolve.differences.changes import Change, Impact
from tablewright.evolve.differences.renames import Renames
from tablewright.evolve.differences.structure import RelationshipDescription
from tablewright.model.relationships import Cardinality

_WIDTH: tuple[Cardinality, ...] = ("1:1", "1:N", "M:N")
_BESIDE = "Store it both ways, fill the new one for all items, switch the readers, then stop writing the old one."


def compare_relationships(
    old: tuple[RelationshipDescription, ...], new: tuple[RelationshipDescription, ...], renames: Renames
) -> Iterator[Change]:
    """What differs in the relationships."""
    known = [_renamed(r, renames) for r in old]
    before = [r for r in known if r not in new]
    after = [r for r in new if r not in known]
    for now in after:
        was = next((r for r in before if (r.source, r.target) == (now.source, now.target)), None)
        if was is None:
            yield _added(now)
        else:
            before.remove(was)
            yield from _compare(was, now)
    for was in before:
        yield _removed(was)


def _renamed(r: RelationshipDescription, renames: Renames) -> RelationshipDescription:
    def fields(pairs: Mapping[str, str], own: str, theirs: str) -> dict[str, str]:
        return {renames.field(own, n): renames.field(theirs, of) for n, of in pairs.items()}

    link = r.via or r.source
    return RelationshipDescription(
        source=renames.name(r.source),
        target=renames.name(r.target),
        cardinality=r.cardinality,
        strategy=r.strategy,
        field=None if r.field is None else renames.field(r.source, r.field),
        copies=fields(r.copies, r.source, r.target),
        by=fields(r.by, r.source, r.target),
        found_by=r.found_by,
        via=None if r.via is None else renames.name(r.via),
        ends=(fields(r.ends[0], link, r.source), fields(r.ends[1], link, r.target)),
        mirror=None if r.mirror is None else renames.name(r.mirror),
    )


def _added(now: RelationshipDescription) -> Change:
    subject = f"the relationship {now}"
    if now.mirror is not None and now.via is not None:
        text = f"is new; links that are there have no item of {now.mirror} yet"
        return Change("relationship-added", "backfill", subject, text, _again(now.via), (now.via,))
    if now.copies:
        text = f"is new; {_fields(now)} of items that are there may hold anything"
        return Change("relationship-added", "backfill", subject, text, _refresh(now), (now.source,))
    return Change("relationship-added", "additive", subject, f"is recorded now, as {now.strategy}")


def _removed(was: RelationshipDescription) -> Change:
    subject = f"the relationship {was}"
    if was.mirror is not None and was.via is not None:
        text = f"is gone; links are not written to {was.mirror} any more, and readers of those miss them"
        remedy = f"Stop reading {was.mirror} first."
        return Change("relationship-removed", "breaking", subject, text, remedy, (was.via, was.mirror))
    if was.copies:
        text = f"is gone; {_fields(was)} are not refreshed any more, and show old values"
        return Change("relationship-removed", "breaking", subject, text, "Stop reading them first.", (was.source,))
    return Change("relationship-removed", "additive", subject, "is not recorded any more")


def _compare(was: RelationshipDescription, now: RelationshipDescription) -> Iterator[Change]:
    subject, entities = f"the relationship {now}", (now.source,)
    if was.cardinality != now.cardinality:
        wider = _WIDTH.index(now.cardinality) > _WIDTH.index(was.cardinality)
        impact: Impact = "additive" if wider else "backfill"
        text = f"is {now.cardinality}, and was {was.cardinality}" + ("" if wider else ": some items may not fit it")
        remedy = "" if wider else "Look for items that no longer fit, and change them first."
        yield Change("cardinality-changed", impact, subject, text, remedy, () if wider else entities)
    stored = [
        (name, getattr(was, name), getattr(now, name))
        for name in ("strategy", "field", "via")
        if getattr(was, name) != getattr(now, name)
    ]
    if stored:
        said = [f"{name} {after or 'none'} instead of {before or 'none'}" for name, before, after in stored]
        text = f"is stored otherwise: {', '.join(said)}"
        yield Change("relationship-stored-otherwise", "breaking", subject, text, _BESIDE, entities)
    elif was.ends != now.ends:
        text = "names its ends by other fields of the links: those that are there are read otherwise"
        yield Change("relationship-ends-changed", "breaking", subject, text, _BESIDE, (now.via or now.source,))
    yield from _compare_mirrors(was, now, subject)
    yield from _compare_copies(was, now, subject)


def _compare_mirrors(was: RelationshipDescription, now: RelationshipDescription, subject: str) -> Iterator[Change]:
    if was.mirror == now.mirror:
        return
    via = now.via or was.via or now.source
    if was.mirror is not None:
        text = f"is not written to {was.mirror} any more; readers of those miss the links"
        yield Change("mirror-removed", "breaking", subject, text, f"Stop reading {was.mirror} first.", (was.mirror,))
    if now.mirror is not None:
        text = f"is written to {now.mirror} too; links that are there have no item of it yet"
        yield Change("mirror-added", "backfill", subject, text, _again(via), (via,))


def _compare_copies(was: RelationshipDescription, now: RelationshipDescription, subject: str) -> Iterator[Change]:
    entities = (now.source,)
    more = {field for field, of in now.copies.items() if was.copies.get(field) != of}
    less = {field for field in was.copies if field not in now.copies}
    if more:
        text = f"keeps {', '.join(sorted(more))} as a copy; items that are there may hold anything"
        yield Change("copies-added", "backfill", subject, text, _refresh(now), entities)
    if less:
        text = f"does not refresh {', '.join(sorted(less))} any more; readers see old values"
        yield Change("copies-removed", "breaking", subject, text, "Stop reading them first.", entities)
    if was.by != now.by and was.copies and now.copies:
        text = "finds what is copied by other fields"
        yield Change("copies-by-changed", "backfill", subject, text, _refresh(now), entities)
    if was.found_by != now.found_by and was.copies and now.copies:
        text = f"finds copies with {now.found_by or 'no pattern'}, and did with {was.found_by or 'none'}"
        impact: Impact = "additive" if now.found_by is not None else "breaking"
        yield Change("copies-found-otherwise", impact, subject, text)


def _fields(relationship: RelationshipDescription) -> str:
    return ", ".join(f"{relationship.source}.{name}" for name in relationship.copies)


def _refresh(relationship: RelationshipDescription) -> str:
    return f"Run refresh_copies() over all items of {relationship.target}."


def _again(via: str) -> str:
    return f"Put all items of {via} again with the new model, which writes both."
