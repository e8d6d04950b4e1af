"""Two processes on one file, each with a session of its own: what both acknowledged is there, and all keys are right."""

from __future__ import annotations

import multiprocessing
import random
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tablewright import Session, key
from tablewright.engine import open_engine
from tablewright.errors import ConditionalCheckError, ContentionError
from tests.concurrency.arcade import Document, Member, Player, arcade, board
from tests.concurrency.crews import IN_A_HURRY

WRITES = 200
PLAYERS, MEMBERS, BOARDS = ("p1", "p2", "p3"), ("m1", "m2"), ("red", "blue", None)


def test_two_processes_on_one_file(tmp_path: Path) -> None:
    path = tmp_path / "arcade.db"
    with arcade.open(path) as db:
        db.create(Player(player_id="counter"))
        db.create(Document(document_id="d"))

    spawn = multiprocessing.get_context("spawn")
    here, there = zip(*(spawn.Pipe() for _ in range(2)), strict=True)
    processes = [spawn.Process(target=write, args=(path, seed, end)) for seed, end in enumerate(there)]
    for process in processes:
        process.start()
    for end in there:  # theirs now: if one of them dies, our end notices
        end.close()
    for end in here:  # the start itself takes long, so the race begins when both are there
        assert end.recv() == "ready"
    for end in here:
        end.send("go")
    tallies: list[dict[str, Any]] = [end.recv() for end in here]
    for process in processes:
        process.join()
        assert process.exitcode == 0
        process.close()
    for end in here:
        end.close()

    with open_engine(path) as engine:
        assert engine.verify() == []
        items = engine.execute("Scan", {"TableName": "Arcade"})["Items"]
    assert all(t["done"] > 0 for t in tallies)
    by_key = {item["PK"]["S"]: item for item in items}
    assert by_key["PLAYER#counter"]["score"] == {"N": str(sum(t["counted"] for t in tallies))}
    entries = [e["S"] for e in by_key["DOCUMENT#d"]["entries"]["L"]]
    assert sorted(entries) == sorted(e for t in tallies for e in t["entries"])
    assert by_key["DOCUMENT#d"]["Version"] == {"N": str(1 + len(entries))}
    for item in items:
        assert index_keys(item) == {n: v["S"] for n, v in item.items() if n.startswith("GSI")}
    emails = {i["email"]["S"]: i["PK"]["S"] for i in items if i["Type"]["S"] == "Member" and "email" in i}
    markers = {i["PK"]["S"]: i["UniqueOwner"]["M"]["PK"]["S"] for i in items if i["Type"]["S"] == "Unique"}
    assert markers == {f"UNIQUE#Member#email#{email}": owner for email, owner in emails.items()}
    with arcade.open(path) as db:
        for name in filter(None, BOARDS):
            stored = [i for i in items if i["Type"]["S"] == "Player" and i.get("board", {}).get("S") == name]
            ranked = sorted((int(i["score"]["N"]), i["player_id"]["S"]) for i in stored)
            assert [(p.score, p.player_id) for p in db.run(board, name)] == ranked


def index_keys(item: dict[str, Any]) -> dict[str, str]:
    """What the templates say, written down once more by hand."""
    match item["Type"]["S"]:
        case "Player":
            name, score, balance = item["player_id"]["S"], int(item["score"]["N"]), int(item["balance"]["N"])
            found: dict[str, str] = {}
            if "S" in item.get("board", {}):
                found |= {"GSI1PK": f"BOARD#{item['board']['S']}", "GSI1SK": f"{score:06}#{name}"}
            if balance >= 50:
                found |= {"GSI2PK": "RICH", "GSI2SK": f"{balance:06}#{name}"}
            return found
        case "Document":
            return {"GSI1PK": "DOCUMENTS", "GSI1SK": f"{int(item['size']['N']):06}#{item['document_id']['S']}"}
    return {}


# ------------------------------------------------------------------------------------------- in the other processes


def write(path: Path, seed: int, end: Connection) -> None:
    """Does its writes when told, and tells which were acknowledged."""
    dice = random.Random(seed)
    tally: dict[str, Any] = {"counted": 0, "entries": [], "done": 0}
    with arcade.open(path, retry=IN_A_HURRY) as db:
        end.send("ready")
        end.recv()
        for turn in range(WRITES):
            try:
                one_write(db, dice, tally, f"{seed}-{turn}")
            except (ConditionalCheckError, ContentionError):
                continue
            tally["done"] += 1
    end.send(tally)
    end.close()


def one_write(db: Session, dice: random.Random, tally: dict[str, Any], entry: str) -> None:
    player, member = key(Player, player_id=dice.choice(PLAYERS)), dice.choice(MEMBERS)
    number, name = dice.randrange(100), dice.choice(BOARDS)
    match dice.randrange(9):
        case 0:
            db.update(key(Player, player_id="counter"), add={"score": 1})
            tally["counted"] += 1
        case 1:
            with db.edit(key(Document, document_id="d")) as document:
                document.entries = [*document.entries, entry]
                document.size = len(document.entries)
            tally["entries"].append(entry)
        case 2:
            db.put(Player(player_id=player.fields["player_id"], board=name, score=number, balance=number))
        case 3:
            db.update(player, set={"board": name}, add={"balance": number})
        case 4:
            db.update(player, add={"score": number})
        case 5:
            db.delete(player)
        case 6:
            with db.batch() as batch:
                batch.put(Player(player_id=player.fields["player_id"], board=name, score=number))
        case 7:
            db.put(Member(member_id=member, email=dice.choice(("a@x", "b@x", None))))
        case 8:
            with db.transaction() as unit:
                unit.update(player, set={"score": number})
                unit.update(key(Player, player_id="counter"), add={"score": 1, "balance": 1})
            tally["counted"] += 1
