"""`tablewright generate` and `tablewright adopt`: files from a model, and a model from a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from examples.shop import seed
from examples.shop.model import shop
from tablewright.cli import app
from tablewright.cli.writing import RECORD
from tablewright.errors import ArgumentError
from tablewright.generate.outputs import OUTPUTS

MODEL = "examples/shop/model.py"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, Exception):
        raise result.exception
    return result


def test_the_list() -> None:
    lines = run("generate", "--list").output.splitlines()
    assert [line.split()[0] for line in lines] == [output.name for output in OUTPUTS]
    assert all(line.endswith(".") for line in lines)


def test_one_file_is_printed() -> None:
    assert run("generate", MODEL, "erd").output.startswith("erDiagram\n")


def test_files_are_written_where_they_differ(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "design"
    first = run("generate", MODEL, "erd", "keys", "json-schema", "--to", str(folder)).output
    names = {str(path.relative_to(folder)) for path in folder.rglob("*.*")} - {RECORD}
    assert {"erd.mmd", "entity-key-table-main.md", "entity-key-table-gsi1.md", "schemas/Order.schema.json"} <= names
    assert first == f"{len(names)} files in {folder}, {len(names)} of them new or changed.\n"
    (folder / "erd.mmd").unlink()
    again = run("generate", MODEL, "erd", "keys", "json-schema", "--to", str(folder)).output
    assert again == f"{len(names)} files in {folder}, 1 of them new or changed.\n"
    assert (folder / "erd.mmd").read_text().startswith("erDiagram\n")


def test_what_was_generated_is_replaced_and_what_was_edited_is_not(tmp_path: Path) -> None:
    model = tmp_path / "growing_in_a_test.py"
    model.write_text('from tablewright import GSI, Table\n\ntable = Table("Old", indexes=[GSI("GSI1")])\n')
    folder = tmp_path / "design"
    run("generate", str(model), "cloudformation", "keys", "--to", str(folder))
    model.write_text('from tablewright import GSI, Table\n\ntable = Table("New", indexes=[GSI("GSI1")])\n')
    run("generate", str(model), "cloudformation", "--to", str(folder))
    template = folder / next(o.filename for o in OUTPUTS if o.name == "cloudformation")
    assert "New" in template.read_text()
    keys = folder / "entity-key-table-main.md"
    keys.write_text("signed by somebody")
    before = template.read_text()
    model.write_text('from tablewright import GSI, Table\n\ntable = Table("Newer", indexes=[GSI("GSI1")])\n')
    with pytest.raises(ArgumentError, match=r"entity-key-table-main\.md would be written over; nothing was written"):
        run("generate", str(model), "cloudformation", "keys", "--to", str(folder))
    assert (keys.read_text(), template.read_text()) == ("signed by somebody", before)
    run("generate", str(model), "cloudformation", "keys", "--to", str(folder), "--force")
    assert "Newer" in template.read_text()
    assert "signed" not in keys.read_text()


def test_a_file_of_somebody_else_is_kept(tmp_path: Path) -> None:
    (tmp_path / "erd.mmd").write_text("drawn by hand")
    with pytest.raises(ArgumentError, match="would be written over"):
        run("generate", MODEL, "erd", "--to", str(tmp_path))
    (tmp_path / RECORD).write_text("no record")
    with pytest.raises(ArgumentError, match="would be written over"):
        run("generate", MODEL, "erd", "--to", str(tmp_path))
    assert (tmp_path / "erd.mmd").read_text() == "drawn by hand"


def test_a_check_writes_nothing_and_tells_what_is_old(tmp_path: Path) -> None:
    assert run("generate", MODEL, "erd", "--to", str(tmp_path), "--check").exit_code == 1
    assert list(tmp_path.iterdir()) == []
    run("generate", MODEL, "erd", "--to", str(tmp_path))
    assert run("generate", MODEL, "erd", "--to", str(tmp_path), "--check").exit_code == 0
    (tmp_path / "erd.mmd").write_text("old")
    stale = run("generate", MODEL, "erd", "--to", str(tmp_path), "--check")
    assert stale.exit_code == 1
    assert stale.stderr == f"{tmp_path / 'erd.mmd'} is not up to date.\n"
    assert (tmp_path / "erd.mmd").read_text() == "old"


def test_what_a_model_makes_no_more_is_told_and_left(tmp_path: Path) -> None:
    run("generate", MODEL, "keys", "erd", "--to", str(tmp_path))
    old = tmp_path / "entity-key-table-gsi9.md"
    old.write_text("of an index that is gone")
    (tmp_path / "notes.md").write_text("of somebody")
    told = f"{old} is left over: the model makes it no more.\n"
    assert run("generate", MODEL, "keys", "--to", str(tmp_path)).stderr == told
    checked = run("generate", MODEL, "keys", "erd", "--to", str(tmp_path), "--check")
    assert (checked.exit_code, checked.stderr) == (1, told)
    assert run("generate", MODEL, "erd", "--to", str(tmp_path), "--check").exit_code == 0
    assert old.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([MODEL, "erd", "patterns"], "2 files need a folder"),
        ([MODEL, "erd", "--check"], "--check compares"),
        ([MODEL, "ERD"], "no output 'ERD'"),
        ([], "needs a model"),
        (["nowhere.py", "erd"], "no file nowhere.py"),
    ],
    ids=["several", "check", "unknown", "no model", "nowhere"],
)
def test_what_cannot_be_done(arguments: list[str], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        run("generate", *arguments)


def test_items_of_a_file_are_samples(tmp_path: Path) -> None:
    with shop.open(tmp_path / "shop.db") as db:
        db.ensure_table()
        seed.seed(db)
    printed = run("generate", MODEL, "workbench", "--data", str(tmp_path / "shop.db")).output
    facets = {f["FacetName"]: f["TableData"] for f in json.loads(printed)["DataModel"][0]["TableFacets"]}
    assert len(facets["Order"]) == 5
    keys = [item["SK"]["S"] for item in facets["Order"]]
    assert all(key.startswith("ORDER#") for key in keys)
    assert run("generate", MODEL, "workbench", "--data", str(tmp_path / "shop.db")).output == printed


def test_a_model_is_begun_from_a_data_model(tmp_path: Path) -> None:
    file, model = tmp_path / "workbench.json", tmp_path / "begun_by_a_test.py"
    file.write_text(run("generate", MODEL, "workbench").output)
    assert run("adopt", str(file)).output.startswith('"""AppTable, begun')
    assert run("adopt", str(file), "--to", str(model)).output == f"Written to {model}.\n"
    assert run("generate", str(model), "keys", "--to", str(tmp_path)).exit_code == 0
    assert run("adopt", str(file), "--to", str(model)).exit_code == 0  # as it would be written
    model.write_text("# worked on")
    begun = (tmp_path / "entity-key-table-gsi2.md").read_text()
    assert "| Order | `STATUS#{status}` | `{placed_at}#{order_id}` |" in begun
    with pytest.raises(ArgumentError, match="would be written over"):
        run("adopt", str(file), "--to", str(model), "--table", "AppTable")
    assert model.read_text() == "# worked on"
    run("adopt", str(file), "--to", str(model), "--force")
    assert model.read_text().startswith('"""AppTable, begun')


