"""Pictures of cost: every figure and name is in them, nothing lies on something else, and all of it within the frame."""

from __future__ import annotations

import re
import struct
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Get, Keys, Table, get
from tablewright.cost.beside import Beside
from tablewright.cost.estimating import estimate
from tablewright.cost.growth import grow
from tablewright.errors import ConfigError
from tablewright.generate.pictures.charts import Series, figure, lines, marks, ticks
from tablewright.generate.pictures.costs import cost_picture
from tablewright.generate.pictures.png import as_png
from tablewright.generate.pictures.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"


def many(patterns: int) -> Table:
    """A table with so many patterns, each dearer than the one before."""
    table = Table("Many", indexes=[GSI("GSI1")])

    class Thing(Entity, table=table):
        keys = Keys("THING#{thing}", "THING", GSI1=("KIND#{kind}", "{thing}"))
        thing: str
        kind: str

    table.expect(Thing, items=10_000_000, size=900, writes=5)
    for number in range(patterns):

        def read(thing: str) -> Get[Thing]:
            return get(Thing, Thing.thing == thing)

        read.__name__ = f"a_pattern_with_a_rather_long_name_{number}" if number == 0 else f"read_{number}"
        table.expect(table.pattern(read), rate=10 * (number + 1))
    return table


def placed(svg: str) -> list[tuple[str, float, float, float, float]]:
    """The texts of a picture with the room that each takes."""
    found = []
    for one in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        said, x, y = one.text or "", float(one.attrib["x"]), float(one.attrib["y"])
        wide = width_of(said)
        left = x - {"end": wide, "middle": wide / 2}.get(one.get("text-anchor", "start"), 0)
        found.append((said, left, y - 10, left + wide, y + 2))
    return found


def overlapping(texts: list[tuple[str, float, float, float, float]]) -> list[tuple[str, str]]:
    return [
        (a[0], b[0])
        for number, a in enumerate(texts)
        for b in texts[:number]
        if a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4]
    ]


@pytest.mark.parametrize("patterns", [0, 1, 5, 13, 30])
@pytest.mark.parametrize("months", [None, 1, 24, 120])
def test_nothing_lies_on_something_else(patterns: int, months: int | None) -> None:
    table = many(patterns)
    beside = Beside(backups=2, kinesis=True, replicas=1)
    growth = None if months is None else grow(table, months, beside=beside, traffic=0.01)
    svg = cost_picture(estimate(table, beside=beside), growth, share=0.5)
    texts = placed(svg)
    assert overlapping(texts) == []
    root = ElementTree.fromstring(svg)
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(left >= 0 and right <= wide and top >= 0 and bottom <= high for _, left, top, right, bottom in texts)
    assert svg == cost_picture(estimate(table, beside=beside), growth, share=0.5)


def test_figures_are_those_of_the_estimate() -> None:
    table = many(3)
    found, growth = estimate(table), grow(table, 12)
    said = [text for text, *_ in placed(cost_picture(found, growth))]
    for share in found.shares:
        if share.what == "reads":
            assert figure(share.month) in said
    assert f"Reading, by access pattern: {figure(found.bill().reads)}" in said
    rest = found.bill().total - found.bill().reads
    assert f"Writing and keeping, by entity: {figure(rest)}" in said
    ends = f"{figure(growth.months[0].bill.total)} now, {figure(growth.months[12].bill.total)} after 12 months"
    assert f"From month to month, on-demand, standard: {ends}" in said
    for name in ("all", "reads", "writes", "storage", "recovery", "12", "months from now", "USD a month"):
        assert name in said


def test_a_long_list_ends_with_the_others() -> None:
    said = [text for text, *_ in placed(cost_picture(estimate(many(30))))]
    assert "18 others" in said
    assert "read_29()" in said
    assert "read_1()" not in said


def test_the_longest_bar_fills_its_room() -> None:
    svg = cost_picture(estimate(many(4)))
    widths = [float(w) for w in re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="14.0"', svg)]
    reads = sorted(widths[:4])
    assert reads == pytest.approx([reads[-1] * n / 4 for n in (1, 2, 3, 4)], rel=0.01)


def test_a_model_of_which_nothing_is_expected() -> None:
    table = Table("Empty")

    class Thing(Entity, table=table):
        keys = Keys("THING#{thing}", "THING")
        thing: str

    said = [text for text, *_ in placed(cost_picture(estimate(table), grow(table, 2)))]
    assert said.count("nothing that was told how often it happens") == 2


@settings(max_examples=60)
@given(st.floats(1e-6, 1e9))
def test_marks_are_round_and_reach_the_most(most: float) -> None:
    marks = ticks(most)
    assert marks[0] == 0
    assert marks[-1] >= most * (1 - 1e-6)
    assert marks[-2] < most * (1 + 1e-6)
    assert 2 <= len(marks) <= 7


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (212, ["0", "50", "100", "150", "200", "250"]),
        (0.9, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.012, ["0.0000", "0.0025", "0.0050", "0.0075", "0.0100", "0.0125"]),
        (12_345, ["0", "2,500", "5,000", "7,500", "10,000", "12,500"]),
    ],
)
def test_marks_are_as_exact_as_each_other(most: float, said: list[str]) -> None:
    assert marks(ticks(most)) == said


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1000), min_size=1, max_size=7))
def test_the_names_of_lines_keep_apart(ends: list[float]) -> None:
    series = [Series(f"line {number}", "#000000", (0.0, end)) for number, end in enumerate(ends)]
    svg = f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(lines(0, 0, 700, 260, series, ["0", "1"]))}</svg>'
    assert overlapping([text for text in placed(svg) if text[0].startswith("line")]) == []


def test_lines_that_run_over_each_other_can_be_told_apart() -> None:
    over, under = Series("over", "#000000", (1.0, 1.0), dashed=True), Series("under", "#ff0000", (1.0, 1.0))
    drawn = lines(0, 0, 700, 260, [under, over], ["0", "1"])
    assert [("stroke-dasharray" in one, "over" in one) for one in drawn if "polyline" in one] == [
        (False, False),
        (True, True),
    ]
    # Each name is led to from the end of its line.
    (first, second) = (one for one in drawn if one.startswith("<path") and " L" in one)
    assert first.split(" L")[0] == second.split(" L")[0]
    assert first.split(" L")[1] != second.split(" L")[1]


def test_a_picture_as_png() -> None:
    pytest.importorskip("resvg_py")
    svg = cost_picture(estimate(many(2)))
    png = as_png(svg)
    wide, high = struct.unpack(">II", png[16:24])
    root = ElementTree.fromstring(svg)
    assert png.startswith(b"\x89PNG")
    assert (wide, high) == (2 * int(root.attrib["width"]), 2 * int(root.attrib["height"]))


def test_what_png_needs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ConfigError, match="needs a package") as refused:
        as_png("<svg/>")
    assert "tablewright[png]" in (refused.value.hint or "")
