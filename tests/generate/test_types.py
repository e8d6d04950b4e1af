"""JSON Schema and TypeScript types describe what `model_dump_json()` writes."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, FormatChecker, ValidationError

from examples.shop import seed
from examples.shop.model import shop
from tablewright import Entity, Keys, Table
from tablewright.generate.json_schema import json_schemas
from tablewright.generate.material import Material
from tablewright.generate.typescript import typescript
from tests.generate.every_feature import Class, Kind, Lesson, Mark, Pupil, Room, School, school
from tests.support.document_tools import DocumentTools

MOMENT = datetime(2025, 3, 1, 8, tzinfo=UTC)
LESSON = Lesson(
    school_id="s1",
    class_id="c1",
    starts_at=MOMENT,
    kind=Kind.EXERCISE,
    drops_out_at=MOMENT,
    tags={"maths"},
    extra={"a": 1, "b": "two"},
    span=(1, "x"),
    marks=[Mark(points=3)],
    photo=b"abc",
    anything={"what": ["ever"]},
)
OF_SCHOOL: list[Entity] = [
    School(school_id="s1", name="First"),
    School(school_id="s2", name="Second", domain="example.org", lessons=4),
    Class(
        school_id="s1",
        class_id="c1",
        title="3b",
        grade=3,
        rank=1,
        city="Bern",
        street="Weg",
        starts=date(2025, 1, 1),
        room=Room(building="A"),
    ),
    LESSON,
    Pupil(pupil_id="p1", name="Ada", fee=Decimal("12.50")),
]
OF_SHOP: list[Entity] = [
    *seed.customers(),
    *seed.categories(),
    *seed.products(),
    *seed.orders(),
    *seed.reviews(),
]
SCHEMAS = {
    Path(name).name.partition(".")[0]: json.loads(text)
    for table in (shop, school)
    for name, text in json_schemas(Material(table.plan)).items()
}


def check(entity: str, value: object) -> None:
    Draft202012Validator(SCHEMAS[entity], format_checker=FormatChecker()).validate(value)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["description"]


def test_what_is_written_fits_its_schema() -> None:
    for entity in OF_SCHOOL + OF_SHOP:
        check(type(entity).__name__, entity.model_dump(mode="json"))


@pytest.mark.parametrize(
    "change",
    [{"status": "lost"}, {"kind": "party"}, {"starts_at": 4}, {"surprise": 1}, {"marks": [{"points": "many"}]}],
    ids=["status", "kind", "moment", "unknown", "mark"],
)
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        check("Lesson", {**LESSON.model_dump(mode="json"), **change})


def test_every_field_is_written_so_every_field_is_required() -> None:
    assert SCHEMAS["Order"]["required"] == list(SCHEMAS["Order"]["properties"])


def test_typescript_accepts_what_is_written(document_tools: DocumentTools, tmp_path: Path) -> None:
    values = {"shop": OF_SHOP, "school": OF_SCHOOL}
    files = []
    for name, table in {"shop": shop, "school": school}.items():
        types = tmp_path / f"{name}.ts"
        types.write_text(typescript(Material(table.plan)), encoding="utf-8")
        lines = [f'import type * as types from "./{name}";']
        for number, entity in enumerate(values[name]):
            lines.append(f"export const v{number}: types.{type(entity).__name__} = {entity.model_dump_json()};")
        files.append(tmp_path / f"{name}_values.ts")
        files[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    wrong = tmp_path / "wrong.ts"
    wrong.write_text(
        'import type { Lesson, LessonKey, EntityTypes } from "./school";\n'
        'export const a: Lesson["status"] = "lost";\n'
        'export const b: LessonKey = { school_id: "s", class_id: "c" };\n'
        'export const c: EntityTypes["class"] = 4;\n'
        'export const d: Lesson["anything"] = 4;\n',
        encoding="utf-8",
    )
    told = document_tools.typescript(*files, wrong).splitlines()
    places = [line.partition(":")[0].rpartition("/")[2] for line in told if "error" in line]
    assert places == ["wrong.ts(2,14)", "wrong.ts(3,14)", "wrong.ts(4,14)"], told


def test_names_that_are_no_plain_words(document_tools: DocumentTools, tmp_path: Path) -> None:
    table = Table("Awkward")
    space = {
        "__annotations__": {"id": str, "größe": str, "class": str},
        "keys": Keys("G#{id}", "G"),
        "__module__": __name__,
        "__doc__": "Ends a comment: */ x.",
    }
    type(Entity)("Größe", (Entity,), space, table=table, type="what-ever/1")
    file = tmp_path / "awkward.ts"
    file.write_text(typescript(Material(table.plan)), encoding="utf-8")
    assert document_tools.typescript(file) == ""
    assert 'export type GrößeKey = Pick<Größe, "id">;' in file.read_text(encoding="utf-8")
    assert '  "what-ever/1": Größe;' in file.read_text(encoding="utf-8")