def test_one_table_of_a_data_model_must_be_meant(tmp_path: Path) -> None:
    text = json.loads(run("generate", MODEL, "workbench").output)
    (table,) = text["DataModel"]
    text["DataModel"].append({**table, "TableName": "Other"})
    file = tmp_path / "two.json"
    file.write_text(json.dumps(text))
    with pytest.raises(ArgumentError, match="2 tables"):
        run("adopt", str(file))
    assert 'Table("Other"' in run("adopt", str(file), "--table", "Other").output
    with pytest.raises(ArgumentError, match="no table 'Third'"):
        run("adopt", str(file), "--table", "Third")


def test_policies_are_for_a_region_and_an_account(tmp_path: Path) -> None:
    place = ["--region", "us-gov-west-1", "--account", "123456789012"]
    run("generate", MODEL, "iam", "--to", str(tmp_path), *place)
    (statement, *_) = json.loads((tmp_path / "iam" / "reader.json").read_text())["Statement"]
    arns = [statement["Resource"]] if isinstance(statement["Resource"], str) else statement["Resource"]
    assert all(arn.startswith("arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/") for arn in arns)
    old = tmp_path / "iam" / "patterns" / "gone.json"
    old.write_text("{}")
    told = run("generate", MODEL, "iam", "--to", str(tmp_path), "--check", *place).stderr
    assert told == f"{old} is left over: the model makes it no more.\n"
    with pytest.raises(ArgumentError, match="The account is none"):
        run("generate", MODEL, "iam", "--to", str(tmp_path), "--account", "me")


