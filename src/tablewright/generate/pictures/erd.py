"""The entity-relationship diagram as a picture: boxes in columns, each right of what leads to it. A line that leads past
columns has a lane of its own in each of them, so that it runs behind no box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from tablewright.generate.documents.entities import EntityShown, FieldShown, LinkShown, Shown
from tablewright.generate.pictures.svg import (
    LINE,
    SOFT,
    box,
    colour_of,
    drawing,
    label,
    path,
    shortened,
    text,
    width_of,
)

_MARGIN, _PAD, _GAP, _BETWEEN = 24, 10, 28, 150
_WIDEST = 1100
_NAME, _TYPE = 32, 28
_LABEL = 14
"""The height of a label."""


class _Box(Struct):
    """A place in a column: of an entity, or of a line on its way through."""

    entity: EntityShown | None
    colour: str = ""
    width: int = 0
    height: int = 0
    x: int = 0
    y: int = 0
    edge: int = 0
    """Where the column ends on the right, in which others may be wider."""

    @property
    def left(self) -> tuple[int, int]:
        """Where a line comes to a lane."""
        return self.x, self.y

    @property
    def right(self) -> tuple[int, int]:
        """Where it leaves it."""
        return self.x + self.width, self.y


def erd_picture(title: str, shown: Shown) -> str:
    """The picture of these entities."""
    ends = Counter(name for link in shown.links for name in (link.source, link.target))
    boxes = {e.name: _measured(e, number, ends[e.name]) for number, e in enumerate(shown.entities)}
    linked = [e.name for e in shown.entities if ends[e.name]]
    ways, columns = _columns(linked, shown.links)
    boxes |= {lane: _Box(None) for way in ways for lane in way[1:-1]}
    width, height = _place_columns(boxes, columns)
    width, height = _place_rest(boxes, [e.name for e in shown.entities if not ends[e.name]], width, height)
    lines = _lines(boxes, shown.links, ways)
    shapes = [shape for one in boxes.values() if one.entity is not None for shape in _drawn(one, one.entity)]
    return drawing(title, width, height, [*(p for p, _ in lines), *shapes, *(words for _, words in lines)])


# ------------------------------------------------------------------------------------------------------------ boxes


def _mark(field: FieldShown) -> str:
    return "PK" if field.in_key else "UK" if field.unique else "FK" if field.foreign else ""


def _measured(entity: EntityShown, number: int, ends: int) -> _Box:
    names = max([width_of(shortened(f.name, _NAME)) for f in entity.fields], default=0)
    types = max([width_of(_type(f)) for f in entity.fields], default=0)
    width = max(names + types + 4 * _PAD + 18, width_of(entity.name) + 2 * _PAD + 10)
    height = max(LINE * (len(entity.fields) + 1) + _PAD, 16 * (ends + 1))
    return _Box(entity, colour_of(number), width, height)


def _type(field: FieldShown) -> str:
    return shortened(field.type, _TYPE) + ("?" if field.optional else "")


def _drawn(one: _Box, entity: EntityShown) -> list[str]:
    x, y = one.x, one.y
    shapes = [
        box(x, y, one.width, one.height, dashed=entity.embedded),
        box(x, y, one.width, LINE + 4, fill=one.colour, dashed=entity.embedded),
        text(x + _PAD, y + LINE // 2 + 2, entity.name, bold=True),
    ]
    for number, field in enumerate(entity.fields, 1):
        line = y + LINE * number + LINE // 2 + 6
        if _mark(field):
            shapes.append(text(x + _PAD, line, _mark(field), fill=SOFT))
        shapes.append(text(x + _PAD + 24, line, shortened(field.name, _NAME), bold=field.in_key))
        shapes.append(text(x + one.width - _PAD, line, _type(field), fill=SOFT, anchor="end"))
    return shapes


# ---------------------------------------------------------------------------------------------------------- placing


Way = tuple[str, ...]
"""The places that a line leads through: its ends, and lanes between them."""


def _columns(names: list[str], links: tuple[LinkShown, ...]) -> tuple[list[Way], list[list[str]]]:
    """The way of each link, and what stands in each column: names by how many steps lead to them at most, and lanes."""
    rank = _ranked(names, links)
    columns: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for name in names:
        columns[rank[name]].append(name)
    ways: list[Way] = []
    for number, link in enumerate(links):
        lanes = [f"{number}>{column}" for column in range(rank[link.source] + 1, rank[link.target])]
        for column, lane in enumerate(lanes, rank[link.source] + 1):
            columns[column].append(lane)
        ways.append((link.source, *lanes, link.target))
    return ways, _untangled(columns, ways)


def _ranked(names: list[str], links: tuple[LinkShown, ...]) -> dict[str, int]:
    """A link that leads back where it came from does not count."""
    below: dict[str, list[str]] = {name: [] for name in names}
    for link in links:
        if link.source != link.target and link.target not in below[link.source]:
            below[link.source].append(link.target)
    rank = dict.fromkeys(names, 0)
    done: set[str] = set()
    order: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        below[name] = [other for other in below[name] if other not in above]
        for other in below[name]:
            if other not in done:
                visit(other, (*above, other))
        if name not in done:
            done.add(name)
            order.append(name)

    for name in names:
        if name not in done:
            visit(name, (name,))
    for name in reversed(order):
        for other in below[name]:
            rank[other] = max(rank[other], rank[name] + 1)
    return rank


def _untangled(columns: list[list[str]], ways: list[Way]) -> list[list[str]]:
    """Each column in the order of what it is linked with in the one before, and then of the one behind it, so that few
    lines cross."""
    steps = [step for way in ways for step in pairwise(way)]
    for _ in range(3):
        for first, second in pairwise(columns):
            _sort(second, first, [(b, a) for a, b in steps])
        for first, second in pairwise(columns[::-1]):
            _sort(second, first, steps)
    return columns


def _sort(column: list[str], beside: list[str], steps: list[tuple[str, str]]) -> None:
    place = {name: number for number, name in enumerate(beside)}
    linked = {name: [place[there] for here, there in steps if here == name and there in place] for name in column}
    middle = {name: sum(there) / len(there) for name, there in linked.items() if there}
    own = {name: number for number, name in enumerate(column)}
    column.sort(key=lambda name: middle.get(name, own[name]))


def _place_columns(boxes: dict[str, _Box], columns: list[list[str]]) -> tuple[int, int]:
    heights = [sum(boxes[n].height + _GAP for n in column) - _GAP for column in columns]
    tallest, x = max(heights, default=0), _MARGIN
    for column, height in zip(columns, heights, strict=True):
        widest = max(boxes[n].width for n in column)
        y = _MARGIN + (tallest - height) // 2
        for name in column:
            one = boxes[name]
            one.x, one.y = x, y
            one.width = widest if one.entity is None else one.width
            one.edge = x + widest
            y += one.height + _GAP
        x += widest + _BETWEEN
    loops = 60  # lines that turn back run on the right
    return (x - _BETWEEN + _MARGIN + loops, tallest + 2 * _MARGIN) if columns else (2 * _MARGIN, _MARGIN)


def _place_rest(boxes: dict[str, _Box], names: list[str], width: int, height: int) -> tuple[int, int]:
    """Those without links stand below, in rows."""
    x, y, tallest, widest = _MARGIN, height, 0, max(width, _WIDEST if names else 0)
    used = width
    for name in names:
        one = boxes[name]
        if x > _MARGIN and x + one.width + _MARGIN > widest:
            x, y, tallest = _MARGIN, y + tallest + _GAP, 0
        one.x, one.y = x, y
        x += one.width + _GAP
        tallest = max(tallest, one.height)
        used = max(used, x - _GAP + _MARGIN)
    return used, y + tallest + _MARGIN if names else height


# ------------------------------------------------------------------------------------------------------------ lines


Point = tuple[int, int]
Curve = tuple[Point, Point, Point, Point]
"""A line between two columns: its ends, and between them where it bends to."""


def _lines(boxes: dict[str, _Box], links: tuple[LinkShown, ...], ways: list[Way]) -> list[tuple[str, str]]:
    """Each line with its label. The ends at one side of a box are in the order of what they lead to."""
    back = [boxes[link.target].x <= boxes[link.source].x + boxes[link.source].width for link in links]
    ends: dict[tuple[str, bool], list[tuple[int, int, int]]] = {}
    for number, way in enumerate(ways):
        ends.setdefault((way[0], True), []).append((_middle(boxes[way[1]]), number, 0))
        ends.setdefault((way[-1], back[number]), []).append((_middle(boxes[way[-2]]), number, 1))
    points: dict[tuple[int, int], Point] = {}
    for (name, right), there in ends.items():
        one = boxes[name]
        for slot, (_, number, end) in enumerate(sorted(there), 1):
            x = one.x + one.width if right else one.x
            points[number, end] = x, one.y + one.height * slot // (len(there) + 1)
    free = _Free([(one.x, one.y, one.x + one.width, one.y + one.height) for one in boxes.values() if one.entity])
    return [
        _line(
            link,
            points[number, 0],
            [boxes[place] for place in ways[number][:-1]],
            points[number, 1],
            back[number],
            free,
        )
        for number, link in enumerate(links)
    ]


def _middle(one: _Box) -> int:
    return one.y + one.height // 2


def _line(link: LinkShown, a: Point, places: list[_Box], b: Point, back: bool, free: _Free) -> tuple[str, str]:
    source, *lanes = places
    leaves = a if back else (source.edge, a[1])
    stops = [leaves, *(point for lane in lanes for point in (lane.left, lane.right)), b]
    curves = [_curve(begin, end, back) for begin, end in zip(stops[::2], stops[1::2], strict=True)]
    drawn = "".join(f" L{_at(c[0])} C{_at(c[1])} {_at(c[2])} {_at(c[3])}" for c in curves)
    direction = 1 if back else -1
    feet = _foot(*a, 1, link.cardinality == "M:N") + _foot(*b, direction, link.cardinality != "1:1")
    wide = width_of(link.label)
    shift = wide // 2 + 8 if back else 0
    x, y = free.take([(x + shift, y - 8) for x, y in _along(curves)], wide)
    return path(f"M{_at(a)}{drawn}", dashed=link.aside) + feet, label(x, y, link.label)


def _at(point: Point) -> str:
    return f"{point[0]} {point[1]}"


def _curve(a: Point, b: Point, back: bool) -> Curve:
    bend = 50 + abs(b[0] - a[0]) if back else max(40, abs(b[0] - a[0]) // 2)
    return a, (a[0] + bend, a[1]), (b[0] + bend if back else b[0] - bend, b[1]), b


def _along(curves: list[Curve]) -> Iterator[Point]:
    """Where a label can stand: the middle of the first curve, else before or behind it, or on the next one."""
    for curve in curves:
        for t in (0.5, 0.4, 0.6, 0.3, 0.7):
            yield _bezier([p[0] for p in curve], t), _bezier([p[1] for p in curve], t)


class _Free:
    """Where there is room for labels: not on boxes, nor on each other."""

    def __init__(self, taken: list[tuple[int, int, int, int]]) -> None:
        self._taken = taken

    def take(self, places: list[Point], wide: int) -> Point:
        """The first place with room; the first of all where none has."""
        found = next((place for place in places if self._has_room(place, wide)), places[0])
        self._taken.append(_around(found, wide))
        return found

    def _has_room(self, place: Point, wide: int) -> bool:
        left, top, right, bottom = _around(place, wide)
        return not any(left < x2 and x1 < right and top < y2 and y1 < bottom for x1, y1, x2, y2 in self._taken)


def _around(place: Point, wide: int) -> tuple[int, int, int, int]:
    x, y = place
    return x - wide // 2, y - _LABEL // 2, x + wide // 2, y + _LABEL // 2


def _bezier(p: list[int], t: float) -> int:
    u = 1 - t
    return round(u**3 * p[0] + 3 * u * u * t * p[1] + 3 * u * t * t * p[2] + t**3 * p[3])


def _foot(x: int, y: int, direction: int, many: bool) -> str:
    """A crow's foot for many, a bar for one."""
    tip = x + direction * 11
    if many:
        return path(f"M{tip} {y} L{x} {y - 6} M{tip} {y} L{x} {y + 6}")
    return path(f"M{x + direction * 7} {y - 6} V{y + 6}")
