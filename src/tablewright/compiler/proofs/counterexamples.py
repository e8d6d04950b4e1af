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
from tablewright.compiler.proofs.asking import Attempt, Reader, encoded
from tablewright.compiler.proofs.matching import Chosen, chosen_values, completions, matches, pairs, suggest
from tablewright.compiler.proofs.samples import Choices
from tablewright.compiler.reasons import Counterexample, ExampleItem, Reason
from tablewright.compiler.sortkeys import NativeSort, TemplateSort
from tablewright.values.types import Item

_MOST_MATCHES = 40


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
                key, same = encoded(keys, one), encoded(other_keys, other)
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

    def items(self, chosen: Chosen, choices: Choices) -> Iterator[tuple[Chosen, Item]]:
        """Items with these values, each with all of them and its key there."""
        if self.unique is not None:
            found: Iterable[Chosen] = chosen_values(sorted(self.unique.fields), chosen, choices)
        else:
            found = completions(self.plan, self.binding, chosen, choices)
        for values in found:
            key = encoded((*self.pk, *self.sk), values)
            if key is not None:
                yield values, key


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
        mine, theirs = attempt.choices(), Choices(rival.plan)
        wanted = pairs(path.pk, rival.pk) + pairs(path.sk, rival.sk, beginning=None if whole else count)
        if isinstance(served.sort, NativeSort) and not whole:
            wanted += pairs(served.sort.fixed, rival.sk)
        # A range may follow on what is fixed, and both must lie in it.
        native = isinstance(served.sort, NativeSort)
        suggest(pairs(path.sk, rival.sk, beginning=None if native else count + 1), mine, theirs)
        reader = Reader(served, attempt.selection, mine)
        for one, other in itertools.islice(matches(wanted, mine, theirs), _MOST_MATCHES):
            for asked, key, arguments in reader.asking(one):
                for values, met in itertools.islice(rival.items(other, theirs), _MOST_MATCHES):
                    if reader.reads(arguments, met):
                        written = {name: _written(value) for name, value in arguments.items()}
                        said = ", ".join(f"{name}={value}" for name, value in written.items())
                        items = (_shown(plan.name, plan, asked, key), _shown(rival.name, rival.plan, values, met))
                        text = f"With {said} the read would bring both." if said else "The read would bring both."
                        return Counterexample(items, text, written)
    return None


# ------------------------------------------------------------------------------------- what an index does not hold


def _projection(reason: Reason, attempt: Attempt) -> Counterexample | None:
    path, plan = attempt.path, attempt.path.plan
    values = next(completions(plan, path.binding, {}, attempt.choices()), None)
    index = path.index
    if values is None or index is None:
        return None
    keys = (*path.pk, *path.sk, plan.pk, *([] if plan.sk is None else [plan.sk]))
    key = encoded(keys, values)
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
    choices = attempt.choices()
    nothing: list[Chosen] = [
        {name: None} for name in reason.fields if plan.sources[name].nullable and name not in attempt.selection.fields
    ]
    for chosen in (*nothing, {}):
        values = next(completions(plan, path.binding, chosen, choices, held=False), None)
        if values is not None and path.binding is not None:
            key = encoded((plan.pk,) if plan.sk is None else (plan.pk, plan.sk), values)
            if key is not None:
                shown = _shown(plan.name, plan, values, key, also=reason.fields)
                return Counterexample((shown,), f"It is not in {path.name}.")
    return None


# ------------------------------------------------------------------------------------------------------------ showing


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
