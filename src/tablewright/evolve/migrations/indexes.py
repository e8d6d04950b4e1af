"""Indexes of a live table, made and dropped: one in a table update, and each waited for before anything else goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.client import tables
from tablewright.client.calls import Call, Pause, Steps
from tablewright.errors import (
    ConfigError,
    LimitExceeded,
    OutcomeUnknownError,
    RequestRefused,
    ResourceError,
    ResourceNotFound,
)
from tablewright.evolve.migrations.ground import attribute_of
from tablewright.model.indexes import GSI

_SLOWEST = 8
"""Polls slow down up to this step of the back-off."""


class IndexForm(Struct, frozen=True):
    """An index as it stands in a file: each attribute with its type, such as "GSI1PK (S)"."""

    name: str
    pk: tuple[str, ...]
    sk: tuple[str, ...] = ()
    projection: str = "ALL"
    """ALL, KEYS_ONLY, or the attributes that it has beside the keys, with commas between them."""

    def request(self) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """The definitions of its attributes, and the index, as UpdateTable takes them."""
        sides = [*((part, "HASH") for part in self.pk), *((part, "RANGE") for part in self.sk)]
        attributes = [(attribute_of(part), role) for part, role in sides]
        definitions = [{"AttributeName": a.name, "AttributeType": a.tag} for a, _ in attributes]
        schema = [{"AttributeName": a.name, "KeyType": role} for a, role in attributes]
        projection: dict[str, Any] = {"ProjectionType": self.projection}
        if self.projection not in ("ALL", "KEYS_ONLY"):
            included = [name.strip() for name in self.projection.split(",")]
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": included}
        return definitions, {"IndexName": self.name, "KeySchema": schema, "Projection": projection}

    def check(self) -> None:
        """Refuses an index that no table could have."""
        pk, sk = ([attribute_of(part) for part in side] for side in (self.pk, self.sk))
        names = [attribute.name for attribute in (*pk, *sk)]
        if len(set(names)) < len(names):
            raise ConfigError(f"The index {self.name} has an attribute twice in its key.", hint="Name each once.")
        _, index = self.request()
        included: list[str] = index["Projection"].get("NonKeyAttributes", [])
        if "" in included or (self.projection.upper() in ("ALL", "KEYS_ONLY", "INCLUDE") and included):
            raise ConfigError(
                f"The index {self.name} has the projection {self.projection!r}.",
                hint='Write "ALL", "KEYS_ONLY", or the attributes that it has beside the keys, with commas between them.',
            )
        GSI(self.name, pk=pk, sk=sk or None, projection=included or None)


class MakeOne(Struct, frozen=True):
    """Makes an index that is not there."""

    table: str
    form: IndexForm

    @property
    def name(self) -> str:
        """What is done."""
        return f"make the index {self.form.name}"

    def todo(self, live: dict[str, Any]) -> bool:
        """Whether it is missing; another one of its name is refused."""
        self.refuse_other(live)
        found = _index(live, self.form.name)
        return found is None or bool(found["IndexStatus"] != "ACTIVE")

    def refuse_other(self, live: Mapping[str, Any]) -> None:
        """Refuses what the table has otherwise: another index of its name, or one of its attributes with another type."""
        definitions, wanted = self.form.request()
        types = {one["AttributeName"]: one["AttributeType"] for one in live.get("AttributeDefinitions", ())}
        for one in definitions:
            name, tag = one["AttributeName"], one["AttributeType"]
            if types.get(name, tag) != tag:
                raise ConfigError(
                    f"The index {self.form.name} has {name} ({tag}) in its key, and a key of the table {self.table} has {name} "
                    f"({types[name]}).",
                    hint="An attribute has one type in all keys: correct the type, or name another attribute.",
                )
        if any(index["IndexName"] == self.form.name for index in live.get("LocalSecondaryIndexes", ())):
            raise ConfigError(
                f"The table {self.table} has a local index {self.form.name}.",
                hint="Give the new one another name.",
            )
        found = _index(live, self.form.name)
        if found is None:
            return
        if found["KeySchema"] != wanted["KeySchema"]:
            raise ConfigError(
                f"The table {self.table} has an index {self.form.name} with other keys.",
                hint="An index cannot be changed: give the new one another name.",
            )
        if _projected(found["Projection"]) != _projected(wanted["Projection"]):
            raise ConfigError(
                f"The table {self.table} has an index {self.form.name} that projects other attributes.",
                hint="An index cannot be changed: give the new one another name.",
            )

    def made_in(self, live: Mapping[str, Any]) -> dict[str, Any]:
        """What the table says when it is made, as far as others of its name or its attributes are concerned."""
        definitions, index = self.form.request()
        more = {"AttributeDefinitions": definitions, "GlobalSecondaryIndexes": [{**index, "IndexStatus": "ACTIVE"}]}
        return {**live, **{name: [*live.get(name, ()), *added] for name, added in more.items()}}

    def steps(self) -> Steps[bool]:
        """Makes it, and waits until it is filled and can be read; whether there was anything to do."""
        return (yield from _carried_out(self))

    def update(self, live: dict[str, Any]) -> dict[str, Any]:
        """The members of UpdateTable."""
        definitions, index = self.form.request()
        if live.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
            # An index of a provisioned table needs a throughput; the table's own is a fair start.
            units = live["ProvisionedThroughput"]
            index["ProvisionedThroughput"] = {n: units[n] for n in ("ReadCapacityUnits", "WriteCapacityUnits")}
        return {"AttributeDefinitions": definitions, "GlobalSecondaryIndexUpdates": [{"Create": index}]}


class DropOne(Struct, frozen=True):
    """Drops an index that is there."""

    table: str
    index: str

    @property
    def name(self) -> str:
        """What is done."""
        return f"drop the index {self.index}"

    def todo(self, live: dict[str, Any]) -> bool:
        """Whether it is there."""
        return _index(live, self.index) is not None

    def steps(self) -> Steps[bool]:
        """Drops it, and waits until it is gone; whether there was anything to do."""
        return (yield from _carried_out(self))

    def update(self, live: dict[str, Any]) -> dict[str, Any]:
        """The members of UpdateTable."""
        return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": self.index}}]}


def _carried_out(part: MakeOne | DropOne) -> Steps[bool]:
    """Sends the update and waits until it is carried out; whether there was anything to do. What is refused may be done
    already, by a request whose reply was lost or by somebody else, or have to wait for another update: the table tells."""
    sent = False
    while True:
        live = yield from settled(part.table)
        if not part.todo(live):
            return sent
        try:
            yield Call("UpdateTable", {"TableName": part.table, **part.update(live)})
        except RequestRefused:
            live = yield from settled(part.table)
            if part.todo(live):
                raise
        except (ResourceError, LimitExceeded, OutcomeUnknownError):
            yield Pause(_SLOWEST, what="Waiting for the table")
        sent = True


def _index(live: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    return next((i for i in live.get("GlobalSecondaryIndexes", []) if i["IndexName"] == name), None)


def _projected(projection: dict[str, Any]) -> tuple[str, frozenset[str]]:
    return projection["ProjectionType"], frozenset(projection.get("NonKeyAttributes", ()))


def settled(table: str) -> Steps[dict[str, Any]]:
    """The table's description, once nothing is being made or dropped any more."""
    attempt = 0
    while True:
        live = yield from tables.describe(table)
        if live is None:
            raise ResourceNotFound(f"There is no table {table}.", operation="DescribeTable")
        states = [live["TableStatus"], *(i["IndexStatus"] for i in live.get("GlobalSecondaryIndexes", []))]
        if set(states) == {"ACTIVE"}:
            return live
        yield Pause(min(attempt, _SLOWEST), what="Waiting for an index")
        attempt += 1
