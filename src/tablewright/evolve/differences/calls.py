"""Access patterns and declared changes, compared: for those who call them, and for what they read and write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tablewright.evolve.differences.callables import CallDescription, ChangeDescription, PatternDescription
from tablewright.evolve.differences.changes import Change, Impact
from tablewright.evolve.differences.describing import ModelDescription
from tablewright.evolve.differences.renames import Renames
from tablewright.evolve.differences.shapes import Shape, fit
from tablewright.evolve.differences.texts import in_words

_ANEW = "Declare it under a new name, move the callers, then remove the old one."


Reads: TypeAlias = frozenset[tuple[str, str]]
"""Stored types, each with an index, or with nothing for the table itself."""


class OldItems(Struct, frozen=True):
    """Where items of the old model are not as the new one reads them."""

    unfilled: Reads
    """They lack the keys."""
    moved: Reads
    """They lie under other keys."""
    unknown: Reads
    """They are of another type."""


def compare_patterns(
    old: ModelDescription, new: ModelDescription, renames: Renames, items: OldItems
) -> Iterator[Change]:
    """What differs in the access patterns."""
    for name, now in new.patterns.items():
        was = old.patterns.get(name)
        waits = sorted({index for _, index in items.unfilled & now.reads})
        lost = _lost(items, now, new)
        inside = tuple(sorted(new.entities[kind].name for kind in now.entities))
        if was is None:
            yield _new_pattern(name, now, waits, lost, inside)
            continue
        was = replace(was, selects=renames.variants(was.selects), order=renames.variants(was.order))
        found = [
            *_compare_calls(name, "pattern", was.call, now.call, (name,)),
            *_compare_results(name, was, now),
            *_compare_meaning(name, was, now),
        ]
        breaks = any(change.impact == "breaking" for change in found)
        yield from found
        for change in _compare_requests(name, was, now, waits, lost, inside):
            yield replace(change, impact="breaking") if breaks and change.impact == "additive" else change
    for name in old.patterns:
        if name not in new.patterns:
            text = "is gone; code that runs it fails"
            yield Change("pattern-removed", "breaking", f"{name}()", text, patterns=(name,))


def _lost(items: OldItems, pattern: PatternDescription, new: ModelDescription) -> str:
    """What becomes of items of the old model, where they are not found."""
    for found, verb in ((items.unknown, "fails at"), (items.moved, "misses")):
        names = sorted({new.entities[kind].name for kind, _ in found & pattern.reads})
        if names:
            return f"{verb} items of {', '.join(names)} that the old model wrote"
    return ""


def _compare_requests(
    name: str,
    old: PatternDescription,
    new: PatternDescription,
    waits: list[str],
    lost: str,
    inside: tuple[str, ...],
) -> Iterator[Change]:
    other = f"{'; '.join(new.requests)}, instead of {'; '.join(old.requests)}"
    if lost:
        text = f"{lost}, and readers of that one do so with new items"
        text += f". It is another request: {other}" if old.requests != new.requests else ""
        yield Change("pattern-misses-items", "breaking", f"{name}()", text, "", inside, (name,))
    elif old.requests != new.requests:
        remedy = f"Switch readers when {', '.join(waits)} is filled." if waits else ""
        impact: Impact = "backfill" if waits else "additive"
        text = f"is another request: {other}"
        meanwhile = ""
        if waits and len(old.indexes) == 1 and not old.indexes & new.indexes:
            meanwhile = f'{name}() reads .via("{next(iter(old.indexes))}") as before'
        yield Change(
            "pattern-served-otherwise", impact, f"{name}()", text, remedy, inside, (name,), meanwhile=meanwhile
        )


def _new_pattern(
    name: str, pattern: PatternDescription, waits: list[str], lost: str, inside: tuple[str, ...]
) -> Change:
    served = "; ".join(pattern.requests)
    if lost:
        text = f"is new, and {lost}: {served}"
        return Change("pattern-added", "backfill", f"{name}()", text, "Use it when they are moved.", inside, (name,))
    if waits:
        text = f"is new, and misses items until {', '.join(waits)} is filled: {served}"
        remedy = f"Use it when {', '.join(waits)} is filled."
        return Change("pattern-added", "backfill", f"{name}()", text, remedy, inside, (name,))
    text = f"is new, and served as things are: {served}"
    return Change("pattern-added", "additive", f"{name}()", text, "", inside, (name,))


def _compare_results(name: str, old: PatternDescription, new: PatternDescription) -> Iterator[Change]:
    lost = [n for n, what in old.parts.items() if new.parts.get(n) != what]
    more = [n for n in new.parts if n not in old.parts]
    if old.result != new.result or (lost and new.parts):
        text = f"returns {new.result}, and did {old.result}"
        if old.result == new.result:
            text = f"returns {new.result} with another {', '.join(lost)}"
        yield Change("pattern-result-changed", "breaking", f"{name}()", text, patterns=(name,))
    elif more:
        text = f"returns {', '.join(more)} too"
        yield Change("pattern-result-extended", "additive", f"{name}()", text, patterns=(name,))


def _compare_meaning(name: str, old: PatternDescription, new: PatternDescription) -> Iterator[Change]:
    """What a caller gets who calls it as before."""
    subject, pattern = f"{name}()", (name,)
    if old.certain and not new.certain and old.result == new.result:
        text = "may find several items from now on, and then fails, since nothing keeps their values unique any more"
        remedy = "Keep the unique rule, or let it be a query."
        yield Change("pattern-no-longer-certain", "breaking", subject, text, remedy, patterns=pattern)
    for variant in _differing(old.selects, new.selects):
        before, after = set(old.selects[variant]), set(new.selects[variant])
        whose = _listed(after - before) == _listed(before - after)
        said = [f"asks for {_listed(after - before, whose=whose)}"] if after - before else []
        said += [f"no longer for {_listed(before - after, whose=whose)}"] if before - after else []
        text = f"finds other items{_with(variant)}: it {' and '.join(said)}"
        yield Change("pattern-selects-otherwise", "breaking", subject, text, _ANEW, patterns=pattern)
    if refused := sorted(new.refuses & old.selects.keys()):
        text = f"can no longer be called{';'.join(map(_with, refused))}"
        yield Change("pattern-arguments-refused", "breaking", subject, text, _ANEW, patterns=pattern)
    if taken := sorted(old.refuses & new.selects.keys()):
        text = f"can be called{';'.join(map(_with, taken))} too"
        yield Change("pattern-arguments-taken", "additive", subject, text, patterns=pattern)
    for variant in _differing(old.order, new.order):
        before_order, after_order = old.order[variant], new.order[variant]
        if after_order[: len(before_order)] != before_order:
            text = f"is sorted{_with(variant)} by {_order(after_order)}, and was by {_order(before_order)}"
            yield Change("pattern-order-changed", "breaking", subject, text, _ANEW, patterns=pattern)
    if old.strong != new.strong:
        text = "reads consistently now" if new.strong else "may read an older state now"
        yield Change(
            "pattern-consistency-changed", "additive" if new.strong else "breaking", subject, text, patterns=pattern
        )
    if old.skips_unknown != new.skips_unknown:
        text = "leaves out items of unknown types now" if new.skips_unknown else "fails at items of unknown types now"
        yield Change(
            "pattern-unknown-items", "additive" if new.skips_unknown else "breaking", subject, text, patterns=pattern
        )
    if old.page_limit != new.page_limit:
        text = f"reads {new.page_limit or 'as many as fit'} a page, and did {old.page_limit or 'as many as fit'}"
        yield Change("pattern-page-changed", "additive", subject, text, patterns=pattern)


def _differing(old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Variants that both have, and that differ; of several that differ alike, the first."""
    seen: dict[tuple[frozenset[str], frozenset[str]], str] = {}
    for variant, after in new.items():
        before = old.get(variant)
        if before is not None and before != after:
            difference = (frozenset(before) - frozenset(after), frozenset(after) - frozenset(before))
            seen.setdefault(difference, variant)
    return list(seen.values())


