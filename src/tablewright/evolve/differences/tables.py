"""Tables, compared: their own key and settings, their indexes and their sharded counters."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.evolve.differences.changes import Change, Impact
from tablewright.evolve.differences.describing import IndexDescription, ModelDescription
from tablewright.evolve.differences.keytexts import keys_code, renamed_keys
from tablewright.evolve.differences.renames import pair_entities, renamed_fields

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
    told = any(old.entities[kind].ttl != e.ttl for kind, e in new.entities.items() if kind in old.entities)
    if old.ttl != new.ttl and not told:
        text = f"expires items by {new.ttl or 'nothing'}, and did by {old.ttl or 'nothing'}"
        impact = "additive" if old.ttl is None else "breaking"
        yield Change("table-ttl-changed", impact, "the table", text)


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
            remedy = "Drop it when nothing reads it any more."
            meanwhile = ", ".join([_kept(name, old, new), *kept_patterns(readers, new)]) if readers else ""
            yield Change("index-removed", impact, name, text, remedy, inside, readers, name, meanwhile=meanwhile)


def kept_patterns(readers: tuple[str, ...], new: ModelDescription) -> list[str]:
    """Patterns of the old model that the new one has not, as they go on being declared."""
    return [f"{name}() as it was" for name in readers if name not in new.patterns]


def _kept(name: str, old: ModelDescription, new: ModelDescription) -> str:
    """An index and its keys as they go on being declared until nothing reads it any more."""
    _, pairs = pair_entities(old, new)
    keys = [
        f"{keys_code(name, renamed_keys(was.indexes[name], renamed_fields(was, now)))} in the keys of {now.name}"
        for was, now in pairs
        if name in was.indexes
    ]
    return ", ".join([f'GSI("{name}") in the table as it was', *keys])


def _added(
    name: str, index: IndexDescription, filled: bool, inside: tuple[str, ...], readers: tuple[str, ...]
) -> Change:
    if index.local:
        text = "is new and local; a table gets its local indexes when it is made"
        return Change("index-added", "breaking", name, text, _NEW_TABLE, inside, readers)
    text = "is new" + ("; items that are there lack its keys" if filled else "")
    remedy = "Make it, and wait until it is active; one index can be made or dropped at a time."
    return Change("index-added", "backfill" if filled else "additive", name, text, remedy, inside, readers, name)


def compare_counters(old: ModelDescription, new: ModelDescription) -> Iterator[Change]:
    """What differs in sharded counters. Shares that lie beyond the last shard are not summed up any more."""
    for name, of in new.counters.items():
        was = old.counters.get(name)
        if was is None:
            yield Change("counter-added", "additive", name, f"is counted in {of} shards now")
        elif of < was:
            text = f"is counted in {of} shards, and was in {was}: what the others hold is not summed up"
            remedy = "Add what the shards beyond the last hold to one that stays, while nobody counts."
            yield Change("counter-shards-removed", "breaking", name, text, remedy)
        elif of > was:
            yield Change("counter-shards-added", "additive", name, f"is counted in {of} shards, and was in {was}")
    for name in old.counters:
        if name not in new.counters:
            yield Change("counter-removed", "breaking", name, "is no sharded counter any more; its shards stay")
