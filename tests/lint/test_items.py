"""What the rules about items leave alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright.lint import Finding

Codes = Callable[[str], set[str]]
ITEM = """
    app = Table("App")
    class Line(BaseModel):
        product: str
        quantity: int
    class Box(BaseModel):
        lines: list[Line] = Field(default_factory=list, max_length=9)
    class Tree(BaseModel):
        below: list["Tree"] = Field(default_factory=list, max_length=9)
    class Order(Entity, table=app):
        keys = Keys("ORDER#{order_id}", "ORDER")
        order_id: str
        FIELD
    """


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("lines: list[Line]", {"TW501"}),
        ("tags: set[str]", {"TW501"}),
        ("tags: dict[str, str]", {"TW501"}),
        ("pair: tuple[str, str]", set()),
        ("line: Line", set()),
        ("lines: Annotated[list[Line], Field(max_length=19)]", set()),
        ("lines: Annotated[list[Line], Field(max_length=20)]", {"TW502"}),
        ("lines: list[Line] | None = Field(default=None, max_length=5)", set()),
        ("pack: Annotated[list[str], Compressed()]", set()),
        ("boxes: Annotated[list[Box], Field(max_length=3)]", {"TW504"}),
        ("box: Box", set()),
        ("tree: Tree", {"TW504"}),
    ],
)
def test_collections(codes: Codes, field: str, expected: set[str]) -> None:
    assert codes(ITEM.replace("FIELD", field)) & {"TW501", "TW502", "TW504"} == expected


@pytest.mark.parametrize(
    ("field", "expectation", "expected"),
    [
        ("text: str", "max_size=409_601", {("TW503", "error")}),
        ("text: str", "max_size=350_000", {("TW503", "warning")}),
        ("text: str", "max_size=300_000", set()),
        ("text: Annotated[str, Field(max_length=500_000)]", "", {("TW503", "warning")}),
        ("text: Annotated[str, Field(max_length=500_000)]", "max_size=20_000", set()),
        (
            "notes: Annotated[list[Annotated[str, Field(max_length=40_000)]], Field(max_length=15)]",
            "",
            {("TW503", "warning")},
        ),
        ("text: str", "", set()),
    ],
)
def test_large_items(
    found: Callable[[str], list[Finding]], field: str, expectation: str, expected: set[tuple[str, str]]
) -> None:
    text = "from typing import Annotated\nfrom pydantic import BaseModel, Field\nfrom tablewright import *\n"
    text += 'app = Table("App")\nclass Note(Entity, table=app):\n    keys = Keys("NOTE#{note_id}", "NOTE")\n    note_id: str\n'
    text += f"    {field}\n" + (f"app.expect(Note, {expectation})\n" if expectation else "")
    assert {(one.code, one.severity) for one in found(text) if one.code == "TW503"} == expected


def test_names_of_the_library_are_not_reported_as_reserved(codes: Codes) -> None:
    assert "TW505" not in codes(ITEM.replace("FIELD", "colour: str"))


@pytest.mark.parametrize(
    ("field", "expected"),
    [("PK: str", True), ("sort_key: str", True), ("gsi2sk: str", True), ("risk: str", False), ("task: str", False)],
)
def test_fields_for_keys(codes: Codes, field: str, expected: bool) -> None:
    table = 'Table("App", names=AttributeNames(pk="p", sk="s"))'
    assert ("TW506" in codes(ITEM.replace('Table("App")', table).replace("FIELD", field))) is expected


def test_a_native_key_is_a_field_by_design(codes: Codes) -> None:
    assert "TW506" not in codes("""
        app = Table("App", pk="pk", sk=None, key_style=KeyStyle.adopted("#"))
        class Thing(Entity, table=app):
            keys = Keys("{pk}")
            pk: str
        """)


@pytest.mark.parametrize(
    ("field", "expected"),
    [("unit_price: float", True), ("total: Decimal", False), ("ratio: float", False), ("total_time: float", False)],
)
def test_money(codes: Codes, field: str, expected: bool) -> None:
    assert ("TW507" in codes(ITEM.replace("FIELD", field))) is expected


@pytest.mark.parametrize(
    ("field", "without"),
    [
        ("body: str", "body"),
        ("mail_body: str | None = None", "mail_body"),
        ("name: str", None),
        ("body: str = Field(max_length=9_000)", None),
        ("body: Annotated[str, Compressed()]", None),
        ("thumbnail: bytes", "thumbnail"),
        ("thumbnail: bytes = Field(max_length=9_000)", None),
        ("answer: Any", "answer"),
        ("page: Page", "page.html"),
        ("node: Node", None),
    ],
)
def test_fields_without_an_end(told: Callable[[str], list[Finding]], field: str, without: str | None) -> None:
    text = f"""
        from typing import Any
        app = Table("App")
        class Page(BaseModel):
            html: str
        class Node(BaseModel):
            left: "Node | None" = None
        class Note(Entity, table=app):
            keys = Keys("NOTE#{{note_id}}", "NOTE")
            note_id: str
            {field}
        """
    found = [(one.severity, one.message) for one in told(text) if one.code == "TW503"]
    assert [severity for severity, _ in found] == ([] if without is None else ["info"])
    assert all(f"bounds {without};" in message for _, message in found)
    said = text.rstrip() + "\n        app.expect(Note, max_size=9_000)"
    assert "TW503" not in {one.code for one in told(said)}


def test_what_stands_in_a_key_is_short(codes: Codes) -> None:
    text = """
        app = Table("App")
        class Note(Entity, table=app):
            keys = Keys("NOTE#{document}", "NOTE")
            document: str
        """
    assert "TW503" not in codes(text)
    assert "TW503" in codes(text.replace("{document}", "{note_id}").rstrip() + "\n            note_id: str")


@pytest.mark.parametrize(("length", "expected"), [(60_000, False), (200_000, True)])
def test_a_length_is_told_in_characters_which_take_up_to_four_bytes(codes: Codes, length: int, expected: bool) -> None:
    model = f"""
        app = Table("App")
        class Page(Entity, table=app):
            keys = Keys("PAGE#{{page_id}}", "PAGE")
            page_id: str
            body: str = Field(max_length={length})
        """
    assert ("TW503" in codes(model)) is expected