def _with(variant: str) -> str:
    return f" with {variant}" if variant else ""


def _listed(texts: Iterable[str], *, whose: bool = False) -> str:
    return ", ".join(sorted(in_words(text, whose=whose) for text in texts))


def _order(order: tuple[str, ...]) -> str:
    return ", then ".join(map(in_words, order)) or "nothing"


def _compare_calls(
    name: str, word: str, old: CallDescription, new: CallDescription, patterns: tuple[str, ...]
) -> Iterator[Change]:
    kept = [n for n in new.parameters if n in old.parameters]
    more = [n for n in new.parameters if n not in old.parameters]
    other = [n for n in kept if old.parameters[n] != new.parameters[n]]
    wider = [n for n in other if _takes_more(old.shapes[n], new.shapes[n])]
    in_place = list(old.parameters) == kept == list(new.parameters)[: len(kept)]
    subject = f"{name}()"
    if wider != other or not in_place or not new.optional.issuperset(more) or old.optional - new.optional:
        text = f"takes other arguments: {_signature(new)} instead of {_signature(old)}"
        remedy = (
            f"Give new parameters a default, at the end; or declare a new {word}."
            if more
            else f"Declare a new {word} for them."
        )
        yield Change(f"{word}-parameters-changed", "breaking", subject, text, remedy, patterns=patterns)
        wider = []
    elif more:
        text = f"takes more arguments, which may be left out: {', '.join(more)}"
        yield Change(f"{word}-parameters-added", "additive", subject, text, patterns=patterns)
    if wider:
        said = [f"{new.parameters[n]} for {n}, and did {old.parameters[n]}" for n in wider]
        text = f"takes more: {', '.join(said)}"
        yield Change(f"{word}-parameters-widened", "additive", subject, text, patterns=patterns)
    unlike = [n for n, value in new.defaults.items() if old.defaults.get(n, value) != value]
    if unlike:
        text = f"has another default for {', '.join(unlike)}: who leaves it out gets something else"
        yield Change(f"{word}-default-changed", "breaking", subject, text, patterns=patterns)


