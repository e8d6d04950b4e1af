"""Tables, compared: their own key and settings, their indexes, patterns and declared changes."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.evolve.differences.changes import Change, Impact
from tablewright.evolve.differences.describing import IndexDescription, ModelDescription, PatternDescription

_NEW_TABLE = "It takes a new table, into which all items are copied."


def compare_settings(old: ModelDescription, new: ModelDescription) -> Iterator[Change]:
    """What differs in the table itself."""
    everyone = tuple(entity.name for entity in new.entities.values())
    if old.name != new.name:
        text = f"is called {new.name!r}, and was {old.name!r}: that is another table"
        yield Change("table-renamed", "breaking", "the table", text, _NEW_TABLE, everyone)
    if old.key != new.key:
        text = f"has the key {', '.join(new.key)}, and had {', '.join(old.key)}"
        yield Change("table-key-changed", "breaking", "the table", text, _NEW_TABLE, everyone)
    for name, value in new.settings.items():
        if old.settings[name] != value:
            text = f"{name} is {value!r}, and was {old.settings[name]!r}: items have the old one"
            yield Change("setting-changed", "breaking", "the table", text, _NEW_TABLE, everyone)
    if old.stream != new.stream:
        text = f"has {new.stream or 'no'} stream, and had {old.stream or 'none'}"
        impact: Impact = "additive" if old.stream is None else "breaking"
        yield Change("stream-changed", impact, "the table", text, "Look at who reads the stream.")


def compare_indexes(old: ModelDescription, new: ModelDescription) -> Iterator[Change]:
    """What differs in the indexes. None can be changed: it is dropped, and another one made."""
    for name, now in new.indexes.items():
        was = old.indexes.get(name)
        readers = tuple(n for n, p in new.patterns.items() if name in p.indexes)
        inside = tuple(e.name for e in new.entities.values() if name in e.indexes)
        known = tuple(e.name for t, e in new.entities.items() if name in e.indexes and t in old.entities)
        if was is None:
            yield _added(name, now, bool(known), inside, readers)
        elif was != now:
            what = "keys" if was.keys != now.keys else "projection"
            before, after = (
                (", ".join(was.keys), ", ".join(now.keys)) if what == "keys" else (was.projection, now.projection)
            )
            text = f"has another {what}, {after} instead of {before}; an index cannot be changed"
            remedy = (
                _NEW_TABLE
                if was.local or now.local
                else "Make a new index under another name, fill it, switch the readers, then drop this one."
            )
            yield Change("index-changed", "breaking", name, text, remedy, inside, readers, name)
    for name, was in old.indexes.items():
        if name in new.indexes:
            continue
        readers = tuple(n for n, p in old.patterns.items() if name in p.indexes)
        inside = tuple(e.name for e in old.entities.values() if name in e.indexes)
        if was.local:
            yield Change(
                "index-removed", "breaking", name, "is local and cannot be dropped", _NEW_TABLE, inside, readers
            )
        else:
            text = (
                "is gone; code that reads it fails as soon as it is dropped" if readers else "is gone; nothing read it"
            )
            impact: Impact = "breaking" if readers else "additive"
            yield Change(
                "index-removed", impact, name, text, "Drop it when nothing reads it any more.", inside, readers, name
            )


def _added(
    name: str, index: IndexDescription, filled: bool, inside: tuple[str, ...], readers: tuple[str, ...]
) -> Change:
    if index.local:
        text = "is new and local; a table gets its local indexes when it is made"
        return Change("index-added", "breaking", name, text, _NEW_TABLE, inside, readers)
    text = "is new" + ("; items that are there lack its keys" if filled else "")
    remedy = "Make it, and wait until it is active; one index can be made or dropped at a time."
    return Change("index-added", "backfill" if filled else "additive", name, text, remedy, inside, readers, name)


def compare_patterns(old: ModelDescription, new: ModelDescription, unfilled: set[tuple[str, str]]) -> Iterator[Change]:
    """What differs in the access patterns. `unfilled` are pairs of stored type and index whose items lack the keys."""
    for name, now in new.patterns.items():
        was = old.patterns.get(name)
        waits = sorted({index for kind, index in unfilled if kind in now.entities and index in now.indexes})
        inside = tuple(sorted(new.entities[kind].name for kind in now.entities))
        if was is None:
            yield _new_pattern(name, now, waits, inside)
            continue
        yield from _compare_calls(name, was, now)
        if was.requests != now.requests:
            text = f"is another request: {'; '.join(now.requests)}, instead of {'; '.join(was.requests)}"
            remedy = f"Switch readers when {', '.join(waits)} is filled." if waits else ""
            impact: Impact = "backfill" if waits else "additive"
            yield Change("pattern-served-otherwise", impact, f"{name}()", text, remedy, inside, (name,))
    for name in old.patterns:
        if name not in new.patterns:
            text = "is gone; code that runs it fails"
            yield Change("pattern-removed", "breaking", f"{name}()", text, patterns=(name,))


def _new_pattern(name: str, pattern: PatternDescription, waits: list[str], inside: tuple[str, ...]) -> Change:
    served = "; ".join(pattern.requests)
    if waits:
        text = f"is new, and misses items until {', '.join(waits)} is filled: {served}"
        remedy = f"Use it when {', '.join(waits)} is filled."
        return Change("pattern-added", "backfill", f"{name}()", text, remedy, inside, (name,))
    text = f"is new, and served as things are: {served}"
    return Change("pattern-added", "additive", f"{name}()", text, "", inside, (name,))


def _compare_calls(name: str, old: PatternDescription, new: PatternDescription) -> Iterator[Change]:
    kept = [n for n in new.parameters if n in old.parameters]
    more = [n for n in new.parameters if n not in old.parameters]
    same = {n: old.parameters[n] for n in kept} == {n: new.parameters[n] for n in kept}
    in_place = list(old.parameters) == kept == list(new.parameters)[: len(kept)]
    if old.result != new.result:
        text = f"returns {new.result}, and did {old.result}"
        yield Change("pattern-result-changed", "breaking", f"{name}()", text, patterns=(name,))
    if not same or not in_place or not new.optional.issuperset(more) or old.optional - new.optional:
        text = f"takes other arguments: {_signature(new)} instead of {_signature(old)}"
        remedy = "Give new parameters a default, at the end; or declare a new pattern."
        yield Change("pattern-parameters-changed", "breaking", f"{name}()", text, remedy, patterns=(name,))
    elif more:
        text = f"takes more arguments, which may be left out: {', '.join(more)}"
        yield Change("pattern-parameters-added", "additive", f"{name}()", text, patterns=(name,))


def _signature(pattern: PatternDescription) -> str:
    shown = [f"{n}: {t}" + (" = …" if n in pattern.optional else "") for n, t in pattern.parameters.items()]
    return f"({', '.join(shown)})"


def compare_changes(old: ModelDescription, new: ModelDescription) -> Iterator[Change]:
    """What differs in the declared changes, for those who call them."""
    for name, now in new.changes.items():
        if name not in old.changes:
            yield Change("change-added", "additive", f"{name}()", "is a new change")
        elif old.changes[name] != now:
            yield Change("change-parameters-changed", "breaking", f"{name}()", "is a change that takes other arguments")
    for name in old.changes:
        if name not in new.changes:
            yield Change(
                "change-removed", "breaking", f"{name}()", "is a change that is gone; code that applies it fails"
            )
