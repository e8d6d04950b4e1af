"""Entities, compared: their keys, index keys, unique rules and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from tablewright.evolve.differences.changes import Change, Impact
from tablewright.evolve.differences.describing import EntityDescription, KeysDescription, ModelDescription
from tablewright.evolve.differences.fields import compare_fields
from tablewright.evolve.differences.keytexts import (
    instead,
    keys_code,
    only_reformed,
    reformed,
    renamed_keys,
    shown_keys,
)
from tablewright.evolve.differences.renames import pair_entities, renamed_fields
from tablewright.evolve.differences.tables import kept_patterns

_OTHER_INDEX = "Give the new keys to a new index, fill it, switch the readers, then drop the old one."
_TOMBSTONES = "Deploy the new model everywhere before anything is deleted softly; until then delete with purge()."
_OPTIONS: Mapping[str, tuple[Impact, str, Impact, str]] = {
    "version": (
        "backfill",
        "is locked by a version now, which items that are there lack and writers of the old model do not raise",
        "breaking",
        "has no version any more: writers of the old model lose their lock",
    ),
    "lock": (
        "additive",
        "is locked by the time of the last write now",
        "breaking",
        "is not locked by time any more: writers of the old model lose their lock",
    ),
    "timestamps": (
        "additive",
        "has time stamps now, which items get when they are next written",
        "breaking",
        "has no time stamps any more",
    ),
    "soft_delete": (
        "breaking",
        "leaves tombstones now when it is deleted, at which readers of the old model fail",
        "breaking",
        "leaves no tombstones any more: those that are there come back as items",
    ),
}


def compare_entities(old: ModelDescription, new: ModelDescription) -> Iterator[Change]:
    """What differs in the entities of two models."""
    gone, pairs = pair_entities(old, new)
    known = {after.type for _, after in pairs}
    for entity in new.entities.values():
        if entity.type not in known:
            yield _added(entity, old, new)
    for entity in gone.values():
        yield _removed(entity, old, [e for e in new.entities.values() if e.type not in known])
    for before, after in pairs:
        yield from _compare_entity(before, after, old, new)


def _removed(entity: EntityDescription, old: ModelDescription, came: list[EntityDescription]) -> Change:
    """An entity that is gone; or has another name, which the model cannot say by itself."""
    readers = tuple(n for n, p in old.patterns.items() if entity.type in p.entities)
    text = "is gone; its items stay in the table, and reads that meet them do not know them"
    remedy = "Delete its items first, while there is a model that knows them."
    shapes = {name: field.shape for name, field in entity.fields.items()}
    alike = [e for e in came if e.keys == entity.keys or {n: f.shape for n, f in e.fields.items()} == shapes]
    if alike:
        text += f". Was it renamed to {' or '.join(e.name for e in alike)}, which is new and looks the same?"
        kept = f'class {alike[0].name}(Entity, table=..., type="{entity.type}")'
        remedy = f"If so, keep the stored type: {kept}, and compare again. If not: {remedy[0].lower()}{remedy[1:]}"
    return Change("entity-removed", "breaking", entity.name, text, remedy, (entity.name,), readers)


def _added(entity: EntityDescription, old: ModelDescription, new: ModelDescription) -> Change:
    """A new entity. Some reads of the old model may meet its items, and not know them."""
    meeting = tuple(
        name
        for name, now in new.patterns.items()
        if entity.name in now.meets and name in old.patterns and old.patterns[name].fails_at_unknown
    )
    if not meeting:
        return Change("entity-added", "additive", entity.name, "is new", entities=(entity.name,))
    text = "is new, and its items lie between those that readers of the old model read, who fail at them"
    remedy = "Deploy the new model, or skipping_unknown(), to all readers before the first item is written."
    return Change("entity-added", "breaking", entity.name, text, remedy, (entity.name,), meeting, readers_first=True)


def _compare_entity(
    old: EntityDescription, new: EntityDescription, before: ModelDescription, after: ModelDescription
) -> Iterator[Change]:
    entity = (new.name,)
    readers = tuple(n for n, p in after.patterns.items() if new.type in p.entities)
    if old.type != new.type:
        text = f"is stored with the type {new.type!r}; items have {old.type!r}, and reads fail at them"
        remedy = f'Keep the stored name: class {new.name}(Entity, table=..., type="{old.type}").'
        yield Change("type-changed", "breaking", new.name, text, remedy, entity, readers)
    elif old.name != new.name:
        text = f"was called {old.name} in code; its items are the same"
        yield Change("entity-renamed", "additive", new.name, text, entities=entity)
    renamed = renamed_fields(old, new)
    keys = renamed_keys(old.keys, renamed)
    identifying = set(reformed(keys, new.keys))
    keyed = {
        field
        for was, now in ((old.indexes, new.indexes), (old.uniques, new.uniques))
        for name in was.keys() & now.keys()
        for field in reformed(renamed_keys(was[name], renamed), now[name])
    }
    yield from compare_fields(old, new, renamed, identifying, keyed)
    if keys != new.keys:
        text = f"has another primary key, {instead(keys, new.keys)}: items lie under the old one"
        remedy = (
            "Make it a new entity beside the old one, copy the items, switch the readers, then delete the old items."
        )
        yield Change("key-changed", "breaking", new.name, text, remedy, entity, readers)
    settled = {field: new.name if field in identifying else f"{new.name}.{field}" for field in new.fields}
    yield from _compare_index_keys(old, new, renamed, settled, before, after)
    yield from _compare_uniques(old, new, renamed, settled)
    yield from _compare_options(old, new)
    if old.ttl != new.ttl:
        yield _expiry(old, new, after.ttl)
    yield from _compare_code(old, new)


def _compare_index_keys(
    old: EntityDescription,
    new: EntityDescription,
    renamed: Mapping[str, str],
    settled: Mapping[str, str],
    before: ModelDescription,
    after: ModelDescription,
) -> Iterator[Change]:
    """The keys on indexes. `settled` says with which subject another form of each field is settled."""
    entity = (new.name,)
    for name in (*old.indexes, *(n for n in new.indexes if n not in old.indexes)):
        subject = f"{new.name} on {name}"
        was, now = old.indexes.get(name), new.indexes.get(name)
        readers = tuple(n for n, p in after.patterns.items() if (new.type, name) in p.reads)
        readers_before = tuple(n for n, p in before.patterns.items() if (old.type, name) in p.reads)
        if was is not None:
            was = renamed_keys(was, renamed)
        if was == now:
            continue
        if now is None:
            assert was is not None
            if name not in after.indexes:
                continue  # told with the index
            text = "has no keys there any more; items keep those that they have, and stay in the index"
            remedy = "Remove the key attributes from all items when nothing reads them any more."
            code = keys_code(name, was, before.indexes[name].local)
            meanwhile = ", ".join([f"{code} in the keys of {new.name}", *kept_patterns(readers_before, after)])
            yield Change(
                "index-keys-removed",
                "breaking",
                subject,
                text,
                remedy,
                entity,
                readers_before,
                name,
                meanwhile=meanwhile,
            )
        elif was is None:
            text = f"is new: {shown_keys(now)}; items enter the index when they are next written"
            remedy = "Write the keys to all items before a pattern reads them."
            yield Change("index-keys-added", "backfill", subject, text, remedy, entity, readers, name)
        elif replace(was, when=now.when) == now:
            text = f"holds other items now: those with {now.when or 'anything'}, not {was.when or 'anything'}"
            if readers_before:
                text += "; readers of the old model miss some, or see others"
                yield Change(
                    "sparse-condition-changed", "breaking", subject, text, _OTHER_INDEX, entity, readers_before, name
                )
            else:
                remedy = "Write the keys of all items again before a pattern relies on it."
                yield Change("sparse-condition-changed", "backfill", subject, text, remedy, entity, readers, name)
        else:
            text = f"has other keys, {instead(was, now)}: both kinds are met until all are rewritten"
            follows = settled[reformed(was, now)[0]] if only_reformed(was, now) else ""
            remedy = f"Settled with {follows}." if follows else _OTHER_INDEX
            yield Change(
                "index-keys-changed", "breaking", subject, text, remedy, entity, readers, name, follows=follows
            )


def _compare_uniques(
    old: EntityDescription, new: EntityDescription, renamed: Mapping[str, str], settled: Mapping[str, str]
) -> Iterator[Change]:
    def later(name: str) -> str:
        return "+".join(renamed.get(part, part) for part in name.split("+"))

    rules = {later(name): renamed_keys(key, renamed) for name, key in old.uniques.items()}
    gone = {name for name in rules if name not in new.uniques}
    entity = (new.name,)
    for name, marker in new.uniques.items():
        subject = f"{new.name}: unique {name}"
        fields = set(name.split("+"))
        scope = next((g for g in sorted(gone) if fields < set(g.split("+")) or fields > set(g.split("+"))), None)
        if name not in rules and scope is not None:
            gone.discard(scope)
            stricter = len(scope.split("+")) > len(fields)
            text = f"is what {scope} was: " + (
                "values that were allowed side by side may be there" if stricter else "the same values may come back"
            )
            kept = ", ".join(f'"{field}"' for field in scope.split("+"))
            meanwhile = f"Unique({kept}) in the keys of {new.name}"
            remedy = "Run claim_unique() over its items."
            yield Change("unique-scope-changed", "backfill", subject, text, remedy, entity, meanwhile=meanwhile)
        elif name not in rules:
            text = "is new; values that are there are not claimed, and may be held twice"
            yield Change("unique-added", "backfill", subject, text, "Run claim_unique() over its items.", entity)
        elif rules[name] != marker:
            text = (
                f"has other markers, {instead(rules[name], marker)}: what is claimed by the old ones can be taken again"
            )
            follows = settled[reformed(rules[name], marker)[0]] if only_reformed(rules[name], marker) else ""
            if old.type != new.type and old.type in rules[name].pk[0]:
                follows = new.name
            remedy = f"Settled with {follows}." if follows else _markers(name, rules[name])
            yield Change("unique-key-changed", "breaking", subject, text, remedy, entity, follows=follows)
    for name in sorted(gone):
        text = "is not kept any more; its markers stay, and hold nobody"
        yield Change("unique-removed", "additive", f"{new.name}: unique {name}", text, entities=entity)


def _markers(rule: str, before: KeysDescription) -> str:
    fields = ", ".join(f'"{field}"' for field in rule.split("+"))
    return (
        f'Keep the markers: Unique({fields}, key="{before.pk[0]}"). Or stop writes that set it, run claim_unique() over '
        "its items with the new model, and deploy that to all writers before they go on."
    )


def _compare_code(old: EntityDescription, new: EntityDescription) -> Iterator[Change]:
    entity = (new.name,)
    checks = [n for n, code in new.validators.items() if old.validators.get(n) != code]
    if checks:
        text = f"is checked otherwise, by {', '.join(checks)}: items that are there may not pass"
        remedy = "Look for items that no longer fit, and change them first."
        yield Change("validators-changed", "backfill", new.name, text, remedy, entity)
    elif old.validators != new.validators:
        text = f"is not checked any more by {', '.join(n for n in old.validators if n not in new.validators)}"
        yield Change("validators-removed", "additive", new.name, text, entities=entity)
    hooks = [n for n in (*new.hooks, *old.hooks) if old.hooks.get(n) != new.hooks.get(n)]
    if hooks:
        text = f"has other hooks, for writes from now on: {', '.join(dict.fromkeys(hooks))}"
        yield Change("hooks-changed", "additive", new.name, text, entities=entity)


def _compare_options(old: EntityDescription, new: EntityDescription) -> Iterator[Change]:
    entity = (new.name,)
    for option, (on, on_text, off, off_text) in _OPTIONS.items():
        was, now = old.options.get(option), new.options.get(option)
        if was is None and now is not None:
            first = option == "soft_delete"
            remedy = _TOMBSTONES if first else ""
            kind = f"{option.replace('_', '-')}-added"
            yield Change(kind, on, new.name, on_text, remedy, entity, readers_first=first)
        elif was is not None and now is None:
            yield Change(f"{option.replace('_', '-')}-removed", off, new.name, off_text, entities=entity)
        elif was != now:
            text = f"has another {option.replace('_', ' ')}: {now} instead of {was}"
            yield Change(f"{option.replace('_', '-')}-changed", "backfill", new.name, text, entities=entity)
    if old.schema_version != new.schema_version:
        raised = (new.schema_version or 0) > (old.schema_version or 0)
        text = f"has the schema version {new.schema_version or 'none'}; items have {old.schema_version or 'none'}"
        remedy = "Write all items again with the new model." if raised else "Never lower a schema version."
        yield Change("schema-version-changed", "backfill" if raised else "breaking", new.name, text, remedy, entity)


def _expiry(old: EntityDescription, new: EntityDescription, table: str | None) -> Change:
    """Another attribute that items expire by; `table` is what the new table expires items by."""
    entity, text = (new.name,), f"expires by {new.ttl or 'nothing'}, and did by {old.ttl or 'nothing'}"
    remedy = "Time to live of a table is switched with UpdateTimeToLive; another attribute takes an hour in between."
    if new.ttl is None:
        if table == old.ttl:
            text += f", by which the table goes on to expire all items that hold {old.ttl}, also of {new.name}"
            remedy = f"Store the field under another name, and remove {old.ttl} from all items of {new.name}."
        return Change("ttl-removed", "breaking", new.name, text, remedy, entity)
    if old.ttl is not None:
        return Change("ttl-changed", "breaking", new.name, text, remedy, entity)
    if any(field.attribute == new.ttl for field in old.fields.values()):
        text += f": items whose {new.ttl} has passed are deleted when it is switched on"
        remedy = f"Look first at what {new.ttl} holds. {remedy}"
        return Change("ttl-added", "breaking", new.name, text, remedy, entity)
    return Change("ttl-added", "additive", new.name, text, remedy, entity)
