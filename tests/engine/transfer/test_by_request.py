"""ExportTableToPointInTime and ImportTable, with a folder in the place of S3."""

import gzip
import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import RequestRefused, ServiceError

TABLE = "arn:aws:dynamodb:local:000000000000:table/App"
PARAMETERS: dict[str, Any] = {
    "TableName": "Copy",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "g", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByGroup",
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


class Clock:
    """A clock that is set by hand."""

    moment = 1_800_000_000.0

    def now(self) -> float:
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, table_definition: Any) -> Iterator[Engine]:
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    with open_engine(target, synchronous="NORMAL", clock=clock, buckets=tmp_path / "s3") as opened:
        opened.execute("CreateTable", table_definition("App"))
        opened.execute(
            "UpdateContinuousBackups",
            {"TableName": "App", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}},
        )
        yield opened
        assert opened.verify() == []


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    return tmp_path / "s3" / "my-bucket"


def put(engine: Engine, *numbers: int, value: str = "v") -> None:
    for number in numbers:
        item = {
            "pk": {"S": "a"},
            "sk": {"N": str(number)},
            "v": {"S": value},
            "g": {"S": f"g{number}"},
            "b": {"B": "AA=="},
        }
        engine.execute("PutItem", {"TableName": "App", "Item": item})


def refused(engine: Engine, operation: str, request: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(ServiceError) as caught:
        engine.execute(operation, request)
    return caught.value.wire_name, caught.value.message


def export(engine: Engine, **more: Any) -> dict[str, Any]:
    request = {"TableArn": TABLE, "S3Bucket": "my-bucket", **more}
    made: dict[str, Any] = engine.execute("ExportTableToPointInTime", request)["ExportDescription"]
    assert made["ExportStatus"] == "IN_PROGRESS"
    done: dict[str, Any] = engine.execute("DescribeExport", {"ExportArn": made["ExportArn"]})["ExportDescription"]
    return done


def lines(bucket: Path, done: dict[str, Any]) -> list[dict[str, Any]]:
    summary = json.loads((bucket / done["ExportManifest"]).read_text())
    found: list[dict[str, Any]] = []
    for line in (bucket / summary["manifestFilesS3Key"]).read_text().splitlines():
        listed = json.loads(line)
        packed = (bucket / listed["dataFileS3Key"]).read_bytes()
        assert b64encode(hashlib.md5(packed, usedforsecurity=False).digest()).decode() == listed["md5Checksum"]
        items = [json.loads(item) for item in gzip.decompress(packed).splitlines()]
        assert len(items) == listed["itemCount"]
        found += items
    return found


def test_an_export_has_the_layout_of_the_service(engine: Engine, bucket: Path) -> None:
    put(engine, 1, 2, 3)
    done = export(engine, S3Prefix="some/prefix")
    assert (done["ExportStatus"], done["ItemCount"], done["ExportType"]) == ("COMPLETED", 3, "FULL_EXPORT")
    folder = bucket / "some/prefix/AWSDynamoDB" / done["ExportArn"].rpartition("/")[2]
    names = {path.name for path in folder.iterdir()}
    assert names >= {
        "manifest-summary.json",
        "manifest-summary.md5",
        "manifest-files.json",
        "manifest-files.md5",
        "data",
    }
    summary = json.loads((folder / "manifest-summary.json").read_text())
    assert summary["exportArn"] == done["ExportArn"]
    assert (summary["itemCount"], summary["billedSizeBytes"]) == (3, done["BilledSizeBytes"])
    items = sorted(line["Item"]["sk"]["N"] for line in lines(bucket, done))
    assert items == ["1", "2", "3"]
    assert {json.dumps(list(line)) for line in lines(bucket, done)} == {'["Item"]'}


def test_an_export_is_of_the_moment_that_was_asked_for(engine: Engine, bucket: Path, clock: Clock) -> None:
    put(engine, 1, 2)
    clock.moment += 60
    moment = clock.moment
    clock.moment += 60
    put(engine, 2, value="later")
    put(engine, 3)
    engine.execute("DeleteItem", {"TableName": "App", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}})
    values = {line["Item"]["sk"]["N"]: line["Item"]["v"]["S"] for line in lines(bucket, export(engine))}
    assert values == {"2": "later", "3": "v"}
    past = {
        line["Item"]["sk"]["N"]: line["Item"]["v"]["S"] for line in lines(bucket, export(engine, ExportTime=moment))
    }
    assert past == {"1": "v", "2": "v"}


