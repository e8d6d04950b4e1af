"""Why a proposal is as it is, in sentences: what each key is for, why no fewer indexes do, what was rejected and its price."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.plan import TablePlan
from tablewright.cost.entities import EntityCost
from tablewright.cost.estimating import Estimate
from tablewright.synth.entity_search import Effort, EntitySearch, Keyed
from tablewright.synth.facts import DIGITS, EntityFacts
from tablewright.synth.identities import wider_key
from tablewright.synth.markers import by_marker
from tablewright.synth.naming import KeyText, Named
from tablewright.synth.native import native_index
from tablewright.synth.needs import Need, Wanted, begun, called, known_by, listed
from tablewright.synth.search import Solution
from tablewright.synth.shapes import Demand, Shape, fit
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES
from tablewright.wording import counted


class Explained(Struct, frozen=True):
    """The reasons behind a proposal."""

    choices: tuple[str, ...]
    rejected: tuple[str, ...]
    alternatives: tuple[str, ...]
    hints: tuple[str, ...]
    """What the design should say, and what to look at."""


def explain(
    facts: Sequence[EntityFacts],
    wanted: Wanted,
    solution: Solution,
    named: Named,
    composed: Mapping[str, str],
    estimated: Estimate,
    hot: Sequence[str],
    plan: TablePlan,
    held: Mapping[str, Sequence[str]],
) -> Explained:
    """All reasons, entity by entity. `composed` are those for indexes that could not be made of own attributes; `estimated`
    is what the proposed model costs, `hot` what is to be said of its busy partitions, `plan` its plan, `held` what indexes hold that do not hold all."""
    costs = {cost.name: cost for cost in estimated.entities}
    choices: list[str] = []
    rejected = list(_rejected(facts, solution))
    alternatives: list[str] = []
    hints = [*wanted.hints, *hot]
    for one in facts:
        for key in named[one.name]:
            choices.append(_choice(one, key, costs[one.name]))
            hints.extend(_cautions(one, key))
            wider = wider_key(one, key)
            if wider is not None:
                hints.append(wider.caution)
                alternatives.append(wider.alternative)
        alternatives.extend(_other_base(one, wanted, solution))
        alternatives.extend(_beside_parent(one, facts, wanted, solution))
        entity = next(planned for planned in plan.entities.values() if planned.name == one.name)
        for key in named[one.name]:
            alternatives.extend(by_marker(one, key, entity, _month(one, key.shape.month)))
    for index, names in held.items():
        choices.append(
            f"{index} holds {listed(names) if names else 'nothing'} beside its keys: its patterns take no more."
        )
    rejected.extend(_why_so_many(facts, wanted, solution))
    rejected.extend(f"{index} of an entity's own attributes: {why.rstrip('.')}." for index, why in composed.items())
    alternatives.extend(_multi_attribute(facts, named, solution, composed))
    return Explained(tuple(choices), tuple(rejected), tuple(alternatives), tuple(dict.fromkeys(hints)))


def _choice(facts: EntityFacts, key: KeyText, cost: EntityCost) -> str:
    where = key.index or "the table"
    reads = list(dict.fromkeys(called(name) for need in key.shape.needs for name in need.patterns))
    words = f"{facts.name} on {where}: {key.pk}" + (f" / {key.sk}" if key.sk else "")
    words += ", its own attributes" if key.native is not None else ""
    words += f", for {', '.join(reads)}" if reads else ", its identity, which no pattern reads by"
    if key.shape.literal:
        words += "; what it shares with others comes before its name, so that one range holds all of them"
    if key.index is not None:
        moves = ", twice where its key changes (a delete and an insert)" if key.shape.fields - facts.fixed else ""
        words += f"; its copy takes {_units(cost, key.index)}{moves}"
    if key.shape.when:
        fields = ", ".join(f"{name} = {value}" for name, value in key.shape.when)
        words += f"; sparse, since its reads ask for {fields} only"
    if key.shard is not None:
        words += (
            f"; spread over {key.shape.shards} partitions, since one takes {PARTITION_WRITES:,} write units and "
            f"{PARTITION_READS:,} read units a second, and should keep some of them free"
        )
    return words + "."


def _units(cost: EntityCost, index: str) -> str:
    """The write units of a copy, as `tablewright cost` tells them."""
    units = cost.create.indexes[index]
    if cost.writes is not None:
        return f"{counted(units * cost.writes, 'write unit')} a second"
    return f"{counted(units, 'write unit')} for each write"


def _month(facts: EntityFacts, month: float) -> str:
    """A month's price; where nobody said how much is written, it is that of one write a second."""
    rate = " at one write a second" if facts.expected.writes is None else ""
    return f"{month:,.2f} {facts.prices.currency} a month{rate}"


