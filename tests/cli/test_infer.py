"""`tablewright infer`: from a table in a file, from an export, and from files of lines."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from msgspec.structs import replace
from typer.testing import CliRunner

from tablewright import GSI, Deployment, Entity, Keys, Provisioned, Table, cli
from tablewright.cli.sampling import described_layout
from tablewright.engine import Engine, open_engine
from tablewright.errors import AccessRefused, ArgumentError
from tablewright.infer.inferring import infer

notes = Table("Notes", indexes=[GSI("GSI1")])


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("AUTHOR#{author}", "{note_id}"))
    note_id: str
    author: str
    pages: int = 1


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.app, ["infer", *map(str, arguments)])


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    file = tmp_path / "tables.db"
    with notes.open(file) as db:
        for number in range(30):
            db.create(Note(note_id=f"n{number}", author=f"a{number % 7}", pages=number))
    return file


KEYS = 'keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("AUTHOR#{author}", "{note_id}"))'


def test_a_table_in_a_file(tables: Path) -> None:
    done = run(tables)
    assert done.exit_code == 0, done.output
    assert KEYS in done.stdout
    assert done.stderr.splitlines() == [
        "30 items of Notes: 1 kind, 30 of 30 fit.",
        "2 access patterns that the keys serve as they are.",
    ]
    compile(done.stdout, "model", "exec")


SETTINGS: dict[str, Any] = {
    "TableName": "Events",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
    "ProvisionedThroughput": {"ReadCapacityUnits": 8, "WriteCapacityUnits": 4},
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    "Tags": [{"Key": f"tag-{number:02}", "Value": "x"} for number in range(12)],
}
DEPLOYED = Deployment(
    billing=Provisioned(read=8, write=4),
    tags={f"tag-{number:02}": "x" for number in range(12)},
)


@pytest.fixture
def events(tmp_path: Path) -> Iterator[Engine]:
    """A table of which everything is switched on that can be."""
    with open_engine(tmp_path / "events.db") as engine:
        engine.execute("CreateTable", SETTINGS)
        engine.execute(
            "UpdateTimeToLive",
            {"TableName": "Events", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "gone"}},
        )
        for number in range(9):
            item = {"PK": {"S": f"EVENT#{number}"}, "SK": {"S": "EVENT"}, "gone": {"N": "4102444800"}}
            engine.execute("PutItem", {"TableName": "Events", "Item": item})
        yield engine


def model(code: str) -> Table:
    names: dict[str, Any] = {}
    exec(code, names)
    return next(value for value in names.values() if isinstance(value, Table))


def test_a_table_tells_how_it_is_run(events: Engine, tmp_path: Path) -> None:
    events.close()
    done = run(tmp_path / "events.db")
    assert done.exit_code == 0, done.output
    found = model(done.stdout)
    assert (found.stream, found.ttl_attribute) == ("NEW_AND_OLD_IMAGES", "gone")
    # Nobody protects a file, so that the model does not learn that from it.
    assert found.deployment == DEPLOYED


def test_a_table_of_aws_is_taken_as_it_is(events: Engine) -> None:
    layout = described_layout(events.execute, "Events", on_aws=True)
    items = events.execute("Scan", {"TableName": "Events"})["Items"]
    assert model(infer(layout, items).code).deployment == replace(DEPLOYED, recovery=False, deletion_protection=False)


def test_what_may_not_be_asked_is_told(events: Engine) -> None:
    def send(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in ("DescribeTimeToLive", "ListTagsOfResource"):
            raise AccessRefused("not you")
        return events.execute(operation, request)

    layout = described_layout(send, "Events", on_aws=True)
    assert layout.ttl is None
    assert layout.settings.notes[-1] == (
        "Not answered, so that the model says nothing of it: DescribeTimeToLive, ListTagsOfResource."
    )
    assert "tags" not in layout.settings.deployment


def test_what_expires_no_longer_does_not(events: Engine) -> None:
    events.execute(
        "UpdateTimeToLive",
        {"TableName": "Events", "TimeToLiveSpecification": {"Enabled": False, "AttributeName": "gone"}},
    )
    assert described_layout(events.execute, "Events", on_aws=True).ttl is None


def test_a_sample_comes_from_all_over_the_table(tables: Path) -> None:
    done = run(tables, "Notes", "--limit", "16", "--segments", "4", "--json")
    found = json.loads(done.stdout)
    assert found["items"] == 16
    assert found["entities"] == [
        {
            "name": "Note",
            "items": 16,
            "fitting": 16,
            "pk": "NOTE#{note_id}",
            "sk": "NOTE",
            "indexes": {"GSI1": "AUTHOR#{author} / {note_id}"},
        }
    ]


def test_an_export(tables: Path, tmp_path: Path) -> None:
    assert CliRunner().invoke(cli.app, ["export", str(tables), "Notes", str(tmp_path / "copy")]).exit_code == 0
    done = run(tmp_path / "copy", "--to", tmp_path / "model.py")
    assert done.exit_code == 0, done.output
    assert KEYS in (tmp_path / "model.py").read_text()
    assert 'Table("Notes", indexes=[GSI("GSI1")])' in (tmp_path / "model.py").read_text()


LINES: dict[str, list[dict[str, Any]]] = {
    "typed": [{"PK": {"S": f"NOTE#{n}"}, "SK": {"S": "NOTE"}, "note_id": {"S": str(n)}} for n in range(9)],
    "wrapped": [{"Item": {"PK": {"S": f"NOTE#{n}"}, "SK": {"S": "NOTE"}, "note_id": {"S": str(n)}}} for n in range(9)],
    "plain": [{"PK": f"NOTE#{n}", "SK": "NOTE", "note_id": str(n), "price": 1.5} for n in range(9)],
}


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("packed", [False, True])
def test_lines(tmp_path: Path, form: str, packed: bool) -> None:
    text = "\n".join(json.dumps(line) for line in LINES[form])
    file = tmp_path / ("some-notes.jsonl.gz" if packed else "some-notes.jsonl")
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    done = run(file)
    assert done.exit_code == 0, done.output
    assert 'some_notes = Table("some-notes")' in done.stdout
    assert 'keys = Keys("NOTE#{note_id}", "NOTE")' in done.stdout
    assert ("price: Decimal" in done.stdout) is (form == "plain")


def test_keys_that_are_said(tmp_path: Path) -> None:
    file = tmp_path / "users.jsonl"
    file.write_text("\n".join(json.dumps({"user_id": n, "email": f"{n}@example.com"}) for n in range(9)))
    done = run(file, "--key", "user_id", "--index", "ByMail email")
    assert done.exit_code == 0, done.output
    assert 'Table("users", indexes=[GSI("ByMail", pk="email", sk=None)], pk=number("user_id"), sk=None)' in done.stdout


def test_what_does_not_fit_ends_with_1(tmp_path: Path) -> None:
    lines = [*LINES["plain"] * 5, {"PK": "NOTE#secret", "SK": "NOTE", "note_id": 7, "price": 2}]
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    done = run(file)
    assert done.exit_code == 1
    assert "Note: 1 item: " in done.stderr
    assert "secret" not in done.output


def test_a_model_that_nobody_touched_is_inferred_again(tmp_path: Path) -> None:
    file, model = tmp_path / "notes.jsonl", tmp_path / "model.py"
    for field in ("pages", "lines"):
        lines = [json.dumps({"PK": f"NOTE#{n}", "SK": "NOTE", "note_id": str(n), field: n}) for n in range(5)]
        file.write_text("\n".join(lines))
        assert run(file, "--to", model).exit_code == 0
        assert f"{field}: int" in model.read_text(encoding="utf-8")
    model.write_text("# mine\n", encoding="utf-8")
    assert isinstance(run(file, "--to", model).exception, ArgumentError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["aws:eu-west-1"], "Which table?"),
        (["missing.db"], "There is no file missing.db."),
        (["missing.jsonl", "Notes"], "There is no file missing.jsonl."),
        (["tables.db", "Nodes"], "holds no table 'Nodes'"),
        (["tables.db", "--key", "PK"], "A table tells its keys itself."),
        (["tables.db", "--to", "tables.db"], "would be written over"),
        (["empty"], "holds no files of items"),
        (["broken.jsonl"], "Line 1 of"),
    ],
    ids=["no-name", "no-file", "no-lines", "no-table", "key", "file", "folder", "line"],
)
def test_what_is_refused(tables: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    monkeypatch.chdir(tables.parent)
    (tables.parent / "empty").mkdir()
    (tables.parent / "broken.jsonl").write_text('{"PK": secret}')
    done = run(*arguments)
    assert isinstance(done.exception, ArgumentError)
    assert message in done.exception.message
    assert "secret" not in str(done.exception)
    assert not list(tables.parent.glob("missing*"))


def test_a_file_with_several_tables(tables: Path) -> None:
    with Table("Others").open(tables):
        pass
    done = run(tables)
    assert isinstance(done.exception, ArgumentError)
    assert done.exception.hint == "It holds: Notes, Others."