def test_an_empty_table_has_an_export_too(engine: Engine, bucket: Path) -> None:
    assert lines(bucket, export(engine)) == []


def test_exports_are_listed_the_latest_first(engine: Engine, clock: Clock) -> None:
    arns = []
    for _ in range(3):
        arns.append(export(engine)["ExportArn"])
        clock.moment += 1
    first = engine.execute("ListExports", {"MaxResults": 2})
    assert [one["ExportArn"] for one in first["ExportSummaries"]] == arns[:0:-1]
    rest = engine.execute("ListExports", {"TableArn": TABLE, "NextToken": first["NextToken"]})
    assert [one["ExportArn"] for one in rest["ExportSummaries"]] == arns[:1]
    assert "NextToken" not in rest
    for odd in ("f" * 112, "0" * 200, "x"):
        with pytest.raises(RequestRefused, match="NextToken is not valid"):
            engine.execute("ListExports", {"NextToken": odd})


def test_a_token_stands_for_one_export(engine: Engine) -> None:
    first = export(engine, ClientToken="token")
    assert export(engine, ClientToken="other")["ExportArn"] != first["ExportArn"]
    request = {"TableArn": TABLE, "S3Bucket": "my-bucket", "ClientToken": "token"}
    again = engine.execute("ExportTableToPointInTime", request)["ExportDescription"]
    assert (again["ExportArn"], again["ExportStatus"]) == (first["ExportArn"], "COMPLETED")
    assert refused(engine, "ExportTableToPointInTime", {**request, "S3Prefix": "x"})[0] == "ExportConflictException"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"TableArn": "arn:aws:dynamodb:local:000000000000:table/Nobody"}, "TableNotFoundException"),
        ({"ExportFormat": "ION"}, "ValidationException"),
        ({"ExportType": "INCREMENTAL_EXPORT"}, "ValidationException"),
        ({"ExportTime": 1_700_000_000}, "InvalidExportTimeException"),
        ({"ExportTime": 1_900_000_000}, "InvalidExportTimeException"),
        ({"S3Bucket": "../x"}, "ValidationException"),
        ({"S3Prefix": "../../x"}, "ValidationException"),
    ],
)
def test_exports_that_are_refused(engine: Engine, tmp_path: Path, changes: dict[str, Any], name: str) -> None:
    request = {"TableArn": TABLE, "S3Bucket": "my-bucket", **changes}
    assert refused(engine, "ExportTableToPointInTime", request)[0] == name
    assert not (tmp_path / "x").exists()


def test_an_export_needs_recovery_and_a_folder(tmp_path: Path, table_definition: Any) -> None:
    request = {"TableArn": TABLE, "S3Bucket": "my-bucket"}
    with open_engine("memory:", buckets=tmp_path) as engine:
        engine.execute("CreateTable", table_definition("App"))
        assert refused(engine, "ExportTableToPointInTime", request)[0] == "PointInTimeRecoveryUnavailableException"
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", table_definition("App"))
        told = refused(engine, "ExportTableToPointInTime", request)[1]
        assert "opened without a folder" in told
        assert "--buckets" in told
        assert "buckets=" in told


# ------------------------------------------------------------------------------------------------------- imports


def imported(engine: Engine, **request: Any) -> dict[str, Any]:
    whole = {"S3BucketSource": {"S3Bucket": "my-bucket"}, "TableCreationParameters": PARAMETERS, **request}
    made = engine.execute("ImportTable", whole)["ImportTableDescription"]
    assert made["ImportStatus"] == "IN_PROGRESS"
    done: dict[str, Any] = engine.execute("DescribeImport", {"ImportArn": made["ImportArn"]})["ImportTableDescription"]
    return done


