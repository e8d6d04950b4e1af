"""Made-up items that show why something was refused. Each is verified: its keys are encoded, and the request is held
against them, before it is shown. Where a proof is more careful than any two items can show, there is none."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from tablewright.compiler.collisions import key_pairs
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keyparts import pairs
from tablewright.compiler.paths import Rival, rivals
from tablewright.compiler.predicates import compile_predicate
from tablewright.compiler.proofs.asking import Attempt, Reader, encoded
from tablewright.compiler.proofs.matching import Chosen, chosen_values, completions, matches, suggest
from tablewright.compiler.proofs.samples import Choices
from tablewright.compiler.reads import KeyQuery
from tablewright.compiler.reasons import Counterexample, ExampleItem, Reason
from tablewright.compiler.served import Served
from tablewright.compiler.sortkeys import NativeSort, TemplateSort
from tablewright.expressions import ast
from tablewright.model.conditions import AllOf
from tablewright.values.types import Item

_MOST_MATCHES = 40
_MOST_ITEMS = 100


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


def _items(rival: Rival, chosen: Chosen, choices: Choices) -> Iterator[tuple[Chosen, Item]]:
    """Items of the rival's with these values, each with all of them and its key there."""
    if rival.unique is not None:
        found: Iterable[Chosen] = chosen_values(sorted(rival.unique.fields), chosen, choices)
    else:
        found = completions(rival.plan, rival.binding, chosen, choices)
    for values in found:
        key = encoded((*rival.pk, *rival.sk), values)
        if key is not None:
            yield values, key


def _neighbour(reason: Reason, attempt: Attempt, others: Iterable[EntityPlan]) -> Counterexample | None:
    served = attempt.served()
    if served is None:
        return None
    for rival in rivals(attempt.path, others):
        if rival.name == reason.other:
            found = _both(served, attempt, rival) or _theirs(served, attempt, rival)
            if found is not None:
                return found
    return None


def _both(served: Served, attempt: Attempt, rival: Rival) -> Counterexample | None:
    """An item that is asked for, and one of the rival's that is brought with it."""
    plan = attempt.path.plan
    reader, found, theirs = _search(served, attempt, rival)
    for one, other in found:
        for asked, key, arguments in reader.asking(one):
            for values, met in itertools.islice(_items(rival, other, theirs), _MOST_ITEMS):
                if reader.reads(arguments, met):
                    items = (_shown(plan.name, plan, asked, key), _shown(rival.name, rival.plan, values, met))
                    return _read(items, reader.request(arguments, met), arguments, "both")
    return None


def _theirs(served: Served, attempt: Attempt, rival: Rival) -> Counterexample | None:
    """An item of the rival's alone, where nothing that is asked for can be there beside it."""
    reader, found, theirs = _search(served, attempt, rival)
    for one, other in found:
        for arguments in reader.anyhow(one):
            for values, met in itertools.islice(_items(rival, other, theirs), _MOST_ITEMS):
                if reader.reads(arguments, met):
                    items = (_shown(rival.name, rival.plan, values, met),)
                    return _read(items, reader.request(arguments, met), arguments, "it")
    return None


def _search(served: Served, attempt: Attempt, rival: Rival) -> tuple[Reader, Iterable[tuple[Chosen, Chosen]], Choices]:
    """The read, values for which both lie where it looks, and what the rival's fields can be."""
    path, sort = attempt.path, served.sort
    count = sort.count if isinstance(sort, TemplateSort) else 0
    mine, theirs = attempt.choices(), Choices(rival.plan)
    wanted = pairs(path.pk, rival.pk) + pairs(path.sk, rival.sk, beginning=None if sort.complete else count)
    native = isinstance(sort, NativeSort)
    if isinstance(sort, NativeSort) and not sort.complete:
        wanted += pairs(sort.fixed, rival.sk)
    # A range may follow on what is fixed, and both must lie in it.
    suggest(pairs(path.sk, rival.sk, beginning=None if native else count + 1), mine, theirs)
    reader = Reader(served, attempt.selection, mine)
    return reader, itertools.islice(matches(wanted, mine, theirs), _MOST_MATCHES), theirs


def _read(
    items: tuple[ExampleItem, ...], query: KeyQuery | None, arguments: Mapping[str, Any], what: str
) -> Counterexample:
    written = {name: _written(value) for name, value in arguments.items()}
    said = ", ".join(f"{name}={value}" for name, value in written.items())
    text = f"With {said} the read would bring {what}" if said else f"The read would bring {what}"
    if query is None:
        return Counterexample(items, f"{text}.", written)
    return Counterexample(items, f"{text}: {' AND '.join(map(_in_words, query.terms))}.", written, query.request())


def _in_words(term: ast.Condition) -> str:
    """A key condition with its values."""
    match term:
        case ast.Compare(op, ast.Attribute((name,)), ast.Value(value)):
            return f"{name} {op} {_plain(value)}"
        case ast.Between(ast.Attribute((name,)), ast.Value(low), ast.Value(high)):
            return f"{name} BETWEEN {_plain(low)} AND {_plain(high)}"
        case ast.BeginsWith(ast.Attribute((name,)), ast.Value(prefix)):
            return f"begins_with({name}, {_plain(prefix)})"
    return str(term)


def _plain(value: Any) -> str:
    return str(next(iter(value.values())))


# ------------------------------------------------------------------------------------- what an index does not hold


def _projection(reason: Reason, attempt: Attempt) -> Counterexample | None:
    path, plan = attempt.path, attempt.path.plan
    # Every item of the index lacks them, also where none can meet all conditions.
    found = (completions(plan, path.binding, {}, choices) for choices in (attempt.choices(), Choices(plan)))
    values = next(itertools.chain.from_iterable(found), None)
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
    every = AllOf(tuple(attempt.selection.all_facts))
    asked, also = compile_predicate(every), {leaf.field for leaf in every.leaves()}
    for chosen in (*nothing, {}):
        found = completions(plan, path.binding, chosen, choices, held=False, also=also)
        values = next((values for values in found if asked(values)), None)
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
        {name: _plain(value) for name, value in key.items()},
    )


def _written(value: Any) -> str:
    """A value as a reader would write it."""
    return str(value) if isinstance(value, date | Decimal | UUID) else repr(value)
