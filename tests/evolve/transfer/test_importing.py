"""Imports: every source, mappings, wrong rows without their values, second runs, kills in between."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from tablewright import Session
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConditionalCheckFailed, InternalError
from tablewright.evolve.transfer.importing import Imported, ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping, Origin, read_mapping
from tablewright.evolve.transfer.rows import Problem, Row, Source
from tablewright.evolve.transfer.sources import find_source, input_format
from tests.evolve.transfer.models import Customer, Order, everything, shop

NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)
WRITE = ImportOptions(write=True, workers=3)
GOOD = "username,order_id,placed_at,total\nann,o1,2025-06-30T12:00:00Z,12.50\nann,o2,2025-06-30T12:00:00Z,3\n"


@pytest.fixture
def db() -> Iterator[Session]:
    with shop.open("memory:") as opened:
        yield opened


def bring(db: Session, path: Path | str, entity: str | None = "Order", options: Any = WRITE, **more: Any) -> Imported:
    mapping = more.pop("mapping", {})
    source = find_source(str(path), input_format(str(path), None), mapping.get(entity or "", EntityMapping()))
    return import_rows(db, shop, source, entity, mapping, options, **more)


def orders(db: Session) -> list[Any]:
    return sorted(db.scan_for_maintenance(Order), key=lambda order: order.order_id)


def test_a_dry_run_counts_and_writes_nothing(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(GOOD)
    report = bring(db, path, options=ImportOptions())
    assert (report.rows, report.new, report.written, report.changed) == (2, 2, False, 2)
    assert orders(db) == []


def test_a_second_run_changes_nothing_and_says_so(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(GOOD)
    assert bring(db, path).new == 2
    first = orders(db)
    assert first[0] == Order(username="ann", order_id="o1", placed_at=NOON, total=Decimal("12.50"))
    items = db.send("Scan", {"TableName": "Shop"})["Items"]
    for options in (WRITE, ImportOptions(write=True, replace=True)):
        report = bring(db, path, options=options)
        assert (report.same, report.changed, report.well) == (2, 0, True)
    assert db.send("Scan", {"TableName": "Shop"})["Items"] == items


def test_what_is_there_and_differs_is_replaced_only_where_told(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(GOOD)
    db.create(Order(username="ann", order_id="o1", placed_at=NOON, total=Decimal(99)))
    report = bring(db, path)
    assert (report.new, report.different, report.well) == (1, 1, False)
    assert orders(db)[0].total == 99
    assert bring(db, path, options=ImportOptions(replace=True)).replaced == 1
    assert orders(db)[0].total == 99
    report = bring(db, path, options=ImportOptions(write=True, replace=True))
    assert (report.replaced, report.same) == (1, 1)
    assert orders(db)[0].total == Decimal("12.50")


def test_wrong_rows_are_told_without_values_and_nothing_of_them_is_written(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(
        "username,order_id,placed_at,total,status\n"
        'ann,"o\n1",2025-06-30T12:00:00Z,SECRET,SECRET\n'  # two lines
        "ann,o2,SECRET,1,\n"
        "ann,o3,2025-06-30T12:00:00Z,,\n"
        ",o4,2025-06-30T12:00:00Z,1,\n"
        "ann,o5,2025-06-30T12:00:00,1,\n"
        "ann,o6,2025-06-30T12:00:00Z\n"
        "ann,o7,2025-06-30T12:00:00Z,1,PENDING\n"
        "ann,o7,2025-06-30T12:00:00Z,2,PENDING\n"
    )
    told: list[str] = []
    report = bring(db, path, problem=lambda one: told.append(str(one)))
    assert (report.rows, report.new, report.bad) == (8, 1, 7)
    assert [order.order_id for order in orders(db)] == ["o7"]
    assert orders(db)[0].total == 1
    assert not any("SECRET" in one for one in told)
    assert [one.partition(":")[0] for one in told] == [
        "line 2, column status",
        "line 2, column total",
        "line 4, column placed_at",
        "line 5, column total",
        "line 6, column username",
        "line 7, column placed_at",
        "line 8",
        "line 10",
    ]
    assert "has no value. Say in the mapping" in told[3]
    assert "without a time zone cannot be stored. Write its offset, as in 2025-06-30T12:00:00+02:00" in told[5]
    assert "--map FILE" in told[5]
    assert told[7] == "line 10: it has the key of line 9. Leave one of them out, or give it a key of its own."


def test_all_that_is_wrong_with_a_row_is_told_whether_it_can_be_read_or_not(tmp_path: Path) -> None:
    path = tmp_path / "things.csv"
    path.write_text(
        'thing_id,made_at,raw,flag,blobs,count\nt1,2025-06-30T12:00Z,!!,maybe,,2\nt2,,!!,yes,"[""!""]",few\n'
    )
    told: list[Problem] = []
    with everything.open("memory:") as opened:
        source = find_source(str(path), "csv", EntityMapping())
        report = import_rows(opened, everything, source, "Thing", problem=told.append)
    assert report.bad == 2
    assert [(one.place, one.column) for one in told] == [
        *(("line 2", column) for column in ("raw", "flag")),
        *(("line 3", column) for column in ("raw", "made_at", "count", "blobs")),
    ]
    assert "!" not in "".join(map(str, told))


def test_a_mapping_names_columns_constants_and_functions(
    db: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "moving_shop.py").write_text(
        "from decimal import Decimal\n"
        "def cents(text):\n    return Decimal(text) / 100\n"
        "def order_id(row):\n    return f\"{row['Shop']}-{row['No']}\"\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "map.toml").write_text(
        '[Order.fields]\nusername = "Customer"\nstatus = {constant = "SHIPPED"}\n'
        'total = {column = "Cents", function = "moving_shop:cents"}\norder_id = {function = "moving_shop:order_id"}\n'
    )
    path = tmp_path / "legacy.csv"
    path.write_text(
        "Customer,Shop,No,Cents,placed_at\nann,7,1,1250,2025-06-30T12:00Z\nann,7,2,many,2025-06-30T12:00Z\n"
    )
    report = bring(db, path, mapping=read_mapping(tmp_path / "map.toml", shop))
    (found,) = orders(db)
    assert (found.order_id, found.total, found.status) == ("7-1", Decimal("12.50"), "SHIPPED")
    assert str(report.problems[0]).startswith("line 3, column Cents: cents() raised InvalidOperation.")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[Ordr.fields]", "no entity 'Ordr'. Did you mean 'Order'"),
        ('[Order.fields]\ntotl = "x"', "no field 'totl'. Did you mean 'total'"),
        ("[Order.fields]\ntotal = 5", "neither a column nor a constant"),
        ('[Order.fields]\ntotal = {function = "nowhere:f"}', "there is no nowhere:f"),
        ('[Order]\ncolumns = "x"', "something else than fields"),
        ('[Order.fields]\ntotal = "amount"', "has no column 'amount', which Order.total should come from"),
        ("[Order", "is no TOML"),
        ("[Order]\ntable = 5", "table is no text"),
        ("[Order]\nquery = [1]", "query is no text"),
        ("[Order.fields]\ntotal = {column = 5}", "neither a column nor a constant"),
        ("[Order.fields]\ntotal = {function = true}", "neither a column nor a constant"),
        (
            '[Order.fields]\ntotal = {function = "that_raises:f"}',
            "that_raises cannot be imported, it raises ZeroDivisionError",
        ),
    ],
)
def test_wrong_mappings_are_refused_before_anything_is_written(
    db: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, complaint: str
) -> None:
    (tmp_path / "that_raises.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "map.toml").write_text(text)
    (tmp_path / "orders.csv").write_text(GOOD)
    with pytest.raises(ArgumentError, match=complaint):
        bring(db, tmp_path / "orders.csv", mapping=read_mapping(tmp_path / "map.toml", shop))
    assert orders(db) == []


def test_columns_that_nothing_comes_from_are_told(db: Session, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(
        GOOD.replace("total", "total,colour").replace("12.50", "12.50,").replace(",3", ",3,")
    )
    assert bring(db, tmp_path / "orders.csv").unused == ("colour",)


def test_members_of_lines_that_nothing_comes_from_are_told(db: Session, tmp_path: Path) -> None:
    line = {"username": "ann", "placed_at": "2025-06-30T12:00:00Z", "total": "3"}
    lines = [line | {"order_id": "o1", "totl": "secret"}, line | {"order_id": "o2", "colour": 1}]
    (tmp_path / "orders.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report = bring(db, tmp_path / "orders.jsonl")
    assert (report.new, report.unused) == (2, ("totl", "colour"))
    many = line | {"order_id": "o3"} | {f"x{n}": 1 for n in range(1000)}
    (tmp_path / "wide.jsonl").write_text(json.dumps(many))
    assert len(bring(db, tmp_path / "wide.jsonl").unused) == 100


def test_attributes_of_items_that_nothing_comes_from_are_told(db: Session, exported: Path) -> None:
    assert bring(db, exported, None).unused == ()
    for part in (exported / "data").iterdir():
        text = gzip.decompress(part.read_bytes()).replace(b'{"Item":{', b'{"Item":{"colour":{"S":"secret"},')
        part.write_bytes(gzip.compress(text))
    (exported / "manifest-summary.json").unlink()
    report = bring(db, exported / "data", None)
    assert (report.same, report.unused) == (4, ("colour",))


def test_lines_that_are_no_json_are_told(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    good = {"$entity": "Customer", "username": "ann", "email": "a@x"}
    path.write_text("\n".join([json.dumps(good), "{", "[1]", '{"username": "bob"}', '{"$entity": "Nobody"}']))
    report = bring(db, path, None)
    assert (report.new, report.bad) == (1, 4)
    assert [one.place for one in report.problems] == ["line 2", "line 3", "line 4", "line 5"]


def test_lines_of_another_entity_than_the_one_that_is_named_are_not_taken(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    ann, bob = ({"username": name, "email": f"{name}@x"} for name in ("ann", "bob"))
    path.write_text(
        "\n".join(json.dumps(line) for line in (ann, {"$entity": "Order", **bob}, {"$entity": "Customer", **bob}))
    )
    report = bring(db, path, "Customer")
    assert (report.new, report.bad) == (2, 1)
    assert [str(one) for one in report.problems] == [
        "line 2, column $entity: it is of Order, not of Customer. Leave --entity out, and each row is of the entity that it names."
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            '{"username": "ann", "total": 1, "total": "SECRET"}',
            "line 1, column total: a name stands twice in one object.",
        ),
        ('{"username": "ann", "extra": {"SECRET": 1, "SECRET": 2}}', "line 1: a name stands twice in one object."),
    ],
)
def test_lines_that_say_something_twice_are_not_taken(db: Session, tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text(line + '\n{"username": "ann", "order_id": "o", "placed_at": "2025-06-30T12:00Z", "total": 1}\n')
    report = bring(db, path)
    assert (report.new, report.bad) == (1, 1)
    assert str(report.problems[0]) == f"{told} Leave one of the two out."


def test_unique_values_are_kept(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "customers.jsonl"
    path.write_text('{"username": "ann", "email": "a@x"}\n{"username": "bob", "email": "a@x"}\n')
    for options in (WRITE, ImportOptions(write=True, replace=True)):
        report = bring(db, path, "Customer", options)
        assert report.bad == 1
        assert str(report.problems[0]).startswith(
            "line 2, column email: Customer: the value of email belongs to another"
        )
    assert len(list(db.scan_for_maintenance(Customer))) == 1


def test_a_dry_run_promises_no_unique_value_that_is_taken(db: Session, tmp_path: Path) -> None:
    db.create(Customer(username="cat", email="taken@x"))
    before = db.send("Scan", {"TableName": "Shop"})["Items"]
    path = tmp_path / "customers.jsonl"
    rows = [
        *(("ann", "a@x"), ("bob", "a@x"), ("dan", "taken@x"), ("cat", "taken@x"), ("eve", "e@x")),
        *((f"u{n}", f"u{n}@x") for n in range(60)),  # more than a group
        ("zoe", "a@x"),
    ]
    path.write_text("".join(json.dumps({"username": name, "email": mail}) + "\n" for name, mail in rows))
    with db.measure() as meter:
        dry = bring(db, path, "Customer", ImportOptions())
    assert meter.capacity.write == 0
    assert db.send("Scan", {"TableName": "Shop"})["Items"] == before
    assert [str(one) for one in dry.problems] == [
        "line 2, column email: Customer: the value of email belongs to line 1. Correct one of the two.",
        "line 3, column email: Customer: the value of email belongs to another Customer. Correct one of the two.",
        "line 66, column email: Customer: the value of email belongs to line 1. Correct one of the two.",
    ]
    done = bring(db, path, "Customer", ImportOptions(write=True, workers=1))
    assert (dry.new, dry.same, dry.bad) == (done.new, done.same, done.bad) == (62, 1, 3)


def test_a_dry_run_knows_which_unique_values_are_given_up(db: Session, tmp_path: Path) -> None:
    db.create(Customer(username="ann", email="a@x"))
    db.create(Customer(username="bob", email="b@x"))
    path = tmp_path / "customers.jsonl"
    rows = [("cat", "b@x"), ("ann", "new@x"), ("dan", "a@x"), ("bob", "a@x"), ("bob2", "new@x"), ("eve", "b@x")]
    path.write_text("".join(json.dumps({"username": name, "email": mail}) + "\n" for name, mail in rows))
    dry, done = (bring(db, path, "Customer", ImportOptions(write=w, replace=True)) for w in (False, True))
    assert [one.place for one in dry.problems] == [one.place for one in done.problems]
    assert [one.place for one in dry.problems] == ["line 1", "line 4", "line 5", "line 6"]
    assert (dry.new, dry.replaced, dry.bad) == (done.new, done.replaced, done.bad) == (1, 1, 4)


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """An export of a table of the model, as DynamoDB lays it out."""
    with open_engine("memory:") as engine:
        with shop.open(engine) as db:
            db.create(Customer(username="ann", email="a@x"))
            for number in range(3):
                db.create(Order(username="ann", order_id=f"o{number}", placed_at=NOON, total=Decimal(number)))
        return Path(engine.export_table("Shop", tmp_path / "export").folder)


def test_an_export_of_the_model_is_brought_in_by_its_types(db: Session, exported: Path) -> None:
    report = bring(db, exported, None)
    assert (report.rows, report.new, report.passed, report.bad) == (5, 4, 1, 0)  # one is the marker of a unique value
    assert len(orders(db)) == 3
    with pytest.raises(Exception, match="belongs to another"):
        db.create(Customer(username="bob", email="a@x"))
    assert bring(db, exported, "Order").same == 3


def test_an_export_of_a_foreign_table_is_brought_in_by_a_mapping(db: Session, tmp_path: Path) -> None:
    item = {"id": {"S": "o1"}, "who": {"S": "ann"}, "at": {"S": "2025-06-30T12:00Z"}, "sum": {"N": "12.5"}}
    with gzip.open(tmp_path / "old.json.gz", "wt") as lines:
        lines.write(json.dumps({"Item": item}) + "\n" + '{"Item": {"id": {"S": 5}}}\n')
    (tmp_path / "map.toml").write_text(
        '[Order.fields]\norder_id = "id"\nusername = "who"\nplaced_at = "at"\ntotal = "sum"\n'
    )
    report = bring(db, tmp_path / "old.json.gz", mapping=read_mapping(tmp_path / "map.toml", shop))
    assert (report.new, report.bad) == (1, 1)
    assert orders(db)[0].total == Decimal("12.5")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"outputFormat": "ION"}, "the format ION, which is not read here. Export again with the format DYNAMODB_JSON"),
        ({"exportType": "INCREMENTAL_EXPORT"}, "an incremental export"),
    ],
)
def test_other_kinds_of_exports_are_refused(
    db: Session, exported: Path, change: dict[str, str], complaint: str
) -> None:
    summary = exported / "manifest-summary.json"
    summary.write_text(json.dumps(json.loads(summary.read_text()) | change))
    with pytest.raises(ArgumentError, match=complaint):
        bring(db, exported, None)


def test_a_damaged_export_is_noticed(db: Session, exported: Path) -> None:
    (data,) = [path for path in (exported / "data").iterdir() if path.stat().st_size > 50]
    data.write_bytes(gzip.compress(b"\n".join(gzip.decompress(data.read_bytes()).splitlines()[:-1])))
    with pytest.raises(ArgumentError, match=r"not what the manifest has the digest of|the manifest says"):
        bring(db, exported, None)


def test_an_export_whose_list_of_files_is_gone_or_short_is_noticed(db: Session, exported: Path) -> None:
    files = exported / "manifest-files.json"
    files.write_text("")
    with pytest.raises(ArgumentError, match=r"hold 0 items where manifest-summary\.json says 5"):
        bring(db, exported, None)
    files.unlink()
    with pytest.raises(ArgumentError, match=r"has no manifest-files\.json"):
        bring(db, exported, None)
    assert orders(db) == []


def an_export(folder: Path, *parts: int, **said: Any) -> Path:
    """An export of two thousand orders in each of its files, as a list of numbers tells; `said` goes into each line of its list."""
    (folder / "data").mkdir(parents=True)
    listed = []
    for part in parts:
        numbers = range(part * 2000, part * 2000 + 2000)
        items = [
            {
                "order_id": {"S": f"o{n}"},
                "username": {"S": "ann"},
                "placed_at": {"S": "2025-06-30T12:00Z"},
                "total": {"N": "1"},
            }
            for n in numbers
        ]
        packed = gzip.compress("".join(json.dumps({"Item": item}) + "\n" for item in items).encode())
        (folder / "data" / f"{part}.json.gz").write_bytes(packed)
        line = {"dataFileS3Key": f"AWSDynamoDB/x/data/{part}.json.gz", "itemCount": 2000, "md5Checksum": md5_of(packed)}
        listed.append(json.dumps(line | said))
    (folder / "manifest-files.json").write_text("\n".join(listed))
    summary = {"itemCount": 2000 * len(parts), "outputFormat": "DYNAMODB_JSON"}
    (folder / "manifest-summary.json").write_text(json.dumps(summary))
    return folder


def md5_of(packed: bytes) -> str:
    return b64encode(hashlib.md5(packed, usedforsecurity=False).digest()).decode()


def shortened(packed: bytes) -> bytes:
    return gzip.compress(b"\n".join(gzip.decompress(packed).splitlines()[:-1]))


@pytest.mark.parametrize(
    ("damage", "listed", "complaint"),
    [
        (
            shortened,
            False,
            r"data/1\.json\.gz is not what the manifest has the digest of\. Copy the export from S3 again",
        ),
        (shortened, True, r"data/1\.json\.gz holds 1,999 items where the manifest says 2,000\. Copy the export"),
        (lambda packed: packed[:-100], True, r"1\.json\.gz cannot be read: EOFError"),
        (lambda packed: packed[:-8] + b"\0" * 8, True, r"1\.json\.gz cannot be read: BadGzipFile"),
    ],
    ids=["digest", "count", "cut off", "checksum"],
)
def test_a_damaged_part_of_an_export_is_noticed_before_anything_is_written(
    db: Session, tmp_path: Path, damage: Callable[[bytes], bytes], listed: bool, complaint: str
) -> None:
    folder = an_export(tmp_path / "export", 0, 1)
    part, files = folder / "data" / "1.json.gz", folder / "manifest-files.json"
    before = part.read_bytes()
    part.write_bytes(damage(before))
    if listed:
        files.write_text(files.read_text().replace(md5_of(before), md5_of(part.read_bytes())))
    with pytest.raises(ArgumentError, match=complaint):
        bring(db, folder)
    assert orders(db) == []


def test_an_export_of_several_parts_is_brought_in(db: Session, tmp_path: Path) -> None:
    report = bring(db, an_export(tmp_path / "export", 0, 1))
    assert (report.new, report.well) == (4000, True)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"itemCount": "5"}, "itemCount is no number of items"),
        ({"itemCount": True}, "itemCount is no number of items"),
        ({"itemCount": -1}, "itemCount is no number of items"),
        ({"itemCount": None}, "itemCount is no number of items"),
        ({"md5Checksum": 5}, "md5Checksum is no text"),
        ({"dataFileS3Key": ["data/0.json.gz"]}, "dataFileS3Key is no text"),
    ],
    ids=str,
)
def test_a_list_of_files_that_says_what_it_should_not_is_refused(
    db: Session, tmp_path: Path, said: dict[str, Any], complaint: str
) -> None:
    folder = an_export(tmp_path / "export", 0, **said)
    with pytest.raises(
        ArgumentError, match=rf"manifest-files\.json line 1: {complaint}\. Copy the export from S3 again"
    ):
        bring(db, folder)


@pytest.mark.parametrize("member", ["itemCount", "md5Checksum", "dataFileS3Key"])
def test_a_list_of_files_that_lacks_something_is_refused(db: Session, tmp_path: Path, member: str) -> None:
    files = an_export(tmp_path / "export", 0) / "manifest-files.json"
    line = json.loads(files.read_text())
    del line[member]
    files.write_text(json.dumps(line))
    with pytest.raises(ArgumentError, match=rf"manifest-files\.json line 1: {member} is missing"):
        bring(db, files.parent)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("manifest-summary.json", '{"itemCount": "2000"}', r"summary\.json: itemCount is no number of items"),
        ("manifest-summary.json", '{"outputFormat": "DYNAMODB_JSON"}', r"summary\.json: itemCount is missing"),
        (
            "manifest-summary.json",
            '{"itemCount": 2000, "outputFormat": ["ION"]}',
            r"summary\.json: outputFormat is no text",
        ),
        ("manifest-summary.json", '{"itemCount": 2000, "exportType": {}}', r"summary\.json: exportType is no text"),
        ("manifest-summary.json", "[]", r"manifest-summary\.json is no JSON object"),
        ("manifest-summary.json", "[" * 100_000, r"manifest-summary\.json is no JSON object"),
        ("manifest-files.json", "\n[]", r"manifest-files\.json line 2 is no JSON object"),
        ("manifest-files.json", "{", r"manifest-files\.json line 1 is no JSON object"),
        (
            "manifest-files.json",
            json.dumps({"dataFileS3Key": "x" * 5000, "itemCount": 2000, "md5Checksum": ""}),
            "There is no file .*data/xxx",
        ),
    ],
    ids=["count", "no count", "format", "type", "a list", "deep", "a list of files", "no JSON", "an impossible name"],
)
def test_manifests_that_are_none_are_refused(
    db: Session, tmp_path: Path, name: str, content: str, complaint: str
) -> None:
    folder = an_export(tmp_path / "export", 0)
    (folder / name).write_text(content)
    with pytest.raises(ArgumentError, match=complaint):
        bring(db, folder)


def test_parquet_that_is_damaged_further_on_is_refused_before_anything_is_written(db: Session, tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "orders.parquet"
    times = arrow.array([1_700_000_000_000_000_000] * 5000 + [1_700_000_000_123_456_789], arrow.timestamp("ns", "UTC"))
    ids = [f"o{number}" for number in range(5001)]
    columns = {"username": ["ann"] * 5001, "order_id": ids, "placed_at": times, "total": ["1"] * 5001}
    parquet.write_table(arrow.table(columns), path)
    with pytest.raises(ArgumentError, match="after row 5000, cannot be read: ValueError"):
        bring(db, path)
    assert orders(db) == []


def test_parquet_that_cannot_be_read_is_told(db: Session, tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "orders.parquet"
    parquet.write_table(arrow.table([["a"], ["b"]], names=["order_id", "order_id"]), path)
    with pytest.raises(ArgumentError, match="two columns of one name: 'order_id'"):
        bring(db, path)
    finer = arrow.array([1_700_000_000_123_456_789], arrow.timestamp("ns", "UTC"))
    parquet.write_table(arrow.table({"order_id": ["a"], "placed_at": finer}), path)
    with pytest.raises(ArgumentError, match="after row 0, cannot be read: ValueError"):
        bring(db, path)
    parquet.write_table(arrow.table({"order_id": ["a" * 50] * 50}), path, compression="none", use_dictionary=False)
    damaged = bytearray(path.read_bytes())
    damaged[20:60] = b"\xff" * 40
    path.write_bytes(damaged)
    with pytest.raises(ArgumentError, match="after row 0, cannot be read"):
        bring(db, path)


@pytest.fixture
def database(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'old.sqlite'}"
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE people (login TEXT PRIMARY KEY, mail TEXT, name TEXT)"))
        connection.execute(sqlalchemy.text("CREATE TABLE sales (id INTEGER, login TEXT, at TEXT, cents INTEGER)"))
        connection.execute(sqlalchemy.text("INSERT INTO people VALUES ('ann', 'a@x', NULL), ('bob', NULL, 'B')"))
        connection.execute(sqlalchemy.text("INSERT INTO sales VALUES (1, 'ann', '2025-06-30T12:00Z', 1250)"))
    engine.dispose()
    return url


def test_a_database_is_brought_in_by_tables_and_queries(db: Session, database: str, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(
        '[Customer]\ntable = "people"\n[Customer.fields]\nusername = "login"\nemail = "mail"\n'
        "[Order]\nquery = \"SELECT 'o' || id AS order_id, login AS username, at AS placed_at, cents AS total FROM sales\"\n"
    )
    mapping = read_mapping(tmp_path / "map.toml", shop)
    people = bring(db, database, "Customer", mapping=mapping)
    assert (people.rows, people.new) == (2, 1)
    assert str(people.problems[0]).startswith("row 2, column mail: Customer.email has no value.")
    assert bring(db, database, "Order", mapping=mapping).new == 1
    assert orders(db)[0] == Order(username="ann", order_id="o1", placed_at=NOON, total=Decimal(1250))
    with pytest.raises(ArgumentError, match="does not keep its rows in an order"):
        bring(db, database, "Order", ImportOptions(write=True, checkpoint=tmp_path / "c"), mapping=mapping)


def test_a_query_with_two_columns_of_one_name_is_refused(db: Session, database: str) -> None:
    query = "SELECT 'o1' AS order_id, 1 AS total, 2 AS total -- which one?"
    with pytest.raises(ArgumentError, match="two columns of one name: 'total'"):
        bring(db, database, mapping={"Order": EntityMapping(query=query)})
    commented = "SELECT 'o1' AS order_id, 'ann' AS username, '2025-06-30T12:00Z' AS placed_at, 1 AS total -- all of it"
    assert bring(db, database, mapping={"Order": EntityMapping(query=commented)}).new == 1


def test_what_a_database_refuses_is_told_without_its_password(db: Session, database: str) -> None:
    with pytest.raises(ArgumentError, match="no table nothing"):
        find_source(database, "sql", EntityMapping(table="nothing"))
    with pytest.raises(ArgumentError, match='refused to answer: OperationalError, near "1": syntax error'):
        find_source(database, "sql", EntityMapping(query="SELEC 1"))
    with pytest.raises(ArgumentError, match="Which rows"):
        find_source(database, "sql", EntityMapping())
    with pytest.raises(ArgumentError, match="cannot be reached") as caught:
        find_source("nothing://ann:SECRET@host/db", "sql", EntityMapping(table="t"))
    assert "SECRET" not in str(caught.value)
    with pytest.raises(ArgumentError, match="cannot be reached") as caught:
        find_source(f"{database}?timeout=SECRET", "sql", EntityMapping(table="t"))
    assert "SECRET" not in str(caught.value)


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for path in (tmp_path / "none.sqlite", tmp_path / "no folder" / "none.sqlite"):
        with pytest.raises(ArgumentError, match=f"There is no file {path}"):
            find_source(f"sqlite:///{path}", "sql", EntityMapping(table="t"))
    assert list(tmp_path.iterdir()) == []


def test_a_driver_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymssql", None)
    with pytest.raises(ArgumentError, match="cannot be reached: there is no module pymssql"):
        find_source("mssql+pymssql://ann@host/db", "sql", EntityMapping(table="t"))


class Killed(BaseException):
    """A kill between two requests."""


def test_an_import_goes_on_after_a_kill_anywhere(tmp_path: Path) -> None:
    path, checkpoint = tmp_path / "orders.csv", tmp_path / "checkpoint"
    lines = [f"ann,o{number:03},2025-06-30T12:00:00Z,{number}" for number in range(120)]
    path.write_text("username,order_id,placed_at,total\n" + "\n".join([*lines, "ann,o005,2025-06-30T12:00:00Z,9", "x"]))
    times = iter(range(10**6))
    options = ImportOptions(write=True, workers=1, checkpoint=checkpoint)
    with open_engine("memory:") as engine, shop.open(engine) as db:
        kills = 0
        for patience in range(1, 40):
            puts = 0

            class Dying:
                """A way to the table that ends the program after some requests."""

                def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                    nonlocal puts
                    puts += operation == "PutItem"
                    if puts > patience:  # noqa: B023 - used before the next round
                        raise Killed
                    return engine.execute(operation, request)

                def close(self) -> None:
                    """Nothing is kept open."""

            with shop.open(Dying(), create=False) as dying:
                try:
                    report = bring(dying, path, options=options, clock=lambda: float(next(times)))
                except Killed:
                    kills += 1
                    continue
            break
        assert kills > 3
        assert (report.new + report.same, report.bad) == (120, 2)
        assert [order.total for order in orders(db)] == list(range(120))
    assert not checkpoint.exists()


def test_a_checkpoint_of_something_else_is_refused(db: Session, tmp_path: Path) -> None:
    path, checkpoint = tmp_path / "orders.csv", tmp_path / "checkpoint"
    path.write_text(GOOD)
    checkpoint.write_text('{"identity": "other"}')
    with pytest.raises(ArgumentError, match="the checkpoint of something else"):
        bring(db, path, options=ImportOptions(write=True, checkpoint=checkpoint))
    checkpoint.write_text("{")
    with pytest.raises(ArgumentError, match="no checkpoint"):
        bring(db, path, options=ImportOptions(write=True, checkpoint=checkpoint))
    with pytest.raises(ArgumentError, match=r"There is no folder .*nowhere for the checkpoint"):
        bring(db, path, options=ImportOptions(write=True, checkpoint=tmp_path / "nowhere" / "checkpoint"))
    assert orders(db) == []


class Begun:
    """Rows of a file up to a kill."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name, self.identity, self.columns = source.name, source.identity, source.columns
        self.fraction = source.fraction

    def rows(self) -> Iterator[Row | Problem]:
        """The first hundred."""
        yield from islice(self._source.rows(), 100)
        raise Killed


