"""The design book: everything is in it, the page stands alone, and nothing in a model can break out of its text."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples.shop.model import shop
from tablewright import Entity, Keys, Table
from tablewright.generate.documents.access_patterns import pattern_blocks
from tablewright.generate.documents.blocks import (
    Bullets,
    Grid,
    Heading,
    Listing,
    Picture,
    Text,
    code,
    lowered,
    plain_line,
)
from tablewright.generate.documents.book import book_blocks, html_book, markdown_book
from tablewright.generate.documents.entities import EntityShown, FieldShown, LinkShown, Shown
from tablewright.generate.documents.html import inline as html_inline
from tablewright.generate.documents.html import to_html
from tablewright.generate.documents.key_tables import index_table, main_table
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.material import Material
from tablewright.generate.pictures.erd import erd_picture
from tests.generate.every_feature import school

ITEM = {"PK": {"S": "SCHOOL#s1"}, "SK": {"S": "SCHOOL"}, "Type": {"S": "School"}}
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "input"}


class Page(HTMLParser):
    """Reads a page and checks that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        given = dict(attrs)
        self.attributes |= set(given)
        self.ids += [str(given["id"])] if "id" in given else []
        self.links += [str(given["href"])] if "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.mark.parametrize("table", [shop, school, Table("Empty")], ids=["shop", "school", "empty"])
def test_the_page_stands_alone(table: Table) -> None:
    text = html_book(Material(table.plan, items=[ITEM]))
    page = Page(text)
    assert len(set(page.ids)) == len(page.ids)
    assert page.links
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert not page.seen.keys() & {"script", "link", "img", "iframe"}
    assert not [a for a in page.attributes if a.startswith("on") or a == "src"]
    assert set(re.findall(r"https?://[^\s\"<]*", text)) <= {"http://www.w3.org/2000/svg"}


def test_everything_is_in_the_book() -> None:
    blocks = book_blocks(Material(school.plan, items=[ITEM]))
    for part in (main_table(school.plan)[1:], pattern_blocks(Material(school.plan))):
        assert [b for b in part if b not in blocks] == []
    for index in school.indexes.values():
        assert [b for b in index_table(school.plan, index)[1:] if b not in blocks] == []
    titles = [b.text for b in blocks if isinstance(b, Heading) and b.level == 2]
    assert titles == [
        *("Entities", "Keys", "Access patterns", "Relationships", "Changes", "Anti-pattern review", "Sample items")
    ]
    entities = {b.text for b in blocks if isinstance(b, Heading) and b.level == 3}
    assert {plan.name for plan in school.plan.entities.values()} | {"Room", "Mark", "SchoolTree"} <= entities | {
        b.text for b in blocks if isinstance(b, Heading) and b.level == 4
    }
    page = Page(html_book(Material(school.plan)))
    assert '"IndexName": "ByPlace"' in page.text
    for pattern in school.patterns.values():
        assert pattern.doc in page.text
    assert "At most 60 Class share school_id" in page.text
    assert "10,000 items" in page.text
    assert "close" in page.text


def test_every_partition_has_a_picture() -> None:
    pictures = {b.name: b for b in book_blocks(Material(school.plan)) if isinstance(b, Picture)}
    main = [name for name in pictures if name.startswith("main-")]
    assert len(main) == len({re.sub(r"\{.*?\}", "", str(p.pk)) for p in school.plan.entities.values()})
    texts = ElementTree.fromstring(pictures["main-1"].svg).iter(f"{SVG}text")
    shown = [t.text for t in texts]
    assert sorted((n for n in shown if n in ("School", "Class", "Lesson")), key=ORDER) == ["School", "Class", "Lesson"]
    assert "CLASS#{class_id}#LESSON#{starts_at}" in shown
    assert "Lesson, only while status = open" in pictures["gsi2-1"].svg


ORDER = ["School", "Class", "Lesson"].index


