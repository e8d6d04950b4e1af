"""Markdown as a real parser reads it: what was text is text, and tables have the cells that they were given."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from examples.shop.model import shop
from tablewright import Table
from tablewright.generate.documents.blocks import (
    Block,
    Bullets,
    Grid,
    Heading,
    Listing,
    Picture,
    Text,
    code,
    plain_line,
    prose,
    spans,
)
from tablewright.generate.documents.book import book_blocks
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.material import Material
from tests.generate.every_feature import school

PARSER = MarkdownIt("commonmark").enable("table")
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30)


def read(blocks: list[Block]) -> list[tuple[str, Any]]:
    """The blocks of a document as the parser sees them: what they are, and their text."""
    found: list[tuple[str, Any]] = []
    row: list[str] = []
    inside: list[str] = []
    for token in PARSER.parse(to_markdown(blocks)):
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if token.type.endswith("_open"):
            inside.append(kind)
            row = [] if kind == "tr" else row
        elif token.type.endswith("_close"):
            inside.pop()
            if kind == "tr":
                found.append(("row", row))
        elif token.type == "inline":
            text = shown(token.children or [])
            if "tr" in inside:
                row.append(text)
            else:
                found.append(("item" if "list_item" in inside else inside[-1], text))
        elif token.type == "fence":
            found.append(("fence", token.content))
        else:
            found.append((token.type, token.content))
    return found


def shown(children: list[Any]) -> str:
    assert {c.type for c in children} <= {"text", "text_special", "code_inline", "image"}, [c.type for c in children]
    return "".join(c.attrs["src"] if c.type == "image" else c.content for c in children)


def meant(text: str) -> str:
    """What a reader should see of a text."""
    return "".join(piece for _, piece in spans(text))


def expected(blocks: list[Block]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for block in blocks:
        match block:
            case Heading(_, text):
                found.append(("heading", meant(text)))
            case Text(text):
                found.append(("paragraph", meant(text)))
            case Bullets(items):
                found += [("item", meant(item)) for item in items]
            case Grid(headers, rows):
                found += [("row", [meant(cell) for cell in row]) for row in (headers, *rows)]
            case Listing(_, text):
                found.append(("fence", text.rstrip() + "\n"))
            case Picture(name, _, _):
                found.append(("paragraph", f"pictures/{name}.svg"))
    return found


@pytest.mark.parametrize("table", [shop, school], ids=["shop", "school"])
def test_the_book_is_read_as_it_was_meant(table: Table) -> None:
    blocks = book_blocks(Material(table.plan))
    assert read(blocks) == expected(blocks)


@given(WORDS.filter(plain_line))
@example("a\ufffe_b")
@example("a_b_c *d* <b> [x](y) ![z](w) &amp; &#35; a\\b ~~s~~ | http://x.org")
@example("`a` `b")
@example("\x02a\x03b\x02")
@example("- x")
@example("12) x")
@example("+ x")
@example("# x")
@example("> x")
@example("===")
@example("---")
@example("***")
@example("~~~")
@example("| a | b |")
@example("\\")
@example("&copy; &lt;")
def test_any_text_is_read_as_it_was_meant(text: str) -> None:
    for blocks in ([Text(text)], [Heading(2, text)], [Bullets((text, text))], [Grid((text, "b"), (("a", text),))]):
        assert read(list(blocks)) == expected(list(blocks))


@given(WORDS.filter(plain_line))
@example("`")
@example("a\uffff b")
@example("a ``b`` c`")
@example("\\|")
@example("</code><script>")
def test_any_code_is_read_as_it_was_meant(text: str) -> None:
    blocks: list[Block] = [Text(f"see {code(text)} here"), Grid(("a",), ((code(text),),))]
    (_, paragraph), _, (_, row) = read(blocks)
    assert paragraph == f"see {plain_line(text)} here"
    assert row[0] == plain_line(text)


@pytest.mark.parametrize("text", ["", " ", "\ufffe", "\ufffe \x1b\uffff"])
def test_a_text_of_nothing_that_can_be_shown_is_none(text: str) -> None:
    assert [*spans(text), *spans(prose(text)), *spans(code(text))] == []
    assert read([Text(f"see {code(text)} here")]) == [("paragraph", "see here")]


@given(WORDS, WORDS)
@example("`", "<script>")
@example("`a", "b` <script>")
def test_what_people_wrote_ends_where_it_ends(one: str, other: str) -> None:
    """A backtick in one text makes no code of the next."""
    blocks: list[Block] = [Text(f"a {prose(one)} {code('X')} {prose(other)} b")]
    assert read(blocks) == expected(blocks)
    assert (True, "X") in spans(f"{prose(one)} {code('X')} {prose(other)}")


def test_pairs_of_backticks_make_code_of_what_people_wrote() -> None:
    assert to_markdown([Text(prose("Sets `a_b`, and `c_d"))]) == "Sets `a_b`, and \\`c\\_d\n"