def test_a_checkpoint_knows_its_mapping(db: Session, tmp_path: Path) -> None:
    """What one mapping had begun went on by another: rows of both stood in the table."""
    path, checkpoint = tmp_path / "orders.csv", tmp_path / "checkpoint"
    lines = (f"ann,o{number:03},2025-06-30T12:00Z,{number},7" for number in range(120))
    path.write_text("\n".join(["username,order_id,at,c,d", *lines]))
    times = iter(range(10**6))
    options = ImportOptions(write=True, workers=1, checkpoint=checkpoint)

    def euros(cents: str) -> Decimal:
        return Decimal(cents) / 100

    def tenths(cents: str) -> Decimal:
        return Decimal(cents) / 10

    def mapped(total: Origin, at: str = "at") -> dict[str, EntityMapping]:
        return {"Order": EntityMapping({"placed_at": Origin(at), "total": total})}

    first = mapped(Origin("c", function=euros))
    begun = Begun(find_source(str(path), "csv", EntityMapping()))
    with pytest.raises(Killed):
        import_rows(db, shop, begun, "Order", first, options, clock=lambda: float(next(times)))
    assert 0 < len(orders(db)) < 120
    others = (Origin("c"), Origin("d", function=euros), Origin("c", function=tenths), Origin(constant=7))
    for other in [*map(mapped, others), mapped(Origin("c", function=euros), at="d"), {}]:
        with pytest.raises(ArgumentError, match="the checkpoint of something else"):
            bring(db, path, options=options, mapping=other)
    turned = {"Order": EntityMapping(dict(sorted(first["Order"].origins.items(), reverse=True)))}
    assert bring(db, path, options=options, mapping=turned).well
    assert [order.total for order in orders(db)] == [Decimal(n) / 100 for n in range(120)]
    assert not checkpoint.exists()