def _takes_more(old: Shape, new: Shape) -> bool:
    """Whether callers can go on as they are: no number of another type, which type checkers would refuse."""
    return fit(old, new) == "wider" and {old.kind, new.kind} != {"int", "Decimal"}


def _signature(call: CallDescription) -> str:
    shown = [f"{n}: {t}" + (" = …" if n in call.optional else "") for n, t in call.parameters.items()]
    return f"({', '.join(shown)})"


def compare_changes(old: ModelDescription, new: ModelDescription, renames: Renames) -> Iterator[Change]:
    """What differs in the declared changes."""
    for name, now in new.changes.items():
        was = old.changes.get(name)
        if was is None:
            yield Change("change-added", "additive", f"{name}()", "is a new change")
            continue
        if renames.kind(was.entity) != now.entity:
            text = f"is a change of {now.entity}, and was one of {was.entity}"
            yield Change("change-parameters-changed", "breaking", f"{name}()", text)
            continue
        yield from _compare_calls(name, "change", was.call, now.call, ())
        yield from _compare_deeds(
            name, replace(was, does=renames.variants(was.does), requires=renames.variants(was.requires)), now
        )
    for name in old.changes:
        if name not in new.changes:
            text = "is a change that is gone; code that applies it fails"
            yield Change("change-removed", "breaking", f"{name}()", text)


def _compare_deeds(name: str, old: ChangeDescription, new: ChangeDescription) -> Iterator[Change]:
    subject = f"{name}()"
    for variant in _differing(old.requires, new.requires):
        before, after = set(old.requires[variant]), set(new.requires[variant])
        if after - before:
            text = f"requires more{_with(variant)}: {_listed(after - before)}"
            yield Change("change-requires-more", "breaking", subject, text, _ANEW)
        else:
            text = f"requires less{_with(variant)}: not {_listed(before - after)}"
            yield Change("change-requires-less", "additive", subject, text)
    for variant in _differing(old.does, new.does):
        before, after = set(old.does[variant]), set(new.does[variant])
        lost = before - after
        text = f"does something else{_with(variant)}: {_listed(after)} instead of {_listed(before)}"
        if not lost:
            text = f"does more{_with(variant)}: {_listed(after - before)}"
        yield Change("change-does-otherwise", "breaking" if lost else "additive", subject, text, _ANEW if lost else "")
