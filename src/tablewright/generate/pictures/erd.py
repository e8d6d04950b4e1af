"""The entity-relationship diagram as a picture: boxes in columns, each right of what leads to it."""

from __future__ import annotations

from collections import Counter
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


class _Box(Struct):
    entity: EntityShown
    colour: str
    width: int
    height: int
    x: int = 0
    y: int = 0


def erd_picture(title: str, shown: Shown) -> str:
    """The picture of these entities."""
    ends = Counter(name for link in shown.links for name in (link.source, link.target))
    boxes = {e.name: _measured(e, number, ends[e.name]) for number, e in enumerate(shown.entities)}
    linked = {name for link in shown.links for name in (link.source, link.target)}
    columns = _columns([e.name for e in shown.entities if e.name in linked], shown.links)
    width, height = _place_columns(boxes, columns)
    width, height = _place_rest(boxes, [e.name for e in shown.entities if e.name not in linked], width, height)
    lines = _lines(boxes, shown.links)
    shapes = [shape for one in boxes.values() for shape in _drawn(one)]
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


def _drawn(one: _Box) -> list[str]:
    entity, x, y = one.entity, one.x, one.y
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


def _columns(names: list[str], links: tuple[LinkShown, ...]) -> list[list[str]]:
    """Names by how many steps lead to them at most. A link that leads back where it came from does not count."""
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
    columns: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for name in names:
        columns[rank[name]].append(name)
    return _untangled(columns, below)


def _untangled(columns: list[list[str]], below: dict[str, list[str]]) -> list[list[str]]:
    """Each column in the order of what leads to it, so that few lines cross."""
    for left, column in pairwise(columns):
        position = {name: number for number, name in enumerate(left)}
        leading = {n: [position[a] for a in left if n in below[a]] for n in column}
        column.sort(key=lambda n: sum(leading[n]) / len(leading[n]) if leading[n] else len(left))
    return columns


def _place_columns(boxes: dict[str, _Box], columns: list[list[str]]) -> tuple[int, int]:
    heights = [sum(boxes[n].height + _GAP for n in column) - _GAP for column in columns]
    tallest, x = max(heights, default=0), _MARGIN
    for column, height in zip(columns, heights, strict=True):
        y = _MARGIN + (tallest - height) // 2
        for name in column:
            boxes[name].x, boxes[name].y = x, y
            y += boxes[name].height + _GAP
        x += max(boxes[n].width for n in column) + _BETWEEN
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


def _lines(boxes: dict[str, _Box], links: tuple[LinkShown, ...]) -> list[tuple[str, str]]:
    """Each line with its label. The ends at one side of a box are in the order of what they lead to."""
    sides = [_sides(boxes, link) for link in links]
    ends: dict[tuple[str, bool], list[tuple[int, int, int]]] = {}
    for number, (link, (right, back)) in enumerate(zip(links, sides, strict=True)):
        ends.setdefault((link.source, right), []).append((boxes[link.target].y, number, 0))
        ends.setdefault((link.target, back), []).append((boxes[link.source].y, number, 1))
    points: dict[tuple[int, int], tuple[int, int]] = {}
    for (name, right), there in ends.items():
        one = boxes[name]
        for slot, (_, number, end) in enumerate(sorted(there), 1):
            x = one.x + one.width if right else one.x
            points[number, end] = x, one.y + one.height * slot // (len(there) + 1)
    return [
        _line(link, points[number, 0], points[number, 1], back)
        for number, (link, (_, back)) in enumerate(zip(links, sides, strict=True))
    ]


def _sides(boxes: dict[str, _Box], link: LinkShown) -> tuple[bool, bool]:
    """Whether the line leaves and arrives on the right side; one to the right arrives on the left."""
    return True, boxes[link.target].x <= boxes[link.source].x + boxes[link.source].width


def _line(link: LinkShown, a: tuple[int, int], b: tuple[int, int], back: bool) -> tuple[str, str]:
    (x1, y1), (x2, y2) = a, b
    bend = max(40, abs(x2 - x1) // 2) if not back else 50 + abs(x2 - x1)
    d2 = 1 if back else -1
    curve = f"M{x1} {y1} C{x1 + bend} {y1} {x2 + d2 * bend} {y2} {x2} {y2}"
    many_source = link.cardinality == "M:N"
    feet = _foot(x1, y1, 1, many_source) + _foot(x2, y2, d2, link.cardinality != "1:1")
    x, y = _on_curve((x1, x1 + bend, x2 + d2 * bend, x2), (y1, y1, y2, y2))
    at = x + width_of(link.label) // 2 + 8 if back else x
    return path(curve, dashed=link.aside) + feet, label(at, y - 8, link.label)


def _on_curve(xs: tuple[int, int, int, int], ys: tuple[int, int, int, int]) -> tuple[int, int]:
    """The middle of a curve; of one that leads past a column, a place before it, where no box is."""
    last = xs[0] + _BETWEEN // 2 if xs[3] - xs[0] > 2 * _BETWEEN else None
    step = next((n for n in range(1, 32) if last is not None and _bezier(xs, n / 64) >= last), 32)
    return _bezier(xs, step / 64), _bezier(ys, step / 64)


def _bezier(p: tuple[int, int, int, int], t: float) -> int:
    u = 1 - t
    return round(u**3 * p[0] + 3 * u * u * t * p[1] + 3 * u * t * t * p[2] + t**3 * p[3])


def _foot(x: int, y: int, direction: int, many: bool) -> str:
    """A crow's foot for many, a bar for one."""
    tip = x + direction * 11
    if many:
        return path(f"M{tip} {y} L{x} {y - 6} M{tip} {y} L{x} {y + 6}")
    return path(f"M{x + direction * 7} {y - 6} V{y + 6}")
