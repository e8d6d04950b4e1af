"""What counts as evidence in a design job: text in guides, commands in a README, functions that do something, templates."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Table
from tablewright.generate.material import Material
from tablewright.generate.outputs import outputs_named
from tablewright.scaffold.job.folder import job_files
from tablewright.scaffold.job.guides import GUIDES, code_in, parts, unwritten
from tablewright.scaffold.job.infrastructure import InfrastructureCode, template_table, wanted
from tablewright.scaffold.job.layer import Layer, can_fail, is_stub
from tablewright.scaffold.job.people import who_and_when


def function(text: str) -> ast.FunctionDef:
    (found,) = ast.parse(text).body
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize(
    ("body", "stub"),
    [
        ("...", True),
        ("return None", True),
        ("return []", True),
        ('"""Calls db.create()."""', True),
        ("raise NotImplementedError('create()')", True),
        ("entity = None\n    return entity", True),
        ("return db.create(entity)", False),
        ("if entity is None:\n        raise ValueError(entity)\n    return await_it(entity)", False),
    ],
)
def test_functions_that_only_promise(body: str, stub: bool) -> None:
    assert is_stub(function(f"def create_order(db, entity):\n    {body}\n")) is stub


@pytest.mark.parametrize(
    ("body", "can"),
    [
        ("assert True", False),
        ("assert order == 1", True),
        ("with pytest.raises(KeyError):\n        f()", True),
        ("raised(f)", False),
        ("assert_patterns(db, table, [])", True),
        ("create_order()", False),
    ],
)
def test_tests_that_can_fail(body: str, can: bool) -> None:
    assert can_fail(function(f"def test_order():\n    {body}\n")) is can


def test_a_pattern_may_be_imported_under_another_name(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(
        "from model import orders_of as pattern\n\n\ndef orders_of(db):\n    return db.run(pattern)\n"
    )
    ((file, found),) = Layer(tmp_path).functions(".").values()
    assert "orders_of" in file.spoken_of(found)
    assert "other" not in file.spoken_of(found)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("A. Lovelace, 2026-02-01", True),
        ("Lovelace, A., 2026-02-01", True),
        ("A. Lovelace", False),
        ("2026-02-01", False),
        (", 2026-02-01", False),
        ("A. Lovelace, 2026-02-31", False),
        ("A. Lovelace, 20260201", False),
    ],
)
def test_a_name_and_a_date(text: str, is_so: bool) -> None:
    assert who_and_when(text) is is_so


def test_guides_are_started_with_the_sections_that_they_must_have(tmp_path: Path) -> None:
    files = job_files("orders")
    for name, sections in GUIDES.items():
        assert list(parts(files[name]))[1:] == list(sections)
        (tmp_path / name).write_text(files[name])
        assert "is still to be filled in" in str(unwritten(tmp_path / name, sections))


def test_what_says_something_in_a_guide() -> None:
    text = "# A\n\n<!-- much text here,\n# no heading -->\n## B ##\n\n```sh\n# no heading\nmake it so\n```\n### C\n| a | b |\n|---|---|\n"
    assert parts(text) == {"A": "", "B": "```sh\n# no heading\nmake it so\n```\n", "C": "| a | b |\n"}


def test_what_is_code_in_a_readme() -> None:
    text = "tablewright seed\n\n`tablewright explore x`\n\n```sh\ntablewright validate\n```\n<!-- `tablewright lint` -->\n\n    tablewright new\n"
    assert [word for word in ("seed", "explore", "validate", "lint", "new") if word in code_in(text)] == [
        *("explore", "validate", "new")
    ]


# ------------------------------------------------------------------------------------------------------- templates


def shop() -> Table:
    table = Table("shop-{stage}", indexes=[GSI("GSI1", projection=["total"])], stream="NEW_IMAGE")

    class Order(Entity, table=table):
        keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("TOTAL#{total}", "{order_id}"))
        order_id: str
        total: int

    return table


def resource(name: Any, kind: str = "AWS::DynamoDB::Table") -> dict[str, Any]:
    return {"Type": kind, "Properties": {"TableName": name, "BillingMode": "PAY_PER_REQUEST"}}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("shop-prod", "shop-{stage}"),
        ({"Fn::Sub": "shop-${Environment}"}, "shop-{stage}"),
        ("shopping", "shopping"),
        ({"Ref": "Name"}, ""),
        (None, ""),
    ],
    ids=["stage", "parameter", "other", "reference", "none"],
)
def test_names_in_templates(name: Any, found: str) -> None:
    said = template_table(json.dumps({"Resources": {"Orders": resource(name)}}), shop())
    assert said is not None
    assert said.name == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"Resources": []}',
        '{"Resources": {"A": 1}}',
        json.dumps({"Resources": {"Q": resource("q", "AWS::SQS::Queue")}}),
    ],
)
def test_what_is_no_template_says_nothing(text: str, tmp_path: Path) -> None:
    assert template_table(text, shop()) is None
    (tmp_path / "other.json").write_text(text)
    code = InfrastructureCode(tmp_path, {"table.yaml": "a: 1\n"}, shop())
    assert "there is no infrastructure code" in str(code.missing)


def test_the_table_of_a_template_is_that_of_its_name() -> None:
    two = {"A": resource("users"), "B": resource("shop-dev")}
    said = template_table(json.dumps({"Resources": two}), shop())
    assert said is not None
    assert said.name == "shop-{stage}"
    two["B"] = resource("products")
    assert template_table(json.dumps({"Resources": two}), shop()) is None


def test_files_are_what_the_model_makes_or_stale(tmp_path: Path) -> None:
    generated = {"table.yaml": "made: now\n"}
    (tmp_path / "renamed.json").write_text("made: now\n")
    code = InfrastructureCode(tmp_path, generated, shop())
    assert code.missing is None
    assert (
        code.differs("name", "keys", "indexes", "billing", "stream", "ttl", "recovery", "protected", "retained") is None
    )
    (tmp_path / "table.yaml").write_text("# made: now\n")
    assert "is not what the model makes today" in str(InfrastructureCode(tmp_path, generated, shop()).differs("name"))
    assert wanted(shop()).indexes["GSI1"][2:] == ("INCLUDE", ["total"])


def test_an_edited_template_is_judged_by_what_it_says(tmp_path: Path) -> None:
    table = shop()
    (output,) = outputs_named(["cloudformation"])
    ((name, made),) = output.files(Material(table.plan)).items()
    assert template_table(made, table) == wanted(table)
    path = tmp_path / name
    path.write_text(made.replace("BillingMode: PAY_PER_REQUEST", "BillingMode: PROVISIONED  # for now"))
    code = InfrastructureCode(tmp_path, {name: made}, table)
    assert code.differs("billing") == f"{path} says otherwise than the model"
    assert code.differs("name", "keys", "indexes", "stream", "ttl", "recovery", "protected", "retained") is None
    assert "is not what the model makes today" in str(code.missing)
