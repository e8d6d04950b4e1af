"""Reads that no key can serve, however many indexes there are: why, and what to change in the design."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from tablewright.errors import PatternError
from tablewright.synth.facts import EntityFacts
from tablewright.synth.needs import Need, Together, Wanted, begun, called, listed
from tablewright.synth.placing import places, shards_of
from tablewright.synth.refusals import Refusals
from tablewright.synth.shapes import fit
from tablewright.values.sizes import PARTITION_WRITES


def refuse_never(facts: Iterable[EntityFacts], wanted: Wanted, refusals: Refusals) -> None:
    """Notes the reads that cannot be served even if there were no others."""
    for one in facts:
        singles = [need for need in wanted.singles if need.entity == one.name]
        never = [n for n in singles if all(fit(one, [n], [], base=base) is None for base in (True, False))]
        for need in never:
            refusals.add(called(need.patterns[0]), _never(need, one))
        strong = [need for need in singles if need.strong]
        if strong and not never and fit(one, strong, [], base=True) is None:
            names = listed([called(n.patterns[0]) for n in strong])
            error = PatternError(
                f"{one.name}: the consistent reads {names} cannot all be served by the table's key.",
                hint=f"Only the table's key has consistent reads: {_of_heat(one, strong)}leave .consistent() out of some of "
                "them.",
            )
            refusals.add(called(strong[0].patterns[0]), error)
        for part in (part for group in wanted.together for part in group.parts):
            if part.entity == one.name and part.strong and fit(one, [part], [], base=True) is None:
                unsettled = list(_unsettled(one, part))
                if unsettled:
                    refusals.add(called(part.patterns[0]), _not_by_table(part, unsettled))


def refuse_together(facts: Mapping[str, EntityFacts], groups: Sequence[Together], refusals: Refusals) -> None:
    """Notes why reads of several entities cannot be served, each of which could be alone."""
    hot = [g for g in groups if not g.merged and all(n > 1 for n in _shards(g, facts))]
    for group in hot:
        refusals.add(called(group.parts[0].patterns[0]), _too_hot(group, facts))
    if hot:
        return
    reads = list(dict.fromkeys(called(group.parts[0].patterns[0]) for group in groups))
    what = begun(
        f"{listed(reads)} cannot be served" if reads else f"the reads of {listed(list(facts))} cannot be served"
    )
    error = PatternError(
        f"{what} by one request each.",
        hint="Parts of one collect() must be found by the same values; read them in two patterns otherwise.",
    )
    refusals.add(reads[0] if reads else "", error)


def _shards(group: Together, facts: Mapping[str, EntityFacts]) -> list[int]:
    return [shards_of(group, place.partition, facts) for place in places(group, 1, facts)]


def _too_hot(group: Together, facts: Mapping[str, EntityFacts]) -> PatternError:
    """A collection is one partition, and that takes so much and no more."""
    names = ", ".join(part.entity for part in group.parts)
    what = begun(f"{called(group.parts[0].patterns[0])} reads {names} from one partition")
    return PatternError(
        f"{what}, which takes {PARTITION_WRITES:,} write units a second; by what is expected of them, the busiest would need "
        f"{min(_shards(group, facts))}.",
        hint="Let all of them know one more field with many values; or join the queries with | instead of collect(), so that "
        "shards are merged; or say with expect(Order.customer_id, distinct=..., hottest=...) how the traffic is spread.",
    )


def _of_heat(facts: EntityFacts, needs: Sequence[Need]) -> str:
    """Whether the table's key would serve these reads if less were written; in words to go on from, and none if not."""
    quiet = replace(facts, expected=replace(facts.expected, writes=None))
    if fit(quiet, needs, [], base=True) is None:
        return ""
    return (
        f"it is not spread over shards, and by what is expected one partition of it would take more than {PARTITION_WRITES:,} "
        "write units a second; "
    )


def _never(need: Need, facts: EntityFacts) -> PatternError:
    if need.strong:
        unsettled = list(_unsettled(facts, need))
        if unsettled:
            return _not_by_table(need, unsettled)
    what = begun(f"{called(need.patterns[0])} reads {need.entity} {need}, which no key can serve.")
    if need.strong:
        return PatternError(
            what,
            hint=f"It is consistent, so the table's key must serve it; {_of_heat(facts, [need])}leave .consistent() out.",
        )
    return PatternError(what, hint="Fields that may be missing cannot be sorted by unless they are asked for.")


def _not_by_table(need: Need, unsettled: Sequence[str]) -> PatternError:
    """A read that only the table's key could serve, which is made of what never changes and is always there."""
    read = need.patterns[0]
    otherwise = "; otherwise leave .consistent() out" if read.isidentifier() else ""
    why = "It is consistent" if read.isidentifier() else "An item collection lies in the table"
    return PatternError(
        begun(f"{called(read)} reads {need.entity} {need}, which the table's key cannot serve."),
        hint=f"{why}, so the table's key must serve it, and that is made of what never changes, is always there, and writers "
        f"hold. {' '.join(unsettled[:-1])}{' ' if unsettled[1:] else ''}{unsettled[-1]}{otherwise}.",
    )


def _unsettled(facts: EntityFacts, need: Need) -> Iterator[str]:
    """Why fields cannot stand in the table's key, and what would mend it; the last sentence is still to be ended."""
    asked = [name for name in facts.fields if name in need.known or name in need.order]
    loose = [name for name in asked if name not in facts.fixed]
    absent = [name for name in asked if name in facts.optional]
    unheld = [name for name in asked if name in facts.fixed - facts.optional - facts.settled]
    sentences = [f"{name} can change: if it never does, write {name}: ... = Field(frozen=True)" for name in loose]
    sentences += [f"{name} may be missing: make it required" for name in absent]
    sentences += [f"{name} is not among handles=: name it there" for name in unheld]
    yield from (f"{sentence}." if sentence is not sentences[-1] else sentence for sentence in sentences)