PAGE = """# Our shop

Written by hand.

<!-- tablewright:erd -->
stale
<!-- tablewright:end -->

## Keys

<!-- tablewright:keys -->
<!-- tablewright:end -->

## Questions

<!-- tablewright:patterns -->

<!-- tablewright:end -->

```markdown
<!-- tablewright:an example, which is not touched -->
# No heading
<!-- tablewright:keys -->
```

The end.
"""


def test_parts_of_a_page_are_made_anew_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE, encoding="utf-8")
    assert run("generate", MODEL, "--into", str(page), "--check").exit_code == 1
    assert page.read_text(encoding="utf-8") == PAGE
    assert run("generate", MODEL, "--into", str(page)).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "stale" not in text
    assert text.split("<!-- tablewright:erd -->")[0] == PAGE.split("<!-- tablewright:erd -->", maxsplit=1)[0]
    assert text.endswith(PAGE[PAGE.index("```markdown") :])
    erd = run("generate", MODEL, "erd").output
    assert f"<!-- tablewright:erd -->\n\n```mermaid\n{erd}```\n\n<!-- tablewright:end -->" in text
    headings = [line for line in text.splitlines() if line.startswith("#") and line != "# No heading"]
    assert headings == [
        "# Our shop",
        "## Keys",
        "### AppTable: keys of the main table",
        "### AppTable: keys of the index GSI1",
        "### AppTable: keys of the index GSI2",
        "## Questions",
    ]
    patterns = run("generate", MODEL, "patterns").output
    assert patterns.split("\n", 2)[2] + "\n<!-- tablewright:end -->" in text
    again = run("generate", MODEL, "--into", str(page), "--check")
    assert (again.exit_code, again.output) == (0, f"{page} is up to date.\n")


def test_line_endings_of_a_page_stay(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_bytes(b"# Ours\r\n\x0b\r\n<!-- tablewright:erd -->\r\n<!-- tablewright:end -->\r\nno end of line")
    run("generate", MODEL, "--into", str(page))
    written = page.read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") > 20
    assert written.startswith(b"# Ours\r\n\x0b\r\n")
    assert written.endswith(b"no end of line")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A page\n", "no part that is generated"),
        ("<!-- tablewright:keys -->\n", "'keys' is not ended"),
        ("<!-- tablewright:keys -->\n<!-- tablewright:erd -->\n<!-- tablewright:end -->\n", "not ended before"),
        ("<!-- tablewright:end -->\n", "nothing begins"),
        ("<!-- tablewright:kyes -->\n<!-- tablewright:end -->\n", "keys"),
        ("<!-- tablewright:book-html -->\n<!-- tablewright:end -->\n", "cannot stand in a Markdown file"),
    ],
)
def test_wrong_marks_are_refused_and_nothing_is_written(text: str, said: str, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match=said):
        run("generate", MODEL, "--into", str(page))
    assert page.read_text(encoding="utf-8") == text


def test_a_page_and_a_folder_exclude_each_other(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(PAGE, encoding="utf-8")
    for more in (("--to", str(tmp_path)), ("keys",)):
        with pytest.raises(ArgumentError, match="exclude each other"):
            run("generate", MODEL, *more, "--into", str(tmp_path / "README.md"))
