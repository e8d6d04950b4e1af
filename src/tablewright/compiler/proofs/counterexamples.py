"""Made-up items that show why something was refused. Each is verified: its keys are encoded, and the request is held
against them, before it is shown. Where a proof is more careful than any two items can show, there is none."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import Struct

from tablewright.compiler.collisions import key_pairs
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding, UniquePlan
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.paths import KeyPath, key_paths
from tablewright.compiler.proofs.matching import Chosen, completed, matches, pairs
from tablewright.compiler.proofs.samples import Choices
from tablewright.compiler.queries import Refusal, serve_by
from tablewright.compiler.reasons import Counterexample, ExampleItem, Reason
from tablewright.compiler.selection import UNKNOWN, Selection
from tablewright.compiler.served import Served
from tablewright.compiler.sortkeys import TemplateSort
from tablewright.errors import TablewrightError
from tablewright.expressions.ast import And
from tablewright.expressions.evaluating import evaluate
from tablewright.values.types import Item

_MOST_MATCHES = 200


class Attempt(Struct, frozen=True, eq=False):
    """A read by one key, as far as it comes when nobody else is there."""

    path: KeyPath
    selection: Selection
    needs: frozenset[str] | None
    chosen: bool
    strong: bool
    whole_key: bool

    def served(self) -> Served | None:
        """The read itself; None where the key cannot serve it for another reason."""
        try:
            return serve_by(
                self.path,
                self.selection,
                (),
                self.needs,
                chosen=self.chosen,
                strong=self.strong,
                whole_key=self.whole_key,
            )
        except Refusal:
            return None


def counterexample(reason: Reason, attempt: Attempt, others: Iterable[EntityPlan]) -> Counterexample | None:
    """Items that show the reason, where items can."""
    match reason.kind:
        case "neighbours":
            return _neighbour(reason, attempt, others)
        case "projection":
            return _projection(reason, attempt)
        case "sparse":
            return _left_out(reason, attempt)
    return None


def collision(plan: EntityPlan, others: Iterable[EntityPlan]) -> Counterexample | None:
    """Two items with the same primary key, one of them of this entity."""
    mine = [(plan, what, keys) for what, keys in key_pairs(plan)]
    rivals = [(other, what, keys) for other in others for what, keys in key_pairs(other)]
    for position, (_, what, keys) in enumerate(mine):
        for owner, other_what, other_keys in (*mine[:position], *rivals):
            left, right = Choices(plan), Choices(owner)
            for one, other in itertools.islice(matches(pairs(keys, other_keys), left, right), _MOST_MATCHES):
                key, same = _encoded(keys, one), _encoded(other_keys, other)
                if key is not None and key == same:
                    items = (_shown(what, plan, one, key), _shown(other_what, owner, other, key))
                    return Counterexample(items, "One would be written over the other.")
    return None


# --------------------------------------------------------------------------------------------------------- neighbours


class _Rival(Struct, frozen=True, eq=False):
    """Somebody whose keys may lie in the range of a read."""

    name: str
    plan: EntityPlan
    pk: tuple[KeyPlan, ...]
    sk: tuple[KeyPlan, ...]
    binding: IndexBinding | None
    unique: UniquePlan | None = None

    def item(self, chosen: Chosen, choices: Choices) -> tuple[Chosen, Item] | None:
        """All its values and its key there."""
        if self.unique is not None:
            values = {n: chosen.get(n, next(iter(choices.of(n)), None)) for n in sorted(self.unique.fields)}
        else:
            found = completed(self.plan, self.binding, chosen, choices)
            if found is None:
                return None
            values = found
        key = _encoded((*self.pk, *self.sk), values)
        return None if key is None else (values, key)


def _rivals(path: KeyPath, others: Iterable[EntityPlan]) -> Iterator[_Rival]:
    for other in others:
        for theirs in key_paths(other):
            if theirs.index_name == path.index_name and other is not path.plan:
                yield _Rival(other.name, other, theirs.pk, theirs.sk, theirs.binding)
        for unique in other.uniques:
            keys = {key.attribute.name: key for key in unique.keys}
            if all(k.attribute.name in keys for k in path.pk + path.sk):
                name = f"the markers of {other.name}'s unique {unique.name}"
                pk, sk = (tuple(keys[k.attribute.name] for k in side) for side in (path.pk, path.sk))
                yield _Rival(name, other, pk, sk, None, unique)


def _neighbour(reason: Reason, attempt: Attempt, others: Iterable[EntityPlan]) -> Counterexample | None:
    served = attempt.served()
    if served is None:
        return None
    path, plan = attempt.path, attempt.path.plan
    count = served.sort.count if isinstance(served.sort, TemplateSort) else 0
    whole = served.sort.complete
    for rival in _rivals(path, others):
        if rival.name != reason.other:
            continue
        mine, theirs = Choices(plan, _fixed(attempt.selection)), Choices(rival.plan)
        wanted = pairs(path.pk, rival.pk) + pairs(path.sk, rival.sk, beginning=None if whole else count)
        for one, other in itertools.islice(matches(wanted, mine, theirs), _MOST_MATCHES):
            asked = completed(plan, path.binding, one, mine)
            met = rival.item(other, theirs)
            if asked is None or met is None:
                continue
            key = _encoded((*path.pk, *path.sk), asked)
            for arguments in _arguments(attempt.selection, asked, mine):
                if key is not None and _reads(served, arguments, key) and _reads(served, arguments, met[1]):
                    written = {name: _written(value) for name, value in arguments.items()}
                    said = ", ".join(f"{name}={value}" for name, value in written.items())
                    items = (_shown(plan.name, plan, asked, key), _shown(rival.name, rival.plan, met[0], met[1]))
                    text = f"With {said} the read would bring both." if said else "The read would bring both."
                    return Counterexample(items, text, written)
    return None


def _fixed(selection: Selection) -> dict[str, list[Any]]:
    """Fields of which the read itself says what they can be."""
    return {name: list(values) for name, values in selection.possible.items()}


def _arguments(selection: Selection, values: Mapping[str, Any], choices: Choices) -> Iterator[dict[str, Any]]:
    """Arguments with which the read asks for these values; for ranges some that may hold them."""
    found = {s.name: values[n] for n, s in selection.equal.items() if s.constant is UNKNOWN}
    found |= {listed.name: [values[n]] for n, listed in selection.among.items()}
    open_names: dict[str, list[Any]] = {}
    for name, tests in selection.ranges.items():
        for source in (s for test in tests for s in test.operands if s.constant is UNKNOWN):
            open_names[source.name] = [values[name], *choices.of(name)]
    for combination in itertools.product(*open_names.values()):
        yield {**found, **dict(zip(open_names, combination, strict=True))}


def _reads(served: Served, arguments: Mapping[str, Any], key: Item) -> bool:
    """Whether the request for these arguments brings an item with this key."""
    try:
        for spot in served.spots(arguments):
            if all(key.get(name) == value for name, value in spot.partition.items()):
                for terms in served.sort.conditions(arguments, spot.values):
                    if not terms or evaluate(And(tuple(terms)), key):
                        return True
    except TablewrightError:
        return False
    return False


# ------------------------------------------------------------------------------------- what an index does not hold


def _projection(reason: Reason, attempt: Attempt) -> Counterexample | None:
    path, plan = attempt.path, attempt.path.plan
    choices = Choices(plan, _fixed(attempt.selection))
    values = completed(plan, path.binding, {}, choices)
    index = path.index
    if values is None or index is None:
        return None
    keys = (*path.pk, *path.sk, plan.pk, *([] if plan.sk is None else [plan.sk]))
    key = _encoded(keys, values)
    held = [*dict.fromkeys([*(k.attribute.name for k in keys), *index.include])]
    if key is None:
        return None
    return Counterexample(
        (_shown(plan.name, plan, values, key),),
        f"{index.name} holds {', '.join(held)} of it, but not {', '.join(reason.fields)}.",
    )


def _left_out(reason: Reason, attempt: Attempt) -> Counterexample | None:
    """An item that the read asks for and the index does not hold."""
    path, plan = attempt.path, attempt.path.plan
    choices = Choices(plan, _fixed(attempt.selection))
    nothing: list[Chosen] = [
        {name: None} for name in reason.fields if plan.sources[name].nullable and name not in attempt.selection.fields
    ]
    for chosen in (*nothing, {}):
        values = completed(plan, path.binding, chosen, choices, held=False)
        if values is not None and path.binding is not None:
            key = _encoded((plan.pk,) if plan.sk is None else (plan.pk, plan.sk), values)
            if key is not None:
                shown = _shown(plan.name, plan, values, key, also=reason.fields)
                return Counterexample((shown,), f"It is not in {path.name}.")
    return None


# ------------------------------------------------------------------------------------------------------------ showing


def _encoded(keys: Iterable[KeyPlan], values: Mapping[str, Any]) -> Item | None:
    try:
        return {key.attribute.name: key.encode(values) for key in keys}
    except (TablewrightError, KeyError):
        return None


def _shown(
    what: str, plan: EntityPlan, values: Mapping[str, Any], key: Item, *, also: tuple[str, ...] = ()
) -> ExampleItem:
    return ExampleItem(
        what,
        {n: _written(values[n]) for n in plan.sources if n in values and (values[n] is not None or n in also)},
        {name: str(next(iter(value.values()))) for name, value in key.items()},
    )


def _written(value: Any) -> str:
    """A value as a reader would write it."""
    return str(value) if isinstance(value, date | Decimal | UUID) else repr(value)
