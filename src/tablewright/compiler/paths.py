"""The keys through which an entity can be reached, and who else may be met there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding, UniquePlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.model.indexes import Index
from tablewright.values.keycodec import BoundTemplate, KeyStyle, KeyTemplate, Verdict, may_begin_alike, may_equal


class KeyPath(Struct, frozen=True, eq=False):
    """The table's own key, or an index."""

    plan: EntityPlan
    pk: tuple[KeyPlan, ...]
    sk: tuple[KeyPlan, ...]
    binding: IndexBinding | None = None

    @property
    def index(self) -> Index | None:
        """The index, or None for the table."""
        return self.binding.index if self.binding is not None else None

    @property
    def index_name(self) -> str | None:
        """The index's name, or None for the table."""
        return self.binding.index.name if self.binding is not None else None

    @property
    def name(self) -> str:
        """For messages."""
        return self.index_name or "the table's key"


def key_paths(plan: EntityPlan) -> Iterator[KeyPath]:
    """The table's key first, then local indexes, then global ones, as they were declared."""
    return iter(_ways(plan).values())


def _ways(plan: EntityPlan) -> dict[str | None, KeyPath]:
    """The same under the names of their indexes, made once: every new entity is held against all that are there."""
    ways: dict[str | None, KeyPath] = plan.ways
    if not ways:
        ways[None] = KeyPath(plan, (plan.pk,), (plan.sk,) if plan.sk is not None else ())
        for local in (True, False):
            for binding in plan.bindings:
                if binding.index.local is local:
                    ways[binding.index.name] = KeyPath(plan, (plan.pk,) if local else binding.pk, binding.sk, binding)
    return ways


# A proof comes in two strengths. Raw values of an adopted table may hold the separator, and then nothing at all can be
# told apart; so what is refused is what could happen even if they never do, and the rest is a warning.


def may_meet(one: BoundTemplate, other: BoundTemplate, *, raw: bool = False) -> Verdict:
    """Whether two templates can give the same text; unless `raw`, taking for granted that values hold no separator."""
    if not _begin_alike(one.head, other.head):  # so for most pairs, and quickly told
        return _APART
    return may_equal(one, other) if raw else may_equal(_honest(one), _honest(other))


_APART = Verdict(False, "They begin with different literals.")


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _may_begin_alike(one: BoundTemplate, other: BoundTemplate, count: int, *, raw: bool) -> Verdict:
    """The same for the first segments of both."""
    return may_begin_alike(one, other, count) if raw else may_begin_alike(_honest(one), _honest(other), count)


def _honest(bound: BoundTemplate) -> BoundTemplate:
    style = bound.style
    if style.strict or style.escape:
        return bound
    honest = KeyStyle.adopted(style.separator, escape=True)
    return BoundTemplate(
        KeyTemplate(bound.template.text, honest, bound.template.segments), bound.codecs, entity=bound.entity
    )


class Rival(Struct, frozen=True, eq=False):
    """Somebody else's keys on the same way: an entity's, or those of the markers of a unique rule."""

    name: str
    plan: EntityPlan
    pk: tuple[KeyPlan, ...]
    sk: tuple[KeyPlan, ...]
    binding: IndexBinding | None = None
    unique: UniquePlan | None = None

    @property
    def first(self) -> KeyPlan | None:
        """The (first) sort key."""
        return self.sk[0] if self.sk else None


class Neighbour(Struct, frozen=True):
    """Somebody whose items may lie where a read looks, and why."""

    rival: Rival
    reason: str

    @property
    def name(self) -> str:
        """Whose items they are."""
        return self.rival.name


def neighbours(
    path: KeyPath, count: int, others: Iterable[EntityPlan], *, complete: bool = False, raw: bool = False
) -> Iterator[Neighbour]:
    """Who else may have items below the first `count` segments of the sort key, or (if `complete`) exactly at it."""
    mine = path.sk[0] if path.sk else None
    start = mine.bound.heads[-1 if complete else count] if isinstance(mine, TemplateKey) else ""
    for rival in _sharing(path, start, others, raw=raw):
        reason = _sort_keys_meet(mine, rival.first, count, complete=complete, raw=raw)
        if reason is not None:
            yield Neighbour(rival, reason)


def taken_parent(path: KeyPath, count: int, others: Iterable[EntityPlan]) -> bool:
    """Whether somebody else's item may stand exactly at the first `count` segments of the sort key."""
    mine = path.sk[0] if path.sk else None
    if not isinstance(mine, TemplateKey) or not count:
        return False
    return any(
        isinstance(rival.first, TemplateKey)
        and len(rival.first.bound.segments) == count
        and bool(_may_begin_alike(rival.first.bound, mine.bound, count, raw=False))
        for rival in _sharing(path, mine.bound.heads[count], others, raw=False)
    )


def _sharing(path: KeyPath, start: str, others: Iterable[EntityPlan], *, raw: bool) -> Iterator[Rival]:
    """Whose items may lie in the same partition, unless the literals of their (first) sort key already rule out that it
    begins with `start`: that is told at a glance, and most pairs of entities differ there."""
    for rival in rivals(path, others):
        if _may_start(rival.first, start) and _partitions_meet(path.pk, rival.pk, raw=raw):
            yield rival


def rivals(path: KeyPath, others: Iterable[EntityPlan]) -> Iterator[Rival]:
    """Everybody else with keys on the same way."""
    for other in others:
        if other is not path.plan:
            theirs = _ways(other).get(path.index_name)
            if theirs is not None:
                yield Rival(other.name, other, theirs.pk, theirs.sk, theirs.binding)
        for unique in other.uniques:
            # Markers have the table's key and nothing else.
            keys = {key.attribute.name: key for key in unique.keys}
            if all(k.attribute.name in keys for k in path.pk + path.sk):
                pk, sk = (tuple(keys[k.attribute.name] for k in side) for side in (path.pk, path.sk))
                yield Rival(markers_of(other, unique), other, pk, sk, None, unique)


def markers_of(plan: EntityPlan, unique: UniquePlan) -> str:
    """How messages call the markers of a unique rule."""
    return f"the markers of {plan.name}'s unique {unique.name}"


def _may_start(sk: KeyPlan | None, start: str) -> bool:
    if not isinstance(sk, TemplateKey):
        return True
    return _begin_alike(sk.bound.head, start)


def _partitions_meet(one: tuple[KeyPlan, ...], other: tuple[KeyPlan, ...], *, raw: bool) -> bool:
    return all(
        not (isinstance(mine, TemplateKey) and isinstance(theirs, TemplateKey))
        or bool(may_meet(mine.bound, theirs.bound, raw=raw))
        for mine, theirs in zip(one, other, strict=True)
    )


def _sort_keys_meet(
    mine: KeyPlan | None, theirs: KeyPlan | None, count: int, *, complete: bool, raw: bool
) -> str | None:
    if not isinstance(mine, TemplateKey) or not isinstance(theirs, TemplateKey):
        return "nothing tells their keys apart"
    if complete:
        verdict = may_meet(theirs.bound, mine.bound, raw=raw)
    elif not count:
        return "the read covers the whole partition"
    elif len(theirs.bound.segments) <= count and not raw:
        return None
    else:
        verdict = _may_begin_alike(theirs.bound, mine.bound, count, raw=raw)
    return verdict.reason.rstrip(".") if verdict else None
