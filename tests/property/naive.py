"""What a stored item must look like, worked out a second time and as plainly as can be: templates filled in by hand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from tablewright import Entity
from tests.client.lab import SHARDS, Account, Draft, Note, Sheet, Survey, Ticket

Item = dict[str, Any]
Fields = dict[str, Any]

DEFAULTS: dict[type[Entity], Fields] = {
    Ticket: {
        "status": "NEW",
        "rank": 0,
        "tags": set(),
        "notes": [],
        "assignee": None,
        "due_at": None,
        "country": None,
        "city": None,
    },
    Account: {"handle": None, "plan": "free", "state": "active", "logins": 0, "name": ""},
    Survey: {"title": "untitled", "code": None, "votes": 0},
    Note: {"topic": None, "text": ""},
    Draft: {"author": "nobody", "slug": None, "rank": 0},
    Sheet: {"sum": 0, "note": ""},
}
IDS: dict[type[Entity], tuple[str, ...]] = {
    Ticket: ("tenant_id", "ticket_id"),
    Account: ("account_id",),
    Survey: ("tenant_id", "survey_id"),
    Note: ("note_id",),
    Draft: ("tenant_id", "draft_id"),
    Sheet: ("sheet_id",),
}
REQUIRED: dict[type[Entity], tuple[str, ...]] = {Account: ("tenant_id", "email")}
UNIQUE: dict[type[Entity], list[tuple[str, ...]]] = {
    Account: [("email",), ("tenant_id", "handle")],
    Survey: [("tenant_id", "code")],
    Draft: [("tenant_id", "slug")],
}
CONDITIONS: dict[tuple[type[Entity], str], Callable[[Fields], bool]] = {
    (Ticket, "GSI2"): lambda f: "hot" in f["tags"],
    (Ticket, "LSI1"): lambda f: f["status"] != "DONE",
    (Account, "Active"): lambda f: f["state"] == "active",
    (Survey, "GSI2"): lambda f: f["votes"] >= 2,
}
ENTITIES: dict[str, type[Entity]] = {e.__name__: e for e in DEFAULTS}
INDEX_ATTRIBUTES = {"LSI1SK", "active_tenant", "active_plan", "active_logins"} | {
    f"GSI{n}{side}" for n in (1, 2, 3, 4) for side in ("PK", "SK")
}
NATIVE = {"ByPlace"}
"""An index whose key attributes are fields, so that nothing is written for it."""
OWN_NAMES = {"Active": (("active_tenant", "active_plan"), ("active_logins",))}


def escape(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if char <= "%" else char for char in text)


def slot_of(key: Item) -> tuple[type[Entity], tuple[str, ...]] | None:
    """The entity and ids that a primary key tells; None for a marker."""
    owner, _, first = key["PK"]["S"].partition("#")
    kind, _, second = key["SK"]["S"].partition("#")
    if owner == "UNIQUE":
        return None
    entity = ENTITIES[kind.capitalize()]
    return entity, tuple(map(unquote, (first, second)[-len(IDS[entity]) :]))


def keys_in(request: Mapping[str, Any]) -> list[Item]:
    """The primary keys of what a request reads or writes, however deep they stand in it."""
    if "PK" in request and "SK" in request:
        return [{n: request[n] for n in ("PK", "SK")}]
    inner = [v for name, v in request.items() if name not in ("ExpressionAttributeValues", "ExpressionAttributeNames")]
    found = []
    for value in inner:
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                found += keys_in(part)
    return found


def plain(value: Mapping[str, Any]) -> Any:
    ((tag, inner),) = value.items()
    match tag:
        case "N":
            return int(inner)
        case "SS":
            return set(inner)
        case "L":
            return [plain(v) for v in inner]
        case "M":
            return {k: plain(v) for k, v in inner.items()}
    return inner


def fields_of(item: Item) -> Fields:
    """The field values of a stored item, defaults filled in."""
    entity = ENTITIES[item["Type"]["S"]]
    inside = item.get("survey", {"M": {}})["M"] if entity is Survey else item
    found = {}
    for name in (*IDS[entity], *REQUIRED.get(entity, ()), *DEFAULTS[entity]):
        holder = item if name in IDS[entity] else inside
        found[name] = plain(holder[name]) if name in holder else DEFAULTS[entity].get(name)
    return found


def remains_of(tombstone: Item) -> Item:
    """The item that a tombstone keeps."""
    return {"Type": tombstone["Type"], **tombstone["DeletedItem"]["M"]}


def feed_attributes(tombstone: Item) -> Item:
    """The index attributes of a deleted draft: those of its feed alone, at the time of its deletion."""
    fields = fields_of(remains_of(tombstone))
    moment = tombstone["DeletedAt"]["S"]
    sort = f"{moment}#{escape(fields['draft_id'])}"
    return {"GSI3PK": {"S": f"DRAFTS#{escape(fields['tenant_id'])}"}, "GSI3SK": {"S": sort}}


def shard(ticket_id: str) -> int:
    return int.from_bytes(hashlib.blake2b(escape(ticket_id).encode(), digest_size=8).digest(), "big") % SHARDS


def rendered(template: str, values: Fields) -> str | None:
    """The template filled in; None when a value is missing."""
    names = re.findall(r"\{(\w+)", template)
    if any(values[name] is None for name in names):
        return None

    def part(found: re.Match[str]) -> str:
        value = values[found[1]]
        return str(value).zfill(int(found[2] or 0)) if isinstance(value, int) else escape(value)

    return re.sub(r"\{(\w+)(?::(\d+))?\}", part, template)


def index_attributes(item: Item) -> Item:
    """The index attributes that belong to an item, and no others."""
    entity = ENTITIES[item["Type"]["S"]]
    fields = fields_of(item)
    values = {**fields, "updated_at": item.get("UpdatedAt", {}).get("S")}
    if entity is Ticket:
        values["shard"] = shard(fields["ticket_id"])
        values["day"] = fields["due_at"][:10] if fields["due_at"] else None
    expected: Item = {}
    for name, keys in entity.keys.indexes.items():
        condition = CONDITIONS.get((entity, name))
        if name in NATIVE or (condition is not None and not condition(fields)):
            continue
        if name in OWN_NAMES:
            pairs = list(zip(OWN_NAMES[name][0] + OWN_NAMES[name][1], keys.pk + keys.sk, strict=True))
            copies = {a: values[t.strip("{}")] for a, t in pairs}
            found = {a: {"N": str(v)} if isinstance(v, int) else {"S": v} for a, v in copies.items()}
            complete = None not in copies.values()
        else:
            sides = [(f"{name}PK", t) for t in keys.pk] + [(f"{name}SK", t) for t in keys.sk]
            texts = {a: rendered(t, values) for a, t in sides}
            found = {a: {"S": t} for a, t in texts.items()}
            complete = None not in texts.values()
        if complete:
            expected |= found
    return expected


def markers_of(item: Item) -> dict[str, Item]:
    """The markers that must exist for an item: key text to owner."""
    entity = ENTITIES[item["Type"]["S"]]
    fields = fields_of(item)
    found = {}
    for names in UNIQUE.get(entity, []):
        if all(fields[n] is not None for n in names):
            parts = ["UNIQUE", entity.__name__, "+".join(names), *(escape(fields[n]) for n in names)]
            found["#".join(parts)] = {"M": {"PK": item["PK"], "SK": item["SK"]}}
    return found


def problems(items: list[Item], *, disowned: bool = False) -> list[str]:
    """Everything that is wrong with a table's items; markers that other code disowned need not say whose they are."""
    wrong = []
    owners: dict[str, Item] = {}
    for item in items:
        if item["Type"]["S"] == "Unique":
            continue
        name = f"{item['PK']['S']} / {item['SK']['S']}"
        stored = {a: v for a, v in item.items() if a in INDEX_ATTRIBUTES}
        if "DeletedAt" in item:
            if stored != feed_attributes(item) or item.keys() & DEFAULTS[Draft].keys():
                wrong.append(f"{name}: a tombstone with {stored}")
            continue
        expected = index_attributes(item)
        if stored != expected:
            wrong.append(f"{name}: has {stored}, should have {expected}")
        for marker, owner in markers_of(item).items():
            if marker in owners:
                wrong.append(f"{marker}: held by two items")
            owners[marker] = owner
    held = {i["PK"]["S"]: i.get("UniqueOwner") for i in items if i["Type"]["S"] == "Unique"}
    if disowned:
        held = {marker: owner or owners.get(marker) for marker, owner in held.items()}
    if held != owners:
        wrong.append(f"markers are {held}, should be {owners}")
    return wrong
