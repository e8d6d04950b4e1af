"""Templates are read into segments, or refused with the template's name and a remedy."""

import pytest

from tablewright import Entity, Keys, Table, key
from tablewright.errors import KeyTemplateError
from tablewright.values.keycodec import STRICT, Compound, KeyStyle, KeyTemplate, Literal, Placeholder

PIPE = KeyStyle.adopted("|")


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("config", [Literal("config")]),
        ("ORDER#{placed_at}", [Literal("ORDER"), Placeholder("placed_at")]),
        ("{a}#{b}", [Placeholder("a"), Placeholder("b")]),
        ("V#{n:06}", [Literal("V"), Placeholder("n", 6)]),
        ("P#{price:8.2}", [Literal("P"), Placeholder("price", 8, 2)]),
        ("T-1:x~#{_id2}", [Literal("T-1:x~"), Placeholder("_id2")]),
    ],
)
def test_strict_templates_have_one_literal_or_field_in_each_part(
    text: str, segments: list[Literal | Placeholder]
) -> None:
    template = KeyTemplate.parse(text)
    assert list(template.segments) == segments
    assert template.style is STRICT
    assert str(template) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("#", "empty part"),
        ("A##{b}", "empty part"),
        ("#{a}", "empty part"),
        ("{a}#", "empty part"),
        ("USER-{id}", "mixes text and field"),
        ("{id}.json", "mixes text and field"),
        ("{a}{b}", "two fields with nothing between them"),
        ("A B#{c}", "cannot hold"),
        ("A$#{c}", "cannot hold"),
        ("A%20#{c}", "cannot hold"),
        ('"A"#{c}', "cannot hold"),
        ("A#{", "brace"),
        ("A#}", "brace"),
        ("A#{b", "brace"),
        ("A#{{b}}", "brace"),
        ("A#{}", "cannot be read"),
        ("A#{b c}", "cannot be read"),
        ("A#{b.c}", "cannot be read"),
        ("A#{1b}", "cannot be read"),
        ("A#{b:}", "cannot be read"),
        ("A#{b:x}", "cannot be read"),
        ("A#{b:0}", "cannot be read"),
        ("A#{b:8.0}", "cannot be read"),
        ("A#{b:-6}", "cannot be read"),
        ("A#{b!r}", "cannot be read"),
        ("A#{na\u00efve}", "whose name is not made of the letters A to Z, digits and _"),
        ("A#{gr\u00f6\u00dfe:6}", "whose name is not made of the letters A to Z, digits and _"),
        ("A#{b\u00fcro nr}", "cannot be read"),
        ("{n:04}#{n:06}", "one field in two forms"),
        ("A\ud800", "surrogate"),
    ],
)
def test_other_texts_are_refused_with_a_remedy(text: str, reason: str) -> None:
    with pytest.raises(KeyTemplateError, match=reason) as caught:
        KeyTemplate.parse(text)
    assert caught.value.hint
    if text and "\ud800" not in text:
        assert f'"{text}"' in caught.value.message


def test_the_remedy_for_other_letters_keeps_the_attribute() -> None:
    table = Table("Sizes")
    with pytest.raises(KeyTemplateError) as caught:

        class Wrong(Entity, table=table):
            keys = Keys("SIZE#{größe}", "SIZE")
            größe: str  # noqa: PLC2401 - that is the point

    assert 'stored={"other_name": "größe"}' in str(caught.value)

    class Right(Entity, table=table, stored={"groesse": "größe"}):
        keys = Keys("SIZE#{groesse}", "SIZE")
        groesse: str

    with table.open("memory:") as db:
        right = db.create(Right(groesse="L"))
        assert db.get(key(Right, groesse="L")) == right
        assert db.send("Scan", {"TableName": "Sizes"})["Items"][0]["größe"] == {"S": "L"}


def test_the_remedy_shows_the_separated_form() -> None:
    with pytest.raises(KeyTemplateError) as caught:
        KeyTemplate.parse("USER-{id}")
    assert "USER-#{id}" in str(caught.value)
    with pytest.raises(KeyTemplateError) as caught:
        KeyTemplate.parse("{a:06}{b}")
    assert "{a:06}#{b}" in str(caught.value)


def test_fields_are_listed_once_in_order() -> None:
    assert KeyTemplate.parse("A#{x}#{y}#{x}").fields == ("x", "y")
    assert KeyTemplate.parse("config").fields == ()


# ------------------------------------------------------------------------------------------------------- adopted


@pytest.mark.parametrize(
    ("text", "style", "segments"),
    [
        ("{tenant}|{id}", PIPE, [Placeholder("tenant"), Placeholder("id")]),
        ("user:{id}", PIPE, [Compound((Literal("user:"), Placeholder("id")))]),
        ("USER-{id}|$ %#", PIPE, [Compound((Literal("USER-"), Placeholder("id"))), Literal("$ %#")]),
        (
            "{a}-{b}.json",
            PIPE,
            [Compound((Placeholder("a"), Literal("-"), Placeholder("b"), Literal(".json")))],
        ),
        ("V:{n:06}", KeyStyle.adopted(":"), [Literal("V"), Placeholder("n", 6)]),
        ("P.{n:8.2}", KeyStyle.adopted("."), [Literal("P"), Placeholder("n", 8, 2)]),
        ("a::b:c::{d}", KeyStyle.adopted("::"), [Literal("a"), Literal("b:c"), Placeholder("d")]),
    ],
)
def test_adopted_templates_take_other_separators_and_text_around_fields(
    text: str, style: KeyStyle, segments: list[object]
) -> None:
    template = KeyTemplate.parse(text, style)
    assert list(template.segments) == segments
    assert style.separator.join(map(str, template.segments)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{a}{b}", "two fields with nothing between them"),
        ("A||B", "empty part"),
        ("", "is empty"),
        ("A|{b", "brace"),
        ("\udfff", "surrogate"),
    ],
)
def test_adopted_templates_still_refuse_what_cannot_be_read_back(text: str, reason: str) -> None:
    with pytest.raises(KeyTemplateError, match=reason):
        KeyTemplate.parse(text, PIPE)


@pytest.mark.parametrize("separator", ["", "{", "a}b", "\ud800", "\ud7ff", "\U0010ffff"])
def test_separators_must_be_ordinary_text(separator: str) -> None:
    with pytest.raises(KeyTemplateError):
        KeyStyle.adopted(separator)


def test_the_strict_style_has_one_form() -> None:
    assert KeyStyle() == STRICT
    with pytest.raises(KeyTemplateError):
        KeyStyle(separator="|")
    with pytest.raises(KeyTemplateError):
        KeyStyle(escape=False)