def test_pictures_of_the_markdown_book_are_files_beside_it() -> None:
    files = markdown_book(Material(school.plan))
    shown = re.findall(r"^!\[.*\]\((.*)\)$", files["design-book.md"], re.MULTILINE)
    assert shown
    assert sorted(shown) == sorted(name for name in files if name != "design-book.md")
    for name in shown:
        assert ElementTree.fromstring(files[name]).tag == f"{SVG}svg"


# ----------------------------------------------------------------------------------------------------- texts of users


def test_texts_of_a_model_stay_texts() -> None:
    table = Table("Hostile")

    class Thing(Entity, table=table):
        """<script>alert(1)</script> | [link](http://example.org) `code` *bold*"""

        keys = Keys("T#{thing_id}", "T")
        thing_id: str

    page = Page(html_book(Material(table.plan)))
    assert page.seen["script"] == 0
    assert "<script>alert(1)</script> | [link](http://example.org) code *bold*" in page.text
    book = markdown_book(Material(table.plan))["design-book.md"]
    assert r"\<script\>alert(1)\</script\> | \[link\](http://example.org) `code` \*bold\*" in book
    assert r"\<script\>alert(1)\</script\> \| \[link\]" in book  # in a table


@given(st.text(st.characters(exclude_characters="\x02\x03")))
@example("0\r\x1b 0")
@example("\x1b # x \x1b")
def test_any_text_is_itself_on_a_page(text: str) -> None:
    shown = plain_line(text)
    assert plain_line(shown) == shown
    assert Page(str(html_inline(text))).text == shown
    as_code = Page(str(html_inline(f"see {code(text)}")))
    assert as_code.text == f"see {shown}".strip()
    assert as_code.seen["code"] == bool(shown)


@given(st.text(st.sampled_from("\x02\x03\x1b\n a")))
@example("0 \x02 0\x03")
def test_marks_of_code_are_no_text(text: str) -> None:
    """Where they stand in one, they may make code of it; the white space around that is one space on a page."""
    page = Page(str(html_inline(text)))
    assert page.text.split() == plain_line(text).split()
    assert not {"\x02", "\x03"} & {*page.text, *plain_line(text)}


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=3))
def test_a_table_keeps_its_cells_whatever_they_hold(rows: list[list[str]]) -> None:
    grid = Grid(("a", "b"), tuple((r[0], r[1]) for r in rows))
    lines = to_markdown([grid]).splitlines()
    assert len(lines) == len(rows) + 2
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line.replace(r"\\", ""))) == 3


def test_all_blocks_as_markdown_and_html() -> None:
    blocks = [
        Heading(1, "A *title*"),
        Text("# no heading"),
        Text("1. no list"),
        Bullets(("one", "two")),
        Bullets(("done", "open"), (True, False)),
        Listing("text", "a\n```\nb"),
        Picture("p", "A picture", "<svg></svg>"),
    ]
    assert to_markdown(lowered(blocks, 1)).split("\n\n") == [
        r"## A \*title\*",
        r"\# no heading",
        r"1\. no list",
        "- one\n- two",
        "- [x] done\n- [ ] open",
        "````text\na\n```\nb\n````",
        "![A picture](pictures/p.svg)\n",
    ]
    page = Page(to_html("T", blocks))
    assert page.seen["h1"] == page.seen["svg"] == page.seen["pre"] == 1
    assert page.seen["li"] == 4
    assert page.seen["input"] == 2


# ----------------------------------------------------------------------------------------------------------- drawing

NAMES = [f"E{number}" for number in range(7)]