def test_progress_tells_rate_and_time_left(db: Session, tmp_path: Path) -> None:
    class Slow:
        name, identity, columns, read = "slow", "slow", None, 0

        def rows(self) -> Iterator[Row]:
            for self.read in range(1, 101):
                values = {"username": "ann", "order_id": str(self.read), "placed_at": NOON, "total": 1}
                yield Row(f"row {self.read}", values)

        def fraction(self) -> float:
            return self.read / 200

    told: list[str] = []
    times = iter(range(0, 10**6, 3))
    import_rows(
        db, shop, Slow(), "Order", options=ImportOptions(workers=1), progress=told.append, clock=lambda: next(times)
    )
    assert told[0] == "25 rows, 4 a second, 18 s left"


def test_a_failure_of_the_service_ends_an_import(db: Session, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(GOOD)

    class Broken:
        def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            raise InternalError("It is down.")

        def close(self) -> None:
            """Nothing is kept open."""

    with shop.open(Broken(), create=False, retry=_hasty()) as broken, pytest.raises(Exception, match=r"down|unknown"):
        bring(broken, tmp_path / "orders.csv")


def _hasty() -> Any:
    from tablewright import RetryPolicy

    return RetryPolicy(max_retries=0)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"a,a\n1,2\n", "two columns of one name: 'a'"),
        (b"username,order_id\n\xff,1\n", "is not in UTF-8"),
        (b'username,order_id\n"a"b,1\n', "is no CSV"),
    ],
)
def test_files_that_are_no_csv(db: Session, tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "orders.csv").write_bytes(content)
    with pytest.raises(ArgumentError, match=complaint):
        bring(db, tmp_path / "orders.csv")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"ann,\xff,2025-06-30T12:00:00Z,3\n", "line 2003, is not in UTF-8"),
        (b'ann,"o"3,2025-06-30T12:00:00Z,3\n', "is no CSV"),
    ],
)
def test_a_file_that_cannot_be_read_to_its_end_is_refused_before_anything_is_written(
    db: Session, tmp_path: Path, line: bytes, complaint: str
) -> None:
    good = b"".join(b"ann,x%d,2025-06-30T12:00:00Z,3\n" % number for number in range(2000))
    (tmp_path / "orders.csv").write_bytes(GOOD.encode()[: GOOD.rindex("ann")] + good + line + good)
    with pytest.raises(ArgumentError, match=complaint):
        bring(db, tmp_path / "orders.csv")
    assert orders(db) == []


