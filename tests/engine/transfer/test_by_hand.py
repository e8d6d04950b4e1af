"""Engine.export_table and Engine.import_table."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tablewright.engine.transfer import exporting
from tablewright.errors import ConfigError, RequestRefused, ResourceInUse, ResourceNotFound, StorageError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
VALUES = st.recursive(
    st.one_of(
        TEXT.map(lambda text: {"S": text}),
        st.integers(-(10**20), 10**20).map(lambda number: {"N": str(number)}),
        st.booleans().map(lambda flag: {"BOOL": flag}),
        st.just({"NULL": True}),
        st.just({"B": "AAEC"}),
        st.just({"SS": ["a", "b"]}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: {"L": values}),
        st.dictionaries(TEXT, inner, max_size=3).map(lambda values: {"M": values}),
    ),
    max_leaves=5,
)
ITEMS = st.dictionaries(
    st.tuples(TEXT, st.integers(-1000, 1000)),
    st.dictionaries(st.sampled_from(["v", "w", "x"]), VALUES, max_size=3),
    max_size=8,
)


def scanned(engine: Engine, name: str, **more: Any) -> list[str]:
    return sorted(map(repr, engine.execute("Scan", {"TableName": name, **more})["Items"]))


def test_a_table_goes_to_a_folder_and_comes_back(table: Any, engine: Engine, tmp_path: Path) -> None:
    for number in range(25):
        table.put(pk={"S": "a"}, sk={"N": str(number)}, g={"S": "g"}, r={"S": str(number)}, h={"N": "1"}, l={"S": "l"})
    exported = engine.export_table("App", tmp_path / "out")
    assert (exported.items, exported.folder.parent) == (25, tmp_path / "out" / "AWSDynamoDB")
    imported = engine.import_table(exported.folder, "Copy")
    assert imported == ("Copy", 25, 25, 0, ())
    for index in ("ByGroup", "ByFour", "ByLocal", "ByLocalKeys"):
        assert scanned(engine, "Copy", IndexName=index) == scanned(engine, "App", IndexName=index)
    same = ("KeySchema", "AttributeDefinitions", "ItemCount", "TableSizeBytes")
    first, second = (engine.execute("DescribeTable", {"TableName": name})["Table"] for name in ("App", "Copy"))
    assert {member: first[member] for member in same} == {member: second[member] for member in same}


def with_strangers(engine: Engine) -> None:
    """A table with items that stood there before its index, which cannot hold them."""
    key = {"AttributeName": "pk", "AttributeType": "S"}
    engine.execute(
        "CreateTable",
        {
            "TableName": "Old",
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [key],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        },
    )
    values: list[dict[str, Any]] = [{"N": "1"}, {"S": "one"}, {"S": ""}, {"S": "x" * 3000}, {"M": {}}]
    for number, value in enumerate(values):
        engine.execute("PutItem", {"TableName": "Old", "Item": {"pk": {"S": str(number)}, "score": value}})
    index = {
        "IndexName": "ByScore",
        "KeySchema": [{"AttributeName": "score", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    definitions = [key, {"AttributeName": "score", "AttributeType": "S"}]
    update = {"TableName": "Old", "AttributeDefinitions": definitions}
    engine.execute("UpdateTable", {**update, "GlobalSecondaryIndexUpdates": [{"Create": index}]})


def test_what_an_index_keeps_out_comes_back_too(engine: Engine, tmp_path: Path) -> None:
    with_strangers(engine)
    exported = engine.export_table("Old", tmp_path)
    assert engine.import_table(tmp_path, "Copy") == ("Copy", 5, 5, 0, ())
    assert scanned(engine, "Copy") == scanned(engine, "Old")
    assert scanned(engine, "Copy", IndexName="ByScore") == scanned(engine, "Old", IndexName="ByScore")
    assert len(scanned(engine, "Copy", IndexName="ByScore")) == 1
    assert engine.verify() == []
    # Files that nobody here wrote are held to what can be put.
    definition = json.loads((exported.folder / "table-definition.json").read_text())
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    for path in (exported.folder / "data").iterdir():
        path.rename(foreign / path.name)
    assert engine.import_table(foreign, "Other", definition)[:4] == ("Other", 5, 1, 4)


def test_a_folder_with_one_export_stands_for_it(table: Any, engine: Engine, tmp_path: Path) -> None:
    engine.export_table("App", tmp_path)
    engine.execute("DeleteTable", {"TableName": "App"})
    assert engine.import_table(tmp_path).table == "App"
    second = engine.export_table("App", tmp_path).folder
    with pytest.raises(ConfigError, match=r"holds 2 exports: .*\. Give one of them") as told:
        engine.import_table(tmp_path, "Copy")
    assert str(second) in told.value.message
    assert engine.import_table(second, "Copy").table == "Copy"
    for _ in range(4):
        engine.export_table("App", tmp_path)
    with pytest.raises(ConfigError, match="holds 6 exports: the latest are "):
        engine.import_table(tmp_path, "Other")


def test_capacity_travels_with_the_table(engine: Engine, tmp_path: Path, table_definition: Any) -> None:
    request = table_definition("App")
    units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
    request.update(BillingMode="PROVISIONED", ProvisionedThroughput=units)
    for index in request["GlobalSecondaryIndexes"]:
        index["ProvisionedThroughput"] = units
    engine.execute("CreateTable", request)
    engine.execute("UpdateTable", {"TableName": "App", "ProvisionedThroughput": {**units, "ReadCapacityUnits": 9}})
    engine.import_table(engine.export_table("App", tmp_path).folder, "Copy")
    described = engine.execute("DescribeTable", {"TableName": "Copy"})["Table"]
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
    assert described["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 4


@settings(max_examples=30)
@given(items=ITEMS)
def test_whatever_an_item_holds_survives(tmp_path_factory: pytest.TempPathFactory, items: Any) -> None:
    folder = tmp_path_factory.mktemp("export")
    keys = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
    types = [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}]
    with open_engine("memory:") as engine:
        request = {
            "TableName": "App",
            "KeySchema": keys,
            "AttributeDefinitions": types,
            "BillingMode": "PAY_PER_REQUEST",
        }
        engine.execute("CreateTable", request)
        for (pk, sk), more in items.items():
            item = {"pk": {"S": pk}, "sk": {"N": str(sk)}, **more}
            engine.execute("PutItem", {"TableName": "App", "Item": item})
        engine.import_table(engine.export_table("App", folder).folder, "Copy")
        assert scanned(engine, "Copy") == scanned(engine, "App")


def test_large_tables_are_spread_over_files(
    table: Any, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_FILE_BYTES", 1000)
    for number in range(50):
        table.put(pk={"S": "a"}, sk={"N": str(number)}, v={"S": "x" * 100})
    exported = engine.export_table("App", tmp_path)
    assert len(list((exported.folder / "data").iterdir())) > 5
    assert engine.import_table(exported.folder, "Copy").imported == 50


def test_files_of_ones_own_need_a_definition(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,age\nada,36\nbob,41\n")
    with pytest.raises(ConfigError, match=r"what table .* --definition of tablewright import"):
        engine.import_table(tmp_path)
    definition = {
        "TableName": "People",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    }
    assert engine.import_table(tmp_path, definition=definition).imported == 2
    (tmp_path / "more.json").write_text("")
    with pytest.raises(ConfigError, match="one kind"):
        engine.import_table(tmp_path, "Other", definition)
    with pytest.raises(RequestRefused):
        engine.import_table(tmp_path, "x", definition)


def test_lines_that_are_left_out_are_told_without_values(engine: Engine, tmp_path: Path, table_definition: Any) -> None:
    key = {"pk": {"S": "secret"}, "sk": {"N": "1"}}
    lines = [
        json.dumps({"Item": key}),
        "{secret",
        json.dumps({"pk": "secret"}),
        "",
        json.dumps({"Item": {"pk": {"S": "secret"}}}),
        json.dumps({"Item": {**key, "v": {"N": "secret"}}}),
        json.dumps({"Item": {**key, "v": {"SS": ["secret", "secret"]}}}),
        json.dumps({"Item": {**key, "sk": {"S": "secret"}}}),
        json.dumps({"Item": {**key, "v": {"S": "secret" * 100_000}}}),
        json.dumps({"Item": {**key, "pk": {"S": ""}}}),
        json.dumps({"Item": None}),
        *["secret"] * 5,
    ]
    (tmp_path / "items.json").write_text("\n".join(lines))
    done = engine.import_table(tmp_path, definition=table_definition("App"))
    assert done[:4] == ("App", 15, 1, 14)
    assert [line for _, line, _ in done.left_out] == [2, 3, 5, 6, 7, 8, 9, 10, 11, 12]
    told = [str(one) for one in done.left_out]
    assert told[:7] == [
        "items.json, line 2: it is not JSON",
        'items.json, line 3: it is not an object with the member "Item"',
        "items.json, line 5: Missing the key sk in the item",
        "items.json, line 6: attribute v: it is not a number",
        "items.json, line 7: attribute v: a set has a member twice",
        "items.json, line 8: Type mismatch for key sk expected: N actual: S",
        "items.json, line 9: it has 600,013 bytes, and an item may have 409,600",
    ]
    assert "empty string value" in told[7]
    assert "secret" not in "".join(told)


def test_lines_of_csv_that_are_left_out(engine: Engine, tmp_path: Path, table_definition: Any) -> None:
    (tmp_path / "items.csv").write_text('pk,sk,v\na,1,"two\nlines"\nb,2\n\nc,,3\nd,x,4\n')
    done = engine.import_table(tmp_path, definition=table_definition("App"))
    assert [str(one) for one in done.left_out] == [
        "items.csv, line 4: it has 2 fields, the header 3",
        "items.csv, line 6: Missing the key sk in the item",
        "items.csv, line 7: attribute sk: it is not a number",
    ]


def test_folders_without_anything_to_import(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table_definition: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    definition = table_definition("App")
    with pytest.raises(ConfigError, match=r"There is no folder nofolder\."):
        engine.import_table("nofolder", "Abc", definition=definition)
    Path("items.json").write_text("")
    with pytest.raises(ConfigError, match=r"items\.json is a file, not a folder\."):
        engine.import_table("items.json", "Abc", definition=definition)
    Path("empty").mkdir()
    for _ in range(2):
        with pytest.raises(
            ConfigError, match=r"empty holds no files that end in \.json, \.json\.gz, \.csv or \.csv\.gz"
        ):
            engine.import_table("empty", "Abc", definition=definition)
        Path("empty/notes.txt").write_text("")
    assert engine.execute("ListTables", {}) == {"TableNames": []}


def test_what_goes_wrong_is_told(table: Any, engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(ResourceNotFound):
        engine.export_table("Nobody", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="failed"):
        engine.export_table("App", tmp_path / "file")
    exported = engine.export_table("App", tmp_path)
    with pytest.raises(ResourceInUse):
        engine.import_table(exported.folder)
    for path in (exported.folder / "data").iterdir():
        path.write_bytes(b"damaged")
    with pytest.raises(StorageError, match="failed"):
        engine.import_table(exported.folder, "Copy")
    (exported.folder / "manifest-files.json").write_text("{}")
    with pytest.raises(StorageError, match=r"manifest-files\.json line 1: dataFileS3Key is missing"):
        engine.import_table(exported.folder, "Copy")
    (exported.folder / "table-definition.json").write_text("{")
    with pytest.raises(ConfigError, match="damaged"):
        engine.import_table(exported.folder, "Copy")
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"itemCount": "25"}, r"manifest-files\.json line 1: itemCount is no number of items"),
        ({"itemCount": 24}, r"the files of manifest-files\.json hold 24 items where manifest-summary\.json says 25"),
        ({"md5Checksum": 5}, r"manifest-files\.json line 1: md5Checksum is no text"),
        ({"md5Checksum": "x"}, r"json\.gz is not what manifest-files\.json has the digest of"),
        ({"dataFileS3Key": ["x"]}, r"manifest-files\.json line 1: dataFileS3Key is no text"),
        ({"dataFileS3Key": "x" * 5000}, r"manifest-files\.json line 1: dataFileS3Key names no file of the export"),
        ({"dataFileS3Key": "../../secret"}, r"manifest-files\.json line 1: dataFileS3Key names no file of the export"),
    ],
    ids=["count is text", "count", "digest is no text", "digest", "key is no text", "impossible key", "key leads out"],
)
def test_a_manifest_that_says_what_it_should_not_is_refused(
    table: Any, engine: Engine, tmp_path: Path, said: dict[str, Any], complaint: str
) -> None:
    for number in range(25):
        table.put(pk={"S": "a"}, sk={"N": str(number)})
    folder = engine.export_table("App", tmp_path).folder
    files = folder / "manifest-files.json"
    files.write_text(json.dumps(json.loads(files.read_text()) | said))
    with pytest.raises(StorageError, match=complaint):
        engine.import_table(folder, "Copy")
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("manifest-files.json", b"", r"hold 0 items where manifest-summary\.json says 25"),
        ("manifest-files.json", b"\xff", r"manifest-files\.json line 1 is no JSON object"),
        ("manifest-files.json", b"[" * 100_000, r"manifest-files\.json line 1 is no JSON object"),
        ("manifest-summary.json", b"[]", r"manifest-summary\.json is no JSON object"),
        ("manifest-summary.json", b'{"itemCount": "25"}', r"manifest-summary\.json: itemCount is no number of items"),
    ],
    ids=["no files", "no text", "deep", "a list", "count is text"],
)
def test_manifests_that_are_none_are_refused(
    table: Any, engine: Engine, tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    for number in range(25):
        table.put(pk={"S": "a"}, sk={"N": str(number)})
    folder = engine.export_table("App", tmp_path).folder
    (folder / name).write_bytes(content)
    with pytest.raises(StorageError, match=complaint):
        engine.import_table(folder, "Copy")
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


def test_a_file_of_an_export_that_lost_an_item_is_noticed(table: Any, engine: Engine, tmp_path: Path) -> None:
    for number in range(25):
        table.put(pk={"S": "a"}, sk={"N": str(number)})
    folder = engine.export_table("App", tmp_path).folder
    (part,) = (folder / "data").iterdir()
    part.write_bytes(gzip.compress(b"\n".join(gzip.decompress(part.read_bytes()).splitlines()[:-1])))
    with pytest.raises(StorageError, match="has the digest of"):
        engine.import_table(folder, "Copy")
    files = folder / "manifest-files.json"
    files.write_text(json.dumps(json.loads(files.read_text()) | {"md5Checksum": None}))
    with pytest.raises(StorageError, match=r"json\.gz holds 24 items where manifest-files\.json says 25"):
        engine.import_table(folder, "Copy")
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


@pytest.mark.parametrize("part", ["AWSDynamoDB", "manifest-files.json", "table-definition.json", "data"])
def test_links_that_lead_out_of_the_folder_are_refused(table: Any, engine: Engine, tmp_path: Path, part: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    exported = engine.export_table("App", inside)
    path = inside / part if part == "AWSDynamoDB" else exported.folder / part
    path.rename(outside)
    path.symlink_to(outside)
    with pytest.raises(StorageError, match=f"{part} is a link that leads out"):
        engine.import_table(inside, "Copy")
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]