@st.composite
def diagrams(draw: st.DrawFn) -> Shown:
    names = NAMES[: draw(st.integers(1, 6))]
    field = st.builds(
        FieldShown,
        name=st.text(st.characters(categories=["L"]), min_size=1, max_size=40),
        type=st.sampled_from(["str", "list[Something]", "x" * 50]),
        optional=st.booleans(),
        in_key=st.booleans(),
        unique=st.booleans(),
        foreign=st.booleans(),
        indexes=st.just(()),
        about=st.just(""),
    )
    entities = tuple(EntityShown(n, "", tuple(draw(st.lists(field, max_size=3))), draw(st.booleans())) for n in names)
    link = st.builds(
        LinkShown,
        source=st.sampled_from(names),
        target=st.sampled_from(names),
        cardinality=st.sampled_from(["1:1", "1:N", "M:N"]),
        label=st.sampled_from(["", "normalised", "a < b"]),
        aside=st.booleans(),
    )
    return Shown(entities, tuple(draw(st.lists(link, max_size=8))))


@settings(max_examples=settings().max_examples // 2)
@given(diagrams())
def test_boxes_lie_apart_and_within_the_picture(shown: Shown) -> None:
    svg = ElementTree.fromstring(erd_picture("Title", shown))
    rects = [tuple(int(r.attrib[a]) for a in ("x", "y", "width", "height")) for r in svg.iter(f"{SVG}rect")]
    (_, _, width, height), *drawn = rects
    boxes = drawn[::2]  # each with its head
    assert len(boxes) == len(shown.entities)
    for number, (x, y, w, h) in enumerate(boxes):
        assert x >= 0
        assert x + w <= width
        assert y >= 0
        assert y + h <= height
        for x2, y2, w2, h2 in boxes[number + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    labels = [link.label for link in shown.links]
    texts = [t.text or "" for t in svg.iter(f"{SVG}text")]
    assert not Counter(labels) - Counter(texts)


@settings(max_examples=settings().max_examples // 2)
@given(diagrams())
def test_lines_that_lead_on_run_behind_no_box(shown: Shown) -> None:
    names = [entity.name for entity in shown.entities]
    links = tuple(link for link in shown.links if names.index(link.source) < names.index(link.target))
    svg = ElementTree.fromstring(erd_picture("Title", Shown(shown.entities, links)))
    _, *drawn = [tuple(int(r.attrib[a]) for a in ("x", "y", "width", "height")) for r in svg.iter(f"{SVG}rect")]
    lines = [d for p in svg.iter(f"{SVG}path") if "C" in (d := p.attrib["d"])]
    assert len(lines) == len(links)
    for line in lines:
        for point in _points(line):
            assert not any(x < point[0] < x + w and y < point[1] < y + h for x, y, w, h in drawn[::2]), line


def _points(line: str) -> Iterator[tuple[float, float]]:
    """Many points along a path of straight lines and curves."""
    here = (0.0, 0.0)
    for step, numbers in re.findall(r"([MLC])([\d -]+)", line):
        ends = [(float(x), float(y)) for x, y in re.findall(r"(-?\d+) (-?\d+)", numbers)]
        if step != "M":
            corners = [here, *(ends if step == "C" else (here, ends[0], ends[0]))]
            for number in range(65):
                t = number / 64
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                yield tuple(sum(w * c[axis] for w, c in zip(weights, corners, strict=True)) for axis in (0, 1))  # type: ignore[misc]
        here = ends[-1]


def test_labels_of_lines_lie_apart() -> None:
    fields = (FieldShown("id", "str", False, True, False, False, (), ""),)
    entities = tuple(EntityShown(name, "", fields, False) for name in NAMES[:4])
    links = tuple(LinkShown(a, b, "1:N", "normalised", False) for a, b in combinations(NAMES[:4], 2))
    svg = ElementTree.fromstring(erd_picture("Title", Shown(entities, links)))
    places = [(int(t.attrib["x"]), int(t.attrib["y"])) for t in svg.iter(f"{SVG}text") if t.text == "normalised"]
    assert len(places) == 6
    assert all(abs(a[1] - b[1]) >= 14 or abs(a[0] - b[0]) >= 70 for a, b in combinations(places, 2))