def scanned(engine: Engine, name: str = "Copy", **more: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = engine.execute("Scan", {"TableName": name, **more})["Items"]
    return sorted(items, key=repr)


def test_an_export_can_be_imported(engine: Engine, bucket: Path) -> None:
    put(engine, *range(20))
    done = export(engine)
    where = {"S3Bucket": "my-bucket", "S3KeyPrefix": done["ExportManifest"].rpartition("/")[0] + "/data/"}
    told = imported(engine, S3BucketSource=where, InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP")
    assert (told["ImportStatus"], told["ImportedItemCount"], told["ErrorCount"]) == ("COMPLETED", 20, 0)
    assert told["TableId"] == engine.execute("DescribeTable", {"TableName": "Copy"})["Table"]["TableId"]
    assert scanned(engine) == scanned(engine, "App")
    assert len(scanned(engine, IndexName="ByGroup")) == 20


@pytest.mark.parametrize("below", ["", "/data/"], ids=["export", "its data"])
def test_an_export_keeps_what_an_index_of_the_new_table_cannot_hold(engine: Engine, bucket: Path, below: str) -> None:
    put(engine, *range(3))
    types = [
        one | {"AttributeType": "N"} if one["AttributeName"] == "g" else one
        for one in PARAMETERS["AttributeDefinitions"]
    ]
    done = export(engine)
    where = {"S3Bucket": "my-bucket", "S3KeyPrefix": done["ExportManifest"].rpartition("/")[0] + below}
    more = {"S3BucketSource": where, "InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP"}
    told = imported(engine, TableCreationParameters=PARAMETERS | {"AttributeDefinitions": types}, **more)
    assert (told["ImportedItemCount"], told["ErrorCount"]) == (3, 0)
    assert scanned(engine) == scanned(engine, "App")
    assert scanned(engine, IndexName="ByGroup") == []


def test_an_import_of_a_damaged_export_fails(engine: Engine, bucket: Path) -> None:
    put(engine, *range(3))
    folder = (bucket / export(engine)["ExportManifest"]).parent
    files = folder / "manifest-files.json"
    where = {"S3Bucket": "my-bucket", "S3KeyPrefix": folder.relative_to(bucket).as_posix()}
    more = {"S3BucketSource": where, "InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP"}
    line = json.loads(files.read_text())
    for said, complaint in (({"itemCount": "3"}, "itemCount is no number of items"), ({"md5Checksum": "x"}, "digest")):
        files.write_text(json.dumps(line | said))
        told = imported(engine, **more)
        assert (told["ImportStatus"], told["FailureCode"]) == ("FAILED", "InvalidFileFormat")
        assert complaint in told["FailureMessage"]
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


def test_lines_that_are_no_item_are_counted(engine: Engine, bucket: Path) -> None:
    bucket.mkdir(parents=True)
    key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
    good = [{"Item": {**key, "v": {"S": "first"}}}, {"Item": {**key, "v": {"S": "last"}}}]
    bad = [
        {"Item": {"pk": {"S": "a"}}},
        {"Item": {**key, "g": {"N": "1"}}},
        {"Item": {**key, "v": {"X": 1}}},
        {"item": key},
        7,
    ]
    text = "\n".join(json.dumps(line) for line in (*good, *bad)) + "\n\nnot json\n"
    (bucket / "items.json").write_text(text)
    told = imported(engine, InputFormat="DYNAMODB_JSON")
    assert (told["ProcessedItemCount"], told["ImportedItemCount"], told["ErrorCount"]) == (8, 1, 6)
    assert scanned(engine) == [{**key, "v": {"S": "last"}}]


def test_csv_is_typed_by_the_keys(engine: Engine, bucket: Path) -> None:
    bucket.mkdir(parents=True)
    (bucket / "a.csv").write_text('pk;sk;g;v\na;1;x;"semi;colon"\na;02.0;;\nb;one;x;\nc;3\n', encoding="utf-8")
    told = imported(engine, InputFormat="CSV", InputFormatOptions={"Csv": {"Delimiter": ";"}})
    assert (told["ProcessedItemCount"], told["ImportedItemCount"], told["ErrorCount"]) == (4, 2, 2)
    assert scanned(engine) == [
        {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "x"}, "v": {"S": "semi;colon"}},
        {"pk": {"S": "a"}, "sk": {"N": "2"}, "v": {"S": ""}},
    ]


def test_csv_may_have_its_header_in_the_request(engine: Engine, bucket: Path) -> None:
    bucket.mkdir(parents=True)
    (bucket / "a.csv.gz").write_bytes(gzip.compress(b"a,1\nb,2\n"))
    header = {"Csv": {"HeaderList": ["pk", "sk"]}}
    told = imported(engine, InputFormat="CSV", InputCompressionType="GZIP", InputFormatOptions=header)
    assert told["ImportedItemCount"] == 2


@pytest.mark.parametrize(
    ("files", "code"),
    [(None, "S3NoSuchBucket"), ({}, "NoSuchKey"), ({"a.json": b"not packed"}, "InvalidFileFormat")],
    ids=["no-bucket", "no-files", "not-packed"],
)
def test_an_import_that_fails_leaves_no_table(
    engine: Engine, bucket: Path, files: dict[str, bytes] | None, code: str
) -> None:
    if files is not None:
        bucket.mkdir(parents=True)
        for name, content in files.items():
            (bucket / name).write_bytes(content)
    told = imported(engine, InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP")
    assert (told["ImportStatus"], told["FailureCode"]) == ("FAILED", code)
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


def test_imports_that_are_refused(engine: Engine, bucket: Path) -> None:
    bucket.mkdir(parents=True)
    whole = {
        "S3BucketSource": {"S3Bucket": "my-bucket"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": PARAMETERS,
    }
    assert refused(engine, "ImportTable", {**whole, "InputFormat": "ION"})[0] == "ValidationException"
    assert refused(engine, "ImportTable", {**whole, "InputCompressionType": "ZSTD"})[0] == "ValidationException"
    taken = {**whole, "TableCreationParameters": {**PARAMETERS, "TableName": "App"}}
    assert refused(engine, "ImportTable", taken) == ("ResourceInUseException", "Table already exists: App")
    wrong = {**whole, "TableCreationParameters": {**PARAMETERS, "BillingMode": "PROVISIONED"}}
    assert refused(engine, "ImportTable", wrong)[0] == "ValidationException"
    assert refused(engine, "DescribeImport", {"ImportArn": "x" * 40})[0] == "ImportNotFoundException"
    assert refused(engine, "DescribeExport", {"ExportArn": f"{TABLE}/export/0-zz"})[0] == "ExportNotFoundException"


def test_imports_are_listed_and_tokens_kept(engine: Engine, bucket: Path) -> None:
    bucket.mkdir(parents=True)
    (bucket / "items.json").write_text("")
    first = imported(engine, InputFormat="DYNAMODB_JSON", ClientToken="token")
    whole = {
        "S3BucketSource": {"S3Bucket": "my-bucket"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": PARAMETERS,
        "ClientToken": "token",
    }
    again = engine.execute("ImportTable", whole)["ImportTableDescription"]
    assert again["ImportArn"] == first["ImportArn"]
    assert refused(engine, "ImportTable", {**whole, "InputFormat": "CSV"})[0] == "ImportConflictException"
    (listed,) = engine.execute("ListImports", {})["ImportSummaryList"]
    assert (listed["ImportArn"], listed["ImportStatus"]) == (first["ImportArn"], "COMPLETED")


def importing(prefix: str, format_: str = "DYNAMODB_JSON") -> dict[str, Any]:
    return {
        "S3BucketSource": {"S3Bucket": "bucket", "S3KeyPrefix": prefix},
        "InputFormat": format_,
        "TableCreationParameters": PARAMETERS,
    }


@pytest.mark.parametrize("prefix", ["../out", "a\0b", "x" * 1024], ids=["out", "nul", "long"])
def test_an_impossible_prefix_is_refused_before_there_is_a_job(engine: Engine, tmp_path: Path, prefix: str) -> None:
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    with pytest.raises(RequestRefused, match="prefix"):
        engine.execute("ExportTableToPointInTime", {"TableArn": TABLE, "S3Bucket": "bucket", "S3Prefix": prefix})
    with pytest.raises(RequestRefused, match="prefix"):
        engine.execute("ImportTable", importing(prefix))
    assert engine.execute("ListExports", {})["ExportSummaries"] == []
    assert engine.execute("ListImports", {})["ImportSummaryList"] == []


def test_a_line_that_is_nested_without_end_is_one_error(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "s3" / "bucket" / "in"
    folder.mkdir(parents=True)
    good = '{"Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}}\n'
    deep = '{"Item": {"pk": {"S": "a"}, "sk": {"N": "2"}, "l": ' + '{"L": [' * 5000 + "]}" * 5000 + "}}\n"
    (folder / "items.json").write_text(good + deep, encoding="utf-8")
    arn = engine.execute("ImportTable", importing("in"))["ImportTableDescription"]["ImportArn"]
    told = engine.execute("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    assert (told["ImportStatus"], told["ImportedItemCount"], told["ErrorCount"]) == ("COMPLETED", 1, 1)


def test_a_field_of_csv_may_be_as_long_as_an_item(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "s3" / "bucket" / "in"
    folder.mkdir(parents=True)
    (folder / "items.csv").write_text("pk,sk,text\na,1," + "x" * 300_000 + "\n", encoding="utf-8")
    arn = engine.execute("ImportTable", importing("in", "CSV"))["ImportTableDescription"]["ImportArn"]
    told = engine.execute("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    assert (told["ImportStatus"], told["ImportedItemCount"]) == ("COMPLETED", 1)


ITEM = '{"Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}}\n'


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is nobody's bucket."""
    folder = tmp_path / "outside"
    (folder / "data").mkdir(parents=True)
    (folder / "secret.json").write_text(ITEM)
    (folder / "data" / "more.json").write_text(ITEM)
    return folder


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("in/link.json", "secret.json"),
        ("in/deep/link", "data"),
        ("in/data", "data"),
        ("in/link.json", "nowhere.json"),
    ],
    ids=["file", "folder", "listed", "dangling"],
)
def test_links_that_lead_out_of_the_bucket_are_refused_by_name(
    engine: Engine, tmp_path: Path, outside: Path, link: str, target: str
) -> None:
    bucket = tmp_path / "s3" / "bucket"
    path = bucket / link
    path.parent.mkdir(parents=True)
    (bucket / "in" / "good.json").write_text(ITEM)
    path.symlink_to(outside / target)
    if link == "in/data":
        (bucket / "in" / "manifest-files.json").write_text('{"dataFileS3Key": "in/data/more.json"}')
    arn = engine.execute("ImportTable", importing("in"))["ImportTableDescription"]["ImportArn"]
    told = engine.execute("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    assert (told["ImportStatus"], told["FailureCode"]) == ("FAILED", "S3AccessDenied")
    assert told["FailureMessage"].startswith(f"{link} is a link")
    assert engine.execute("ListTables", {})["TableNames"] == ["App"]


def test_links_that_stay_in_the_bucket_are_read(engine: Engine, tmp_path: Path, outside: Path) -> None:
    bucket = tmp_path / "s3" / "bucket"
    (bucket / "in").mkdir(parents=True)
    (bucket / "kept.json").write_text(ITEM)
    (bucket / "in" / "link.json").symlink_to(Path("..") / "kept.json")
    (bucket / "in" / "_ignored.json").symlink_to(outside / "secret.json")
    (bucket / "other.json").symlink_to(outside / "secret.json")
    arn = engine.execute("ImportTable", importing("in"))["ImportTableDescription"]["ImportArn"]
    told = engine.execute("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    assert (told["ImportStatus"], told["ImportedItemCount"]) == ("COMPLETED", 1)


def test_a_bucket_may_be_a_link_itself(engine: Engine, tmp_path: Path, outside: Path) -> None:
    (tmp_path / "s3").mkdir()
    (tmp_path / "s3" / "bucket").symlink_to(outside)
    arn = engine.execute("ImportTable", importing("data"))["ImportTableDescription"]["ImportArn"]
    told = engine.execute("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    assert (told["ImportStatus"], told["ImportedItemCount"]) == ("COMPLETED", 1)
