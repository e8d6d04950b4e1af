"""Compressed, encrypted and offloaded fields, through every way of reading and writing."""

from __future__ import annotations

import asyncio
import logging
import traceback
import uuid
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import boto3
import pytest
from botocore.config import Config
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from tablewright import (
    GSI,
    AesGcm,
    Aggregate,
    Compressed,
    Encrypted,
    Entity,
    FolderStore,
    Get,
    Keys,
    Offloaded,
    Query,
    Session,
    SoftDelete,
    Table,
    ValueContext,
    children,
    collect,
    exists,
    get,
    key,
    many,
    missing,
    one,
    query,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ChangeError,
    ConcurrentModificationError,
    DecodeError,
    ItemTooLargeError,
    ModelError,
    PatternError,
    SealingError,
    TablewrightError,
    UnsealingError,
)
from tablewright.server import serve_in_thread
from tablewright.testing import LostReply, ManualClock

OLD, NEW = bytes(16), bytes(range(32))
LONG = "a long text that repeats itself. " * 200
SECRET = "the-secret-of-the-tests"


class MemoryStore:
    """A store in memory that tells what it was asked, and fails on demand."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.broken = False
        self.puts = 0

    def put(self, name: str, data: bytes) -> None:
        if self.broken:
            raise OSError("the disk is full")
        assert name not in self.kept
        self.puts += 1
        self.kept[name] = data

    def get(self, name: str) -> bytes:
        if self.broken:
            raise OSError("the disk is gone")
        return self.kept[name]

    def delete(self, name: str) -> None:
        self.kept.pop(name, None)

    def names(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        for name in list(self.kept):
            if name.startswith(prefix):
                yield name, datetime(2026, 3, 1, tzinfo=UTC)


class AsyncMemoryStore:
    """The same for asyncio."""

    def __init__(self) -> None:
        self.inner = MemoryStore()

    async def put(self, name: str, data: bytes) -> None:
        self.inner.put(name, data)

    async def get(self, name: str) -> bytes:
        return self.inner.get(name)

    async def delete(self, name: str) -> None:
        self.inner.delete(name)

    async def names(self, prefix: str) -> AsyncIterator[tuple[str, datetime]]:
        for found in self.inner.names(prefix):
            yield found


store = MemoryStore()
waiting = AsyncMemoryStore()
cipher = AesGcm({"k1": OLD})
archive = Table("Archive", indexes=[GSI("GSI1")])


class Address(BaseModel):
    city: str
    lines: list[str] = []


class Paper(Entity, table=archive, version=True):
    keys = Keys("PAPER#{paper_id}", "PAPER", GSI1=("OWNER#{owner}", "{paper_id}"), unique=["title"])
    paper_id: str
    owner: str = "nobody"
    title: str
    text: Annotated[str, Compressed(above=100)] = ""
    raw: Annotated[bytes, Compressed(above=100)] = b""
    secret: Annotated[str, Encrypted(cipher)] | None = None
    address: Annotated[Address | None, Encrypted(cipher)] = None
    scan: Annotated[bytes, Offloaded(store, above=500)] = b""
    history: Annotated[list[Decimal], Compressed(above=10), Encrypted(cipher), Offloaded(store, above=300)] = Field(
        default_factory=list
    )
    tags: Annotated[set[str], Encrypted(cipher)] = Field(default_factory=set)


class Note(Entity, table=archive, nested="data"):
    """Fields in one map, and no version: it can go through batches."""

    keys = Keys("PAPER#{paper_id}", "NOTE#{note_id}")
    paper_id: str
    note_id: str
    body: Annotated[str, Encrypted(cipher), Offloaded(store, above=500)]
    open: bool = True


class Brief(BaseModel):
    paper_id: str
    secret: str | None


class Folder(BaseModel):
    paper: Paper | None
    notes: list[Note]


@archive.pattern
def paper(paper_id: str) -> Get[Paper]:
    return get(Paper, Paper.paper_id == paper_id)


@archive.pattern
def by_owner(owner: str) -> Query[Paper]:
    return query(Paper, Paper.owner == owner)


@archive.change
def rewrite(p: Paper, text: str, secret: str) -> None:
    p.text, p.secret = text, secret


def full(paper_id: str = "p1", **more: Any) -> Paper:
    values: dict[str, Any] = {
        "paper_id": paper_id,
        "title": f"title of {paper_id}",
        "owner": "alice",
        "text": LONG,
        "raw": b"TW\x01\x02" + bytes(200),
        "secret": SECRET,
        "address": Address(city=SECRET, lines=["a", "b"]),
        "scan": bytes(range(256)) * 4,
        "history": [Decimal(n) / 7 for n in range(200)],
        "tags": {"x", "y"},
    }
    return Paper(**{**values, **more})


@pytest.fixture
def engine() -> Iterator[Engine]:
    store.kept.clear()
    store.broken, store.puts = False, 0
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with archive.open(engine) as session:
        yield session


def item(engine: Engine, pk: str, sk: str) -> dict[str, Any]:
    keys = {"PK": {"S": pk}, "SK": {"S": sk}}
    found: dict[str, Any] = engine.execute("GetItem", {"TableName": "Archive", "Key": keys})["Item"]
    return found


def everything(engine: Engine) -> str:
    return str([{n: b64decode(v["B"]) if "B" in v else v for n, v in i.items()} for i in _scan(engine)])


def _scan(engine: Engine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = engine.execute("Scan", {"TableName": "Archive"})["Items"]
    return found


# ------------------------------------------------------------------------------------------------- every way there is


def test_values_come_back_by_every_way_of_reading(db: Session, engine: Engine) -> None:
    expected = full()
    db.create(expected)
    assert db.get(key(Paper, paper_id="p1")) == expected
    assert db.run(paper, "p1") == expected
    assert db.get_many([key(Paper, paper_id="p1"), key(Paper, paper_id="p2")]) == [expected, None]
    assert db.get_many([key(Paper, paper_id="p1")], together=True) == [expected]
    assert db.run(by_owner, "alice").all() == [expected]
    assert db.run(by_owner, "alice").first() == expected
    assert list(db.run(by_owner, "alice").page(10)) == [expected]
    assert list(db.scan_for_maintenance(Paper)) == [expected]
    brief = db.execute(get(Paper, Paper.paper_id == "p1").only(Brief))
    assert brief == Brief(paper_id="p1", secret=SECRET)
    assert SECRET not in everything(engine)


def test_values_come_back_in_collections(db: Session) -> None:
    db.create(full())
    notes = [Note(paper_id="p1", note_id=f"n{n}", body=f"{n}" * 400 * n) for n in (1, 2)]
    with db.batch() as batch:
        for note in notes:
            batch.put(note)
    found = db.execute(
        collect(
            Folder,
            paper=one(query(Paper, Paper.paper_id == "p1")),
            notes=many(query(Note, Note.paper_id == "p1")),
        )
    )
    assert found.paper == full()
    assert found.notes == notes


def test_values_are_written_by_every_way_of_writing(db: Session) -> None:
    db.put(full())
    assert db.update(key(Paper, paper_id="p1"), set={"secret": "2", "scan": b"2" * 600}).secret == "2"
    assert db.apply(rewrite, paper("p1"), "short", "3").text == "short"
    with db.edit(key(Paper, paper_id="p1")) as edited:
        edited.secret = "4"
    db.revise(key(Paper, paper_id="p1"), lambda p: setattr(p, "address", Address(city="5")))
    with db.transaction() as tx:
        tx.update(key(Paper, paper_id="p1"), set={"history": [Decimal(6)] * 500})
        tx.create(full("p2", secret="7"))
    found = db.get(key(Paper, paper_id="p1"))
    assert found is not None
    assert (found.text, found.secret, found.address) == ("short", "4", Address(city="5"))
    assert (found.scan, found.history) == (b"2" * 600, [Decimal(6)] * 500)
    assert (db.get(key(Paper, paper_id="p2")) or found).secret == "7"
    found.secret = None
    db.put(found)
    assert db.get(found) == found
    deleted = db.delete(found)
    assert deleted == found


@pytest.mark.parametrize("nested", [None, "data"], ids=["flat", "nested"])
def test_trees_are_saved_again_and_again(engine: Engine, nested: str | None) -> None:
    table = Table("Trees")

    class Root(Entity, table=table, version=True, nested=nested):
        keys = Keys("ROOT#{root}", "ROOT")
        root: str
        secret: Annotated[str, Encrypted(cipher)] = ""

    class Leaf(Entity, table=table, nested=nested):
        keys = Keys("ROOT#{root}", "ROOT#LEAF#{leaf}")
        root: str
        leaf: str
        body: Annotated[str, Encrypted(cipher), Offloaded(store, above=100)] = ""
        other: str = ""

    class Tree(Aggregate[Root]):
        leaves: list[Leaf] = children()

    with table.open(engine) as db:
        tree = Tree(entity=Root(root="1", secret="a"), leaves=[Leaf(root="1", leaf="x", body="x" * 200)])
        db.save_tree(tree)
        for text in ("b", "c"):
            tree.entity.secret = text
            tree.leaves[0].body = text * 200
            db.save_tree(tree)
            tree.leaves[0].other = text
            db.save_tree(tree)
        found = db.load_tree(Tree, key(Root, root="1"))
        assert (found.entity.secret, found.leaves[0].body, found.leaves[0].other) == ("c", "c" * 200, "c")
        found.entity.secret = "d"
        db.save_tree(found)
        with pytest.raises(ConcurrentModificationError):
            tree.entity.secret = "e"
            db.save_tree(tree)


def test_rules_about_several_fields_see_what_is_sealed(engine: Engine) -> None:
    table = Table("Ruled")

    class Pair(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("PAIR#{pair}", "PAIR")
        pair: str
        left: Annotated[str, Encrypted(cipher)] = ""
        right: Annotated[str, Offloaded(store, above=10)] = ""

        @model_validator(mode="after")
        def differ(self) -> Pair:
            if self.left and self.left == self.right:
                raise ValueError("they are the same")
            return self

    with table.open(engine) as db:
        db.create(Pair(pair="1", left="a" * 50, right="b" * 50))
        assert db.update(key(Pair, pair="1"), set={"left": "c" * 50}).right == "b" * 50
        with pytest.raises(TablewrightError, match="they are the same"):
            db.update(key(Pair, pair="1"), set={"left": "b" * 50})
        found = db.get(key(Pair, pair="1"))
        assert found is not None
        assert db.update(found, set={"right": "d" * 50}).left == "c" * 50
        db.delete(found)
        assert db.get(found) is None
        assert len(db.orphaned_values()) == 1  # the first one; the tombstone keeps the second
        assert db.undelete(key(Pair, pair="1")).right == "d" * 50
        assert (db.get(key(Pair, pair="1")) or found).left == "c" * 50


def test_upserts_give_back_what_they_wrote(db: Session) -> None:
    assert db.upsert(full()) == full()
    assert db.upsert(full(secret="2"), set={"secret": "2"}).secret == "2"


def test_fields_in_a_map_are_sealed_too(db: Session, engine: Engine) -> None:
    note = Note(paper_id="p1", note_id="n", body=SECRET)
    db.create(note)
    db.update(note, set={"body": SECRET * 100})
    assert (db.get(note) or note).body == SECRET * 100
    db.put(Note(paper_id="p1", note_id="n", body=SECRET))
    assert (db.get(note) or note).body == SECRET
    data = item(engine, "PAPER#p1", "NOTE#n")["data"]["M"]
    assert SECRET.encode() not in b64decode(data["body"]["B"])
    assert data["open"] == {"BOOL": True}


def test_async_sessions_do_the_same(engine: Engine) -> None:
    table = Table("Async")

    class Memo(Entity, table=table):
        keys = Keys("MEMO#{memo_id}", "MEMO")
        memo_id: str
        body: Annotated[str, Encrypted(cipher), Offloaded(waiting, above=50)]
        other: Annotated[str, Offloaded(store, above=50)]

    async def work() -> None:
        async with table.open_async(engine, clock=ManualClock().time) as db:
            memo = Memo(memo_id="m", body="b" * 500, other="o" * 500)
            await db.create(memo)
            assert await db.get(memo) == memo
            await db.update(memo, set={"body": "c" * 500})
            assert [m.body async for m in db.scan_for_maintenance(Memo)] == ["c" * 500]
            found = await db.orphaned_values(older_than=timedelta(0))
            assert len(found) == 1
            await found[0].store.delete(found[0].name)
            assert await db.orphaned_values(older_than=timedelta(0)) == []

    asyncio.run(work())
    with table.open(engine) as plain, pytest.raises(SealingError) as refused:
        plain.create(Memo(memo_id="n", body="b" * 500, other=""))
    assert "asyncio" in str(refused.value.__cause__)


@given(st.text(max_size=50), st.binary(max_size=200), st.lists(st.decimals(-5, 5, places=2), max_size=60))
def test_any_value_comes_back(text: str, raw: bytes, history: list[Decimal]) -> None:
    with open_engine("memory:") as engine, archive.open(engine) as db:
        entity = full(text=text, raw=raw, secret=text, scan=raw * 5, history=history)
        db.create(entity)
        assert db.get(entity) == entity


def test_what_is_sealed_does_not_show_when_an_entity_is_printed() -> None:
    note = Note(paper_id="p1", note_id="n1", body=SECRET)
    for shown in (repr(full()), str(full()), repr([note]), str(note)):
        assert SECRET not in shown
    assert "body=<encrypted>" in repr(note)
    assert "scan=<offloaded>" in repr(full())
    assert "title='title of p1'" in repr(full())
    assert "secret=None" in repr(full(secret=None))
    assert note.model_dump()["body"] == SECRET


@pytest.fixture(
    params=["file", "http", "boto3", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)],
)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    store.kept.clear()
    if request.param == "file":
        with archive.open(tmp_path / "archive.db") as db:
            yield db
    elif request.param == "dynamodb-local":
        url = request.getfixturevalue("dynamodb_local_url")
        with archive.open(url, create=True, table_name=f"archive-{uuid.uuid4().hex}") as db:
            yield db
            db.delete_table()
    else:
        with serve_in_thread(access_key="local", secret_key="local") as server:
            client = boto3.client(
                "dynamodb",
                region_name="eu-west-1",
                endpoint_url=server.url,
                aws_access_key_id="local",
                aws_secret_access_key="local",
                config=Config(retries={"total_max_attempts": 1}),
            )
            with archive.open(server.url if request.param == "http" else client, create=True) as db:
                yield db
            client.close()


def test_it_is_the_same_wherever_the_table_is(anywhere: Session) -> None:
    db = anywhere
    expected = full()
    db.create(expected)
    assert db.get(expected, consistent=True) == expected
    with db.transaction() as tx:
        tx.update(key(Paper, paper_id="p1"), set={"secret": "2", "scan": b"2" * 600})
    note = Note(paper_id="p1", note_id="n", body=SECRET * 50)
    with db.batch() as batch:
        batch.put(note)
    assert db.get_many([note], consistent=True) == [note]
    with pytest.raises(ConcurrentModificationError) as refused:
        db.put(expected)
    assert refused.value.item is not None
    assert refused.value.item.secret == "2"
    db.delete(key(Paper, paper_id="p1"))
    assert len(db.orphaned_values(older_than=timedelta(0))) == 3


# ------------------------------------------------------------------------------------------------------- compression


def test_only_what_becomes_shorter_is_compressed(db: Session, engine: Engine) -> None:
    db.create(full(text="short", raw=b"raw"))
    db.create(full("p2"))
    assert item(engine, "PAPER#p1", "PAPER")["text"] == {"S": "short"}
    packed = b64decode(item(engine, "PAPER#p2", "PAPER")["text"]["B"])
    assert len(packed) < len(LONG) / 10


def test_what_was_stored_before_is_read_as_it_is(db: Session, engine: Engine) -> None:
    db.create(full())
    stored = item(engine, "PAPER#p1", "PAPER")
    plain = {**stored, "text": {"S": LONG}, "raw": {"B": "cmF3"}, "scan": {"B": "c2Nhbg=="}}
    engine.execute("PutItem", {"TableName": "Archive", "Item": plain})
    found = db.get(key(Paper, paper_id="p1"))
    assert found is not None
    assert (found.text, found.raw, found.scan) == (LONG, b"raw", b"scan")


# -------------------------------------------------------------------------------------------------------- encryption


def test_a_value_belongs_to_its_item_and_field(db: Session, engine: Engine) -> None:
    db.create(full())
    db.create(full("p2", secret="other"))
    one, two = (item(engine, f"PAPER#{p}", "PAPER") for p in ("p1", "p2"))
    for forged in ({**one, "secret": two["secret"]}, {**one, "tags": one["secret"]}, {**one, "secret": {"S": "plain"}}):
        engine.execute("PutItem", {"TableName": "Archive", "Item": forged})
        with pytest.raises(UnsealingError) as refused:
            db.get(key(Paper, paper_id="p1"))
        assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_keys_are_replaced_one_after_another(engine: Engine) -> None:
    ring = {"k1": OLD}
    turning = AesGcm(lambda: ring)
    table = Table("Rotating")

    class Safe(Entity, table=table):
        keys = Keys("SAFE#{safe_id}", "SAFE")
        safe_id: str
        code: Annotated[str, Encrypted(turning)]

    with table.open(engine) as db:
        db.create(Safe(safe_id="1", code="a"))
        ring = {"k2": NEW, "k1": OLD}
        db.create(Safe(safe_id="2", code="b"))
        assert [s.code for s in db.scan_for_maintenance(Safe)] in (["a", "b"], ["b", "a"])
        for safe in list(db.scan_for_maintenance(Safe)):
            db.put(safe)
        ring = {"k2": NEW}
        assert {s.code for s in db.scan_for_maintenance(Safe)} == {"a", "b"}
        ring = {"k3": NEW}
        with pytest.raises(UnsealingError) as refused:
            db.get(key(Safe, safe_id="1"))
        assert "k2" in str(refused.value.__cause__)
        ring = {}
        with pytest.raises(SealingError):
            db.create(Safe(safe_id="3", code="c"))


def test_plain_values_are_read_while_a_field_is_being_encrypted(engine: Engine) -> None:
    before, after = Table("Moving"), Table("Moving")

    class Plain(Entity, table=before, type="Safe"):
        keys = Keys("SAFE#{safe_id}", "SAFE")
        safe_id: str
        code: bytes

    class Safe(Entity, table=after):
        keys = Keys("SAFE#{safe_id}", "SAFE")
        safe_id: str
        code: Annotated[bytes, Encrypted(cipher, plain=True)]

    with before.open(engine) as old:
        old.create(Plain(safe_id="1", code=b"x"))
    with after.open(engine) as db:
        found = db.get(key(Safe, safe_id="1"))
        assert found is not None
        assert found.code == b"x"
        db.put(found)
        assert db.get(found) == found


def test_a_cipher_of_ones_own_sees_where_the_value_belongs(engine: Engine) -> None:
    seen: list[ValueContext] = []

    class Mirror:
        def encrypt(self, plaintext: bytes, context: ValueContext) -> tuple[str, bytes]:
            seen.append(context)
            return "mirror", plaintext[::-1]

        def decrypt(self, key_id: str, ciphertext: bytes, context: ValueContext) -> bytes:
            assert (key_id, context) == ("mirror", seen[0])
            return ciphertext[::-1]

    table = Table("{stage}-own")

    class Thing(Entity, table=table, type="T", stored={"code": "c"}):
        keys = Keys("THING#{thing_id}", "THING")
        thing_id: str
        code: Annotated[int, Encrypted(Mirror())]

    with table.open(engine, stage="test") as db:
        db.create(Thing(thing_id="1", code=5))
        assert (db.get(key(Thing, thing_id="1")) or Thing(thing_id="", code=0)).code == 5
    assert seen == [ValueContext("{stage}-own", "T", "c", {"PK": {"S": "THING#1"}, "SK": {"S": "THING"}})]


def test_edits_write_only_what_changed(db: Session, engine: Engine) -> None:
    db.create(full())
    before = item(engine, "PAPER#p1", "PAPER")
    with db.edit(key(Paper, paper_id="p1")) as edited:
        edited.owner = "bob"
    after = item(engine, "PAPER#p1", "PAPER")
    assert {n for n in after if after[n] != before[n]} == {"owner", "GSI1PK", "UpdatedAt", "Version"}


def test_two_who_edit_the_same_secret_are_told(db: Session) -> None:
    db.create(full())
    with pytest.raises(ConcurrentModificationError) as refused:  # noqa: SIM117 - the edit is what fails
        with db.edit(key(Paper, paper_id="p1")) as edited:
            db.update(key(Paper, paper_id="p1"), set={"secret": "theirs"})
            edited.secret = "mine"
    assert refused.value.item is not None
    assert refused.value.item.secret == "theirs"


# --------------------------------------------------------------------------------------------------------- offloading


def test_large_values_are_kept_elsewhere_with_their_checksum(db: Session, engine: Engine) -> None:
    db.create(full())
    assert len(store.kept) == 2
    assert len(b64decode(item(engine, "PAPER#p1", "PAPER")["scan"]["B"])) < 300
    name = next(n for n in store.kept if "/scan/" in n)
    assert name.startswith("Archive/Paper/scan/")
    store.kept[name] = b"something else"
    with pytest.raises(UnsealingError, match="gives something else"):
        db.get(key(Paper, paper_id="p1"))
    del store.kept[name]
    with pytest.raises(UnsealingError, match="does not give it"):
        db.get(key(Paper, paper_id="p1"))


def test_a_value_that_cannot_be_kept_is_not_written(db: Session, engine: Engine) -> None:
    db.create(full())
    store.broken = True
    with pytest.raises(SealingError) as refused:
        db.update(key(Paper, paper_id="p1"), set={"scan": b"2" * 600})
    assert isinstance(refused.value.__cause__, OSError)
    with pytest.raises(SealingError), db.batch() as batch:
        batch.put(Note(paper_id="p1", note_id="n", body="b" * 600))
    assert len([i for i in _scan(engine) if i["Type"]["S"] != "Unique"]) == 1
    # The write is told to be done where only its answer cannot be read.
    with pytest.raises(DecodeError, match="The change was written"):
        db.update(key(Paper, paper_id="p1"), set={"owner": "bob"})
    store.broken = False
    assert (db.get(key(Paper, paper_id="p1")) or full()).owner == "bob"


def test_every_value_is_there_before_the_item_and_stays_for_those_who_read_it(db: Session, engine: Engine) -> None:
    db.create(full())
    seen = item(engine, "PAPER#p1", "PAPER")
    db.update(key(Paper, paper_id="p1"), set={"scan": b"2" * 600})
    db.delete(key(Paper, paper_id="p1"))
    engine.execute("PutItem", {"TableName": "Archive", "Item": seen})
    assert (db.get(key(Paper, paper_id="p1")) or full()).scan == full().scan


def test_orphans_are_listed_and_nothing_else(db: Session) -> None:
    db.create(full())
    db.create(full("p2"))
    db.create(Note(paper_id="p1", note_id="n", body="b" * 600))
    db.update(key(Paper, paper_id="p1"), set={"scan": b"2" * 600})
    db.delete(key(Paper, paper_id="p2"))
    store.kept["Other/Paper/scan/x"] = b"another table's"
    found = db.orphaned_values()
    assert len(found) == 3
    for orphan in found:
        orphan.store.delete(orphan.name)
    assert db.orphaned_values() == []
    assert len(store.kept) == 4
    assert (db.get(key(Paper, paper_id="p1")) or full()).history == full().history
    with pytest.raises(ArgumentError):
        db.orphaned_values(older_than=timedelta(seconds=-1))


def test_young_values_are_no_orphans(engine: Engine) -> None:
    clock = ManualClock(datetime(2026, 3, 1, 12, tzinfo=UTC))
    with archive.open(engine, clock=clock.time) as db:
        store.kept["Archive/Paper/scan/x"] = b"of a write under way"
        assert db.orphaned_values() == []
        assert [o.name for o in db.orphaned_values(older_than=timedelta(hours=12))] == ["Archive/Paper/scan/x"]


def test_a_lost_reply_leaves_no_dangling_reference(db: Session, engine: Engine) -> None:
    engine.faults.inject(LostReply(operations="TransactWriteItems", nth=1))
    db.create(full())
    assert db.get(key(Paper, paper_id="p1")) == full()


def test_items_that_would_be_too_large_are_refused_before_anything_is_kept(db: Session) -> None:
    import random

    noise = "".join(chr(random.Random(1).randrange(0x4E00, 0x9FFF)) for _ in range(1))
    with pytest.raises(ItemTooLargeError):
        db.create(full(secret=noise * 200_000))
    assert store.kept == {}


def test_a_folder_keeps_values(tmp_path: Path, engine: Engine) -> None:
    folder = FolderStore(tmp_path / "values")
    table = Table("Foldered")

    class Doc(Entity, table=table):
        keys = Keys("DOC#{doc_id}", "DOC")
        doc_id: str
        body: Annotated[str, Offloaded(folder, above=10)]

    with table.open(engine) as db:
        db.create(Doc(doc_id="a/../b", body=LONG))
        assert (db.get(key(Doc, doc_id="a/../b")) or Doc(doc_id="", body="")).body == LONG
        db.delete(key(Doc, doc_id="a/../b"))
        (orphan,) = db.orphaned_values(older_than=timedelta(0))
        orphan.store.delete(orphan.name)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


# ----------------------------------------------------------------------------------------------------------- refusals


def test_conditions_and_parts_of_sealed_values_are_refused(db: Session) -> None:
    db.create(full())
    target = key(Paper, paper_id="p1")
    for attempt in (
        lambda: db.update(target, set={"owner": "x"}, when=Paper.secret == "x"),
        lambda: db.update(target, set={"address.city": "x"}),
        lambda: db.update(target, append={"history": [Decimal(1)]}),
        lambda: db.update(target, include={"tags": ["z"]}),
        lambda: db.execute(query(Paper, Paper.owner == "a").filter(Paper.text == "x")),
    ):
        with pytest.raises(TablewrightError, match="cannot look into it"):
            attempt()
    assert db.update(target, set={"owner": "x"}, when=exists(Paper.secret)).owner == "x"
    assert db.run(by_owner, "x").all()
    assert db.execute(query(Paper, Paper.owner == "x").filter(missing(Paper.secret))).all() == []


def test_wrong_places_are_refused_at_definition() -> None:
    table = Table("Wrong", indexes=[GSI("GSI1")])
    sealed = Annotated[str, Encrypted(cipher)]

    with pytest.raises(ModelError, match="the primary key uses 'a', which is encrypted"):

        class InKey(Entity, table=table):
            keys = Keys("A#{a}", "A")
            a: sealed

    with pytest.raises(ModelError, match="the index GSI1 uses 'b'"):

        class InIndex(Entity, table=table):
            keys = Keys("A#{a}", "A", GSI1=("B#{b}", "B"))
            a: str
            b: sealed

    with pytest.raises(ModelError, match="unique"):

        class IsUnique(Entity, table=table):
            keys = Keys("A#{a}", "A", unique=["b"])
            a: str
            b: sealed

    class Inner(BaseModel):
        part: Annotated[str, Compressed()]

    with pytest.raises(ModelError, match="stands on a part of a value"):

        class Nested(Entity, table=table):
            keys = Keys("A#{a}", "A")
            a: str
            inner: Inner

    with pytest.raises(ModelError, match="stands there twice"):

        class Twice(Entity, table=table):
            keys = Keys("A#{a}", "A")
            a: str
            b: Annotated[str, Compressed(), Compressed(above=1)]

    with pytest.raises(PatternError, match="cannot look into it"):

        @archive.pattern
        def filtered(owner: str, secret: str) -> Query[Paper]:
            return query(Paper, Paper.owner == owner).filter(Paper.secret == secret)

    with pytest.raises(ChangeError, match="cannot look into it"):

        @archive.change
        def part(p: Paper) -> None:
            assert p.address is not None
            p.address.city = "x"

    for wrong in (
        lambda: Compressed(above=-1),
        lambda: Compressed(level=10),
        lambda: Offloaded(store, above=True),
        lambda: Offloaded("a folder"),  # type: ignore[arg-type]
        lambda: Encrypted("a key"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ModelError):
            wrong()


def test_nothing_tells_a_secret(db: Session, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "tablewright")
    db.create(full())
    with pytest.raises(AlreadyExistsError) as refused:
        db.create(full())
    told = [caplog.text, repr(cipher), repr(Encrypted(cipher)), "".join(traceback.format_exception(refused.value))]
    assert not [text for text in told if SECRET in text or OLD.hex() in text or repr(OLD) in text]


class Limited(BaseModel):
    name: Annotated[str, Field(max_length=3), Compressed()]


def test_rules_of_a_field_hold_beside_the_marks(engine: Engine) -> None:
    table = Table("Rules")

    class Ruled(Entity, table=table):
        keys = Keys("A#{a}", "A")
        a: str
        b: Annotated[str, Field(max_length=3), Encrypted(cipher)] = "abc"

    with table.open(engine) as db:
        db.create(Ruled(a="1"))
        with pytest.raises(TablewrightError, match="at most 3"):
            db.update(key(Ruled, a="1"), set={"b": "abcd"})
        assert db.update(key(Ruled, a="1"), remove=["b"]).b == "abc"