@pytest.mark.parametrize("name", ["orders.jsonl.gz", "orders.json.gz", "orders.csv.gz"])
def test_a_packed_file_that_is_cut_off_is_refused_before_anything_is_written(
    db: Session, tmp_path: Path, name: str
) -> None:
    line = {"username": "ann", "placed_at": "2025-06-30T12:00:00Z", "total": "3"}
    rows = [json.dumps(line | {"order_id": f"o{number}"}) for number in range(5000)]
    if name == "orders.csv.gz":
        rows = ["username,order_id,placed_at,total", *(f"ann,o{n},2025-06-30T12:00:00Z,3" for n in range(5000))]
    packed = gzip.compress("\n".join(rows).encode())
    (tmp_path / name).write_bytes(packed[: len(packed) * 2 // 3])
    with pytest.raises(ArgumentError, match=rf"{name} cannot be read: EOFError"):
        bring(db, tmp_path / name)
    assert orders(db) == []


def test_a_checkpoint_does_not_keep_a_file_from_being_checked(db: Session, tmp_path: Path) -> None:
    """What was damaged since a kill, or before a program that looked, is refused as at the beginning."""
    folder, checkpoint = an_export(tmp_path / "export", 0, 1), tmp_path / "checkpoint"
    options = ImportOptions(write=True, workers=1, checkpoint=checkpoint)
    times = iter(range(10**6))
    with pytest.raises(Killed):
        source = Begun(find_source(str(folder), "dynamodb", EntityMapping()))
        import_rows(db, shop, source, "Order", options=options, clock=lambda: float(next(times)))
    begun = len(orders(db))
    assert 0 < begun < 2000
    assert checkpoint.exists()
    part = folder / "data" / "1.json.gz"
    told, whole = part.stat(), part.read_bytes()
    part.write_bytes(whole[:-10] + b"\0" * 10)
    os.utime(part, ns=(told.st_atime_ns, told.st_mtime_ns))
    with pytest.raises(ArgumentError, match="has the digest of"):
        bring(db, folder, options=options)
    assert len(orders(db)) == begun
    part.write_bytes(whole)
    os.utime(part, ns=(told.st_atime_ns, told.st_mtime_ns))
    report = bring(db, folder, options=options)
    assert (report.new + report.same, len(orders(db))) == (4000, 4000)


def test_a_cell_that_is_nested_too_deeply_is_a_wrong_row(tmp_path: Path) -> None:
    path = tmp_path / "things.csv"
    path.write_text("thing_id,made_at,tags\n1,2025-06-30T12:00:00Z," + "[" * 100_000 + "\n")
    with everything.open("memory:") as db:
        report = import_rows(db, everything, find_source(str(path), "csv", EntityMapping()), "Thing", {}, WRITE)
    assert (report.rows, report.new, report.bad) == (1, 0, 1)
    assert str(report.problems[0]).startswith("line 2, column tags")


def test_what_is_deleted_just_after_it_was_met_is_written(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(GOOD)
    with open_engine("memory:") as engine, shop.open(engine) as db:
        bring(db, tmp_path / "orders.csv")

        class Fleeting:
            """A table whose items are deleted by others as soon as they are met, and which does not say what they were."""

            def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                try:
                    return engine.execute(operation, request)
                except ConditionalCheckFailed:
                    key = {name: request["Item"][name] for name in ("PK", "SK")}
                    engine.execute("DeleteItem", {"TableName": request["TableName"], "Key": key})
                    raise ConditionalCheckFailed("The conditional request failed", operation=operation) from None

            def close(self) -> None:
                """Nothing is kept open."""

        with shop.open(Fleeting(), create=False) as fleeting:
            report = bring(fleeting, tmp_path / "orders.csv")
        assert (report.new, report.same) == (2, 0)
        assert len(orders(db)) == 2
