"""An application in a process of its own: it writes at a pace, notes in a journal what was acknowledged, and checks what it reads.

`python -m tests.crash.migration.application old|new URL JOURNAL OTHER_JOURNAL ITEMS`. Commands come as lines of JSON, and so do answers.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

from tablewright import key
from tests.crash.migration import new, old
from tests.crash.migration.truth import TALLIES, World, moment, order_fields, person_fields, seeded


class Application:
    """One side. People are written by the side that their number belongs to, tallies by both, orders by one side at a time."""

    def __init__(self, side: str, url: str, journal: Path, other: Path, items: int) -> None:
        self.side, self.url, self.items = side, url, items
        self.model: Any = old if side == "old" else new
        self.chance = random.Random(f"{side} {items}")
        self.world = World(seeded(items))
        self.journal, self.other, self.read = journal.open("w"), other, 0
        self.number = self.made = self.checked = 0
        self.orders = side == "old"
        """Whether it writes orders."""
        self.day = True
        """Whether it writes days beside dates."""
        self.gone: list[tuple[str, str]] = []
        self.ids: dict[str, list[str]] = {}
        self.own()
        self.writing = threading.Event()
        self.thread: threading.Thread | None = None
        self.failure: BaseException | None = None
        self.db = self.open(first=side == "new")

    def open(self, *, first: bool) -> Any:
        """A session; the new code writes the first schema versions as long as old code runs."""
        versions: Any = {"write_versions": {new.Person: 1, new.Tally: 1}} if first else {}
        return self.model.shop.open(self.url, create=False, clock=lambda: moment(self.side, self.number), **versions)

    def own(self) -> None:
        """What it may write, as the world is now."""
        orders = list(self.world.items["Order"]) if self.orders else []
        people = [i for i in self.world.items["Person"] if (int(i[-1]) % 2 == 0) == (self.side == "old")]
        self.ids = {"Order": orders, "Person": people}
        self.gone = [(entity, ident) for entity, ident in self.gone if entity == "Person" or self.orders]

    # ------------------------------------------------------------------------------------------------- writing

    def write(self, rate: float) -> None:
        """Writes until it is told to pause."""
        began, done = time.monotonic(), 0
        try:
            while self.writing.is_set():
                self.one()
                done += 1
                ahead = began + done / rate - time.monotonic()
                if ahead > 0:
                    time.sleep(ahead)
        except BaseException as error:
            self.failure = error

    def one(self) -> None:
        """One write, noted when it is acknowledged, and looked at now and then."""
        self.number += 1
        drawn = self.chance.random()
        if drawn < 0.1:
            ident = f"{self.chance.randrange(TALLIES):06}"
            field = "n" if self.side == "old" else "count"
            self.db.update(key(self.model.Tally, id=ident), add={field: 1})
            self.note("Tally", "add", ident, {})
            return
        entity = "Order" if self.orders and drawn < 0.55 else "Person"
        kind = self.chance.choice(["update", "update", "create", "delete"])
        if kind == "create":
            self.create(entity)
            return
        ids = self.ids[entity]
        at = self.chance.randrange(len(ids))
        ident = ids[at]
        if kind == "delete":
            self.db.delete(self.target(entity, ident))
            ids[at] = ids[-1]
            ids.pop()
            self.gone.append((entity, ident))
            self.note(entity, "delete", ident, {})
        else:
            fields = self.fields(entity)
            some = {name: fields[name] for name in self.chance.sample(sorted(fields), 2)}
            self.db.update(self.target(entity, ident), set=self.stored(entity, ident, some))
            self.note(entity, "update", ident, some)
        if self.number % 5 == 0:
            self.look(entity, ident)

    def create(self, entity: str) -> None:
        """A new item, or one under an id that was deleted before."""
        if self.gone and self.chance.random() < 0.3:
            entity, ident = self.gone.pop(self.chance.randrange(len(self.gone)))
        else:
            self.made += 1
            ident = f"{self.side}{self.made:06}{0 if self.side == 'old' else 1}"
        fields = self.fields(entity)
        stored = self.stored(entity, ident, fields)
        if entity == "Order":
            self.db.create(self.model.Order(number=ident, **stored))
        else:
            self.db.create(self.model.Person(id=ident, **stored))
        self.ids[entity].append(ident)
        self.note(entity, "create", ident, fields)

    def fields(self, entity: str) -> dict[str, str]:
        make = order_fields if entity == "Order" else person_fields
        return make(self.chance.randrange(10**6), self.chance.randrange(10**6), self.items // 2)

    def stored(self, entity: str, ident: str, fields: dict[str, str]) -> dict[str, str]:
        """Fields as the model of this side has them."""
        fields = dict(fields)
        if entity == "Person" and self.side == "old" and fields.keys() & {"first", "last"}:
            before = self.world.items["Person"].get(ident, {})
            fields["name"] = " ".join(fields.pop(name, before.get(name)) for name in ("first", "last"))
        if entity == "Order" and self.side == "new" and "day" in fields:
            fields["date"] = fields["day"]
            if not self.day:
                del fields["day"]
        return fields

    def target(self, entity: str, ident: str) -> Any:
        return key(self.model.Order, number=ident) if entity == "Order" else key(self.model.Person, id=ident)

    def note(self, entity: str, kind: str, ident: str, fields: dict[str, str]) -> None:
        write = [entity, kind, ident, fields, self.number, self.side]
        self.world.apply(write)
        self.journal.write(json.dumps(write) + "\n")

    # ------------------------------------------------------------------------------------------------- reading

    def look(self, entity: str, ident: str) -> None:
        """What it has just written, by its key and by the index that both models have."""
        self.by_key(entity, ident)
        one = self.world.items[entity].get(ident)
        if one is None or self.number % 8 or (entity == "Order" and self.side == "new"):
            return  # what the new code writes to an item with two keys is in the indexes from the next run on
        name = one["buyer" if entity == "Order" else "town"]
        self.by_index(entity, "buyer" if entity == "Order" else "town", {name}, set(self.ids[entity]))

    def by_key(self, entity: str, ident: str) -> None:
        pattern = self.model.order if entity == "Order" else self.model.person
        found = self.db.run(pattern, ident)
        want = self.world.items[entity].get(ident)
        self.same(entity, ident, found, want)

    def by_index(self, entity: str, field: str, values: set[str], among: set[str] | None) -> None:
        """All of some values of an index: each item once, as it should be."""
        pattern = {
            "buyer": "orders_of",
            "state": "orders_in",
            "town": "people_in",
            "last": "people_called",
        }[field]
        wanted: dict[str, dict[str, dict[str, Any]]] = {value: {} for value in values}
        for ident, one in self.world.items[entity].items():
            if one[field] in wanted and (among is None or ident in among):
                wanted[one[field]][ident] = one
        for value in sorted(values):
            name = "number" if entity == "Order" else "id"
            rows = self.db.run(getattr(self.model, pattern), value)
            found = [one for one in rows if among is None or getattr(one, name) in among]
            idents = [getattr(one, name) for one in found]
            assert sorted(idents) == sorted(wanted[value]), (pattern, value, set(idents) ^ set(wanted[value]))
            for one in found:
                ident = getattr(one, name)
                self.same(entity, ident, one, wanted[value][ident])

    def same(self, entity: str, ident: str, found: Any, want: dict[str, Any] | None) -> None:
        self.checked += 1
        if want is None or found is None:
            assert found is want, (entity, ident, "is there" if found is not None else "is missing")
            return
        names = ["buyer", "state", "day", "note"] if entity == "Order" else ["first", "last", "town"]
        if entity == "Order" and self.side == "new":
            names[2] = "date"
        wanted = want | {"date": want.get("day"), "name": f"{want.get('first')} {want.get('last')}"}
        if entity == "Person" and self.side == "old":
            names = ["name", "town"]
        differ = [name for name in names if getattr(found, name) != wanted[name]]
        assert not differ, (entity, ident, differ, [getattr(found, name) for name in differ])

    def check(self, phase: str, sample: int) -> int:
        """Every access pattern, for every value, while nobody writes. By key: what was written, and a sample of the rest."""
        before = self.checked
        world = self.world.items
        fields = [("Order", "buyer"), ("Person", "town")]
        if self.side == "new" and phase != "old":
            fields += [("Order", "state"), ("Person", "last")]
        for entity, field in fields:
            self.by_index(entity, field, {one[field] for one in world[entity].values()}, None)
        for entity in ("Order", "Person"):
            if entity == "Order" and self.side == "new" and phase == "old":
                continue
            written = [i for i, one in world[entity].items() if one["updated"] > "2026-01-02"]
            chosen = {*written, *self.chance.sample(sorted(world[entity]), min(sample, len(world[entity])))}
            if entity == "Order" and self.side == "old":  # by key, the new model's are not the old one's any more
                chosen = {i for i in chosen if world[entity][i]["side"] != "new"}
            for ident in sorted(chosen):
                self.by_key(entity, ident)
        for entity, ident in self.gone:
            if ident not in world[entity] and not (entity == "Order" and self.side == "new" and phase == "old"):
                self.by_key(entity, ident)
        for ident, one in world["Tally"].items():
            found = self.db.run(self.model.tally, ident)
            assert (found.n if self.side == "old" else found.count) == one["n"], ("Tally", ident)
        return self.checked - before

    # ------------------------------------------------------------------------------------------------- commands

    def seed(self) -> None:
        """The items that were there before."""
        with old.shop.open(self.url, create=True) as db:
            wires = self.world.wire("old")
            while puts := [{"PutRequest": {"Item": wire}} for _, wire in islice(wires, 25)]:
                db.send("BatchWriteItem", {"RequestItems": {"Shop": puts}})

    def pause(self) -> None:
        """Ends the writing; what went wrong in it is raised."""
        self.writing.clear()
        if self.thread is not None:
            self.thread.join()
            self.thread = None
        self.journal.flush()
        if self.failure is not None:
            raise self.failure

    def follow(self) -> None:
        """Takes up what the other side has written since."""
        with self.other.open() as journal:
            journal.seek(self.read)
            for line in journal:
                self.world.apply(json.loads(line))
            self.read = journal.tell()
        self.own()

    def carry_out(self, command: dict[str, Any]) -> object:
        """One command."""
        match command.pop("do"):
            case "seed":
                return self.seed()
            case "write":
                self.writing.set()
                self.thread = threading.Thread(target=self.write, kwargs=command)
                return self.thread.start()
            case "pause":
                self.pause()
                return {"writes": self.number, "checked": self.checked}
            case "follow":
                return self.follow()
            case "check":
                return self.check(**command)
            case "become":  # the next release of this side
                self.orders, self.day = command["orders"], command["day"]
                self.own()
                if self.side == "new" and not command["first"]:
                    self.db.close()
                    self.db = self.open(first=False)
                return None
            case what:
                raise AssertionError(what)


def main(side: str, url: str, journal: str, other: str, items: str) -> None:
    """Carries out commands until there are no more."""
    application = Application(side, url, Path(journal), Path(other), int(items))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"came": application.carry_out(json.loads(line))}
        except BaseException as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
    application.writing.clear()
    application.db.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
