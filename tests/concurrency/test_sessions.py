"""Many writers through one session: no acknowledged write is lost, no promise of the model is broken."""

from __future__ import annotations

import threading
from typing import Any

from tablewright import key, stored
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ContentionError,
    UniqueViolationError,
)
from tests.concurrency.arcade import Document, Member, Player, board, rich
from tests.concurrency.conftest import Hall
from tests.concurrency.crews import Edit, Together, Worker

WRITES = 200
"""By the whole crew."""


class Tally:
    """Counts from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counts: dict[str, int] = {}

    def add(self, what: str, amount: int = 1) -> None:
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + amount

    def __getitem__(self, what: str) -> int:
        return self.counts.get(what, 0)


def test_a_counter_that_feeds_an_index_key_counts_exactly_what_was_acknowledged(hall: Hall) -> None:
    hall.db.create(Player(player_id="p"))
    one, tally = key(Player, player_id="p"), Tally()

    def work(number: int) -> Worker:
        for _ in range(WRITES // hall.crew.size):
            try:
                found = yield lambda db: db.update(one, add={"score": 1})
            except ContentionError:
                tally.add("overtaken")
            else:
                tally.add("done")
                assert found.score >= 1

    hall.crew.race(work)
    assert tally["done"] + tally["overtaken"] == WRITES // hall.crew.size * hall.crew.size
    done = tally["done"]
    assert done > 0
    (item,) = hall.items("Player")
    assert item["score"] == {"N": str(done)}
    assert (item["GSI1PK"], item["GSI1SK"]) == ({"S": "BOARD#main"}, {"S": f"{done:06}#p"})
    assert [(p.player_id, p.score) for p in hall.db.run(board, "main")] == [("p", done)]


def test_counters_and_moves_between_boards_do_not_disturb_each_other(hall: Hall) -> None:
    hall.db.create(Player(player_id="p"))
    one, tally = key(Player, player_id="p"), Tally()

    def work(number: int) -> Worker:
        for turn in range(WRITES // hall.crew.size):
            name = (f"b{number}", None, "main")[turn % 3]
            try:
                if number % 2:
                    yield lambda db: db.update(one, add={"score": 2})
                    tally.add("score", 2)
                else:
                    yield lambda db, name=name: db.update(one, set={"board": name})
            except ContentionError:
                tally.add("overtaken")

    hall.crew.race(work)
    (item,) = hall.items("Player")
    score, name = tally["score"], item.get("board", {}).get("S")
    assert item["score"] == {"N": str(score)}
    if name is None:
        assert not item.keys() & {"GSI1PK", "GSI1SK"}
    else:
        assert (item["GSI1PK"], item["GSI1SK"]) == ({"S": f"BOARD#{name}"}, {"S": f"{score:06}#p"})
        assert [p.score for p in hall.db.run(board, name)] == [score]
    assert hall.engine.execute("Scan", {"TableName": "Arcade", "IndexName": "GSI1"})["Count"] == (name is not None)


def test_one_of_many_gets_a_unique_email(hall: Hall) -> None:
    """Half of them create a member with it, the others rename one who is there."""
    rounds, size = 4, hall.crew.size
    winners: dict[int, list[str]] = {n: [] for n in range(rounds)}
    tally = Tally()
    for number in range(1, size, 2):
        hall.db.create(Member(member_id=f"m{number}"))

    def work(number: int) -> Worker:
        for turn in range(rounds):
            email, own = f"{turn}@arcade", f"m{number}" if number % 2 else f"m{number}-{turn}"
            try:
                if number % 2:
                    yield lambda db, o=own, e=email: db.update(key(Member, member_id=o), set={"email": e})
                else:
                    yield lambda db, o=own, e=email: db.create(Member(member_id=o, email=e))
            except UniqueViolationError:
                tally.add("taken")
            else:
                winners[turn].append(own)

    hall.crew.race(work)
    stored_emails = {i["member_id"]["S"]: i["email"]["S"] for i in hall.items("Member") if "email" in i}
    markers = {i["PK"]["S"]: i["UniqueOwner"]["M"]["PK"]["S"] for i in hall.items("Unique")}
    assert len(set(stored_emails.values())) == len(stored_emails)
    assert markers == {f"UNIQUE#Member#email#{e}": f"MEMBER#{m}" for m, e in stored_emails.items()}
    # A member who was renamed again gave the email up, so that another one may have got it then.
    assert all(winners.values())
    assert sum(map(len, winners.values())) + tally["taken"] == rounds * size
    for member, email in stored_emails.items():
        assert member in winners[int(email.partition("@")[0])]


def test_exactly_one_of_many_creators_wins(hall: Hall) -> None:
    won: list[str] = []
    tally = Tally()

    def work(number: int) -> Worker:
        name = f"m{number}"
        try:
            yield lambda db: db.create(Member(member_id=name, email="only@arcade"))
        except UniqueViolationError:
            tally.add("taken")
        else:
            won.append(name)

    hall.crew.race(work)
    assert len(won) == 1
    assert tally["taken"] == hall.crew.size - 1
    assert [i["PK"]["S"] for i in hall.items("Member")] == [f"MEMBER#{won[0]}"]
    (marker,) = hall.items("Unique")
    assert (marker["PK"]["S"], marker["UniqueOwner"]["M"]["PK"]["S"]) == (
        "UNIQUE#Member#email#only@arcade",
        f"MEMBER#{won[0]}",
    )


def test_the_same_item_is_created_once(hall: Hall) -> None:
    won: list[int] = []

    def work(number: int) -> Worker:
        try:
            yield lambda db: db.create(Player(player_id="p", score=number))
        except AlreadyExistsError:
            return
        won.append(number)

    hall.crew.race(work)
    (item,) = hall.items("Player")
    assert [item["score"]["N"]] == [str(n) for n in won]


def test_transfers_keep_the_sum(hall: Hall) -> None:
    """The balances also feed an index, so that every transfer plans on what it read."""
    start = 60
    for name in "ab":
        hall.db.create(Player(player_id=name, balance=start))
    ends, tally = {n: key(Player, player_id=n) for n in "ab"}, Tally()

    def work(number: int) -> Worker:
        for turn in range(WRITES // 2 // hall.crew.size):
            giver, taker = "ab" if (number + turn) % 2 else "ba"
            amount = 1 + (number + 3 * turn) % 7

            def fill(unit: Any, g: str = giver, t: str = taker, amount: int = amount) -> None:
                unit.update(ends[g], add={"balance": -amount})
                unit.update(ends[t], add={"balance": amount})

            try:
                yield Together(fill)
            except ContentionError:
                tally.add("overtaken")
            except ConditionalCheckError:
                tally.add("too little")
            else:
                tally.add(giver, -amount)
                tally.add(taker, amount)
                tally.add("done")

    hall.crew.race(work)
    assert tally["done"] > 0
    balances = {i["player_id"]["S"]: int(i["balance"]["N"]) for i in hall.items("Player")}
    assert sum(balances.values()) == 2 * start
    assert balances == {n: start + tally[n] for n in "ab"}
    assert [(p.player_id, p.balance) for p in hall.db.run(rich)] == sorted(
        ((n, b) for n, b in balances.items() if b >= 50), key=lambda pair: (pair[1], pair[0])
    )


def test_no_edit_under_a_version_is_lost(hall: Hall) -> None:
    hall.db.create(Document(document_id="d"))
    one, written = key(Document, document_id="d"), list[str]()

    def work(number: int) -> Worker:
        for turn in range(WRITES // 2 // hall.crew.size):
            entry = f"{number}-{turn}"

            def change(document: Document, entry: str = entry) -> None:
                document.entries = [*document.entries, entry]
                document.size = len(document.entries)

            try:
                if turn % 2:
                    found = yield lambda db: db.get(one, consistent=True)
                    change(found)
                    yield lambda db, f=found: db.put(f)
                else:
                    yield Edit(one, change)
            except (ConcurrentModificationError, ContentionError):
                continue
            written.append(entry)

    hall.crew.race(work)
    document = hall.db.get(one, consistent=True)
    assert document is not None
    assert written
    assert sorted(document.entries) == sorted(written)
    assert document.size == len(written)
    known = stored(document)
    assert known is not None
    assert known.version == 1 + len(written)
    (item,) = hall.items("Document")
    assert item["GSI1SK"] == {"S": f"{len(written):06}#d"}


def test_a_revision_reaches_every_entry(hall: Hall) -> None:
    hall.db.create(Document(document_id="d"))
    one, written = key(Document, document_id="d"), list[str]()

    def work(number: int) -> Worker:
        def change(document: Document) -> None:
            document.entries.append(str(number))
            document.size = len(document.entries)

        try:
            yield lambda db: db.revise(one, change, attempts=20)
        except (ConcurrentModificationError, ContentionError):
            return
        written.append(str(number))

    hall.crew.race(work)
    document = hall.db.get(one, consistent=True)
    assert document is not None
    assert written
    assert sorted(document.entries) == sorted(written)