def _cautions(facts: EntityFacts, key: KeyText) -> Iterator[str]:
    for name in key.shape.sort:
        if key.native is None and facts.unbounded(name):
            yield (
                f"{facts.name}.{name} does not say how large it can be, so it has {DIGITS} digits in keys, which hold 64 bits: "
                "declare Field(ge=..., le=...) for fewer."
            )


def _rejected(facts: Sequence[EntityFacts], solution: Solution) -> Iterator[str]:
    """For reads on an index, why the table's key does not serve them."""
    reasons: dict[tuple[str, int, str], list[str]] = {}
    for one in facts:
        base, *indexes = solution.keyed[one.name].shapes
        assert base is not None
        for slot, shape in enumerate(indexes, 1):
            for need in shape.needs if shape is not None else ():
                why = _not_by_table(one, base, need)
                if why is not None:
                    names = reasons.setdefault((called(need.patterns[0]), slot, why), [])
                    names.extend([one.name] if one.name not in names else [])
    for (read, slot, why), names in reasons.items():
        yield begun(f"{read} of {listed(names)} by the table's key: {why}; it reads GSI{slot}.")


def _not_by_table(facts: EntityFacts, base: Shape, need: Need) -> str | None:
    if fit(facts, [need], [], base=True) is None:
        return _unfit(facts, need)
    apart = [n for n in base.needs if fit(facts, [n, need], [], base=True) is None]
    return f"that serves {called(apart[0].patterns[0])}, and no key serves both" if apart else None


def _unfit(facts: EntityFacts, need: Need) -> str:
    """Why a read cannot be the table's: its key is made of what never changes, is always there, and writers hold."""
    asked = [name for name in facts.fields if name in need.known or name in need.order]
    loose = [name for name in asked if name not in facts.fixed]
    absent = [name for name in asked if name in facts.fixed and name in facts.optional]
    unheld = [name for name in asked if name in facts.fixed - facts.optional - facts.settled]
    told = [f"{listed(loose)} can change"] if loose else []
    told += [f"{listed(absent)} may be missing"] if absent else []
    told += [f"writers do not hold {listed(unheld)}"] if unheld else []
    if told:
        return ", and ".join(told)
    if need.whole:
        return f"get() by {listed(sorted(need.known))} leaves no room for the identity, {listed(facts.identity)}"
    return "its partitions would be few"


def _why_so_many(facts: Sequence[EntityFacts], wanted: Wanted, solution: Solution) -> Iterator[str]:
    """Why one index fewer does not do: the reads of one entity that share no key, two by two."""
    if not solution.indexes:
        return
    for one in facts:
        needs = [n for n in wanted.singles if n.entity == one.name]
        needs += [part for group in wanted.together for part in group.parts if part.entity == one.name]
        apart = _apart(one, needs)
        if len(apart) > solution.indexes:
            names = listed([called(n.patterns[0]) for n in apart])
            fewer = "no index at all" if solution.indexes == 1 else f"fewer than {solution.indexes} indexes"
            yield (
                f"{fewer.capitalize()}: no two of {names} can share a key of {one.name}, so that these alone need the table's "
                f"and {len(apart) - 1} more."
            )
            return


def _apart(facts: EntityFacts, needs: Sequence[Need]) -> list[Need]:
    """The largest set of reads of which no two share a key."""

    def share(one: Need, other: Need) -> bool:
        return any(fit(facts, [one, other], [], base=base) is not None for base in (True, False))

    conflicts = {(a, b) for a, b in itertools.combinations(range(len(needs)), 2) if not share(needs[a], needs[b])}
    for size in range(min(len(needs), 8), 1, -1):
        for chosen in itertools.combinations(range(len(needs)), size):
            if all(pair in conflicts for pair in itertools.combinations(chosen, 2)):
                return [needs[n] for n in chosen]
    return []


def _other_base(facts: EntityFacts, wanted: Wanted, solution: Solution) -> Iterator[str]:
    """Another table key that costs as little: by its own id, or beside its parent."""
    keyed = solution.keyed[facts.name]
    if any(p.entity == facts.name for g in wanted.together for p in g.parts):
        return
    needs = [n for n in wanted.singles if n.entity == facts.name]
    base = keyed.shapes[0]
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for need in needs:
        if base is None or need in base.needs or fit(facts, [need], [], base=True) is None:
            continue
        # Only the table's key has consistent reads, so that is where a consistent one is put.
        pinned = [replace(n, strong=True) if n is need else n for n in needs]
        found = EntitySearch(facts, pinned, [], Effort(10_000)).best(((),) * (solution.indexes + 1))
        other = None if found is None else found.shapes[0]
        if found is None or other is None or (other.partition, other.sort) in seen:
            continue
        seen.add((other.partition, other.sort))
        price = found.cost[0]
        if price <= keyed.cost[0]:
            yield (
                f"{facts.name} could have its table key by {_fields(other)} instead, for {called(need.patterns[0])}: "
                f"{_instead(facts, found, keyed)}. Say handles=[...] to decide."
            )


def _beside_parent(one: EntityFacts, facts: Sequence[EntityFacts], wanted: Wanted, solution: Solution) -> Iterator[str]:
    """A table key of the same fields, whose partition is that of the parent: it serves the same reads as one by the whole
    identity, which spreads them most."""
    base, first = solution.keyed[one.name].shapes[0], one.identity[0]
    if base is None or len(base.partition) < 2 or first not in one.spread.intersection(base.partition):
        return
    if any(p.entity == one.name for g in wanted.together for p in g.parts):
        return
    needs = base.needs or (known_by(one.name, one, {name: name for name in one.identity}, strong=False),)
    other = fit(one, [], [(Demand(number, (first,), ()), need) for number, need in enumerate(needs)], base=True)
    if other is None:
        return
    parent = next((f.name for f in facts if f.identity == (first,) and f is not one), None)
    related = "" if parent is None else f', or relate(Relationship({parent}, {one.name}, "1:N", "item collection"))'
    yield (
        f"{one.name} could have its table key by {_fields(other)} instead, "
        + (f"in the partition of its {parent}" if parent is not None else f"with all of one {first} in one partition")
        + f": it costs the same, and one query would read all {one.name} of one {first}. A pattern that does so decides it"
        f"{related}."
    )


def _instead(facts: EntityFacts, other: Keyed, keyed: Keyed) -> str:
    if other.cost[:2] == keyed.cost[:2]:
        return "it costs the same"
    return f"{_copies(facts, other)} instead of {_copies(facts, keyed)}"


def _copies(facts: EntityFacts, keyed: Keyed) -> str:
    count = sum(shape is not None for shape in keyed.shapes[1:])
    if not count:
        return "no copy in an index"
    return f"{count} index {'copy' if count == 1 else 'copies'} for {_month(facts, keyed.cost[0])}"


def _fields(shape: Shape) -> str:
    sort = f" / {', '.join(shape.sort)}" if shape.sort else ""
    return f"{', '.join(shape.partition)}{sort}"


def _multi_attribute(
    facts: Sequence[EntityFacts], named: Named, solution: Solution, composed: Mapping[str, str]
) -> Iterator[str]:
    """Indexes that one entity has to itself, and that could be made of its own attributes."""
    by_name = {one.name: one for one in facts}
    for index in (f"GSI{number}" for number in range(1, solution.indexes + 1)):
        changed, _ = native_index(index, named, by_name)
        if changed is None or index in composed:
            continue
        name, key = next((n, k) for n, keys in changed.items() for k in keys if k.index == index)
        if not any(k.native is not None for k in named[name] if k.index == index):
            yield (
                f"{index} holds {name} only, and could be made of its own attributes, {key.pk}"
                + (f" and {key.sk}" if key.sk else "")
                + ": see --multi-attribute."
            )
