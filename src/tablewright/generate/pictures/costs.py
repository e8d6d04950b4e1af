"""What a table costs, as a picture: by access pattern, by entity, and from month to month."""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.cost.estimating import Estimate
from tablewright.cost.growth import Growth
from tablewright.cost.prices import Bill
from tablewright.generate.pictures.charts import STRONG, Bar, Series, bars, figure, heading, legend, lines
from tablewright.generate.pictures.svg import INK, LINE, SOFT, drawing, text
from tablewright.wording import counted

_WIDTH, _MARGIN, _APART, _HEIGHT = 760, 20, 26, 300
_MOST = 12
"""Rows that are shown; the others are added up in one more."""
_KINDS = {name: number for number, name in enumerate(Bill.__struct_fields__)}
"""What money is spent on, each with its colour."""
_OF_ENTITIES = ("writes", "storage", "recovery")
_NAMES = {"replicas": "other regions"}


def cost_picture(found: Estimate, growth: Growth | None = None, *, share: float = 1.0) -> str:
    """The picture of an estimate; with growth, also of the months to come."""
    title = f"What {found.table} costs in a month"
    said = f"on demand in {found.currency}, prices of {found.region} since {found.since}"
    said += f", at {share:.0%} of the peak" if share < 1 else ", as busy as its peak"
    shapes = [heading(_MARGIN, _MARGIN + 4, title), text(_MARGIN, _MARGIN + LINE + 4, said, fill=SOFT)]
    y = _MARGIN + 2 * LINE + _APART
    for heads, kinds, rows in (
        (f"Reading, by access pattern: {figure(_sum(_patterns(found)))}", (), _patterns(found)),
        (f"Writing and keeping, by entity: {figure(_sum(_entities(found)))}", _OF_ENTITIES, _entities(found)),
    ):
        shapes.append(heading(_MARGIN, y, heads))
        y += LINE
        if kinds and rows:
            used = {kind for row in rows for kind, value in row.parts if value}
            shapes += legend(_MARGIN, y, {_KINDS[kind]: kind for kind in kinds if _KINDS[kind] in used})
            y += LINE
        drawn, height = bars(_MARGIN, y, _WIDTH - 2 * _MARGIN, _most(rows))
        if not rows:
            drawn, height = (
                [text(_MARGIN, y + LINE // 2, "nothing that was told how often it happens", fill=SOFT)],
                LINE,
            )
        shapes += drawn
        y += height + _APART
    if growth is not None:
        shapes += _growth(growth, y)
        y += LINE + _HEIGHT + _APART
    return drawing(title, _WIDTH, y - _APART + _MARGIN, shapes)


def _patterns(found: Estimate) -> list[Bar]:
    return [Bar(share.subject, ((_KINDS["reads"], share.month),)) for share in found.shares if share.what == "reads"]


def _entities(found: Estimate) -> list[Bar]:
    sums: dict[str, dict[str, float]] = {}
    for share in found.shares:
        if share.what != "reads":
            own = sums.setdefault(share.subject.split(" on ", 1)[0], dict.fromkeys(_OF_ENTITIES, 0.0))
            own[share.what] += share.month
    made = [Bar(name, tuple((_KINDS[kind], own[kind]) for kind in _OF_ENTITIES)) for name, own in sums.items()]
    return sorted(made, key=lambda row: (-row.total, row.label))


def _sum(rows: Iterable[Bar]) -> float:
    return sum(row.total for row in rows)


def _most(rows: list[Bar]) -> list[Bar]:
    """The dearest, and all others in one row."""
    if len(rows) <= _MOST + 1:
        return rows
    rest, parts = rows[_MOST:], dict[int, float]()
    for kind, value in (part for row in rest for part in row.parts):
        parts[kind] = parts.get(kind, 0.0) + value
    return [*rows[:_MOST], Bar(counted(len(rest), "other"), tuple(parts.items()))]


def _growth(growth: Growth, y: int) -> list[str]:
    last = growth.months[-1].number
    title = f"From month to month, {growth.mode}, {growth.table_class}: {figure(growth.months[0].bill.total)} now, "
    title += f"{figure(growth.months[-1].bill.total)} after {counted(last, 'month')}"
    totals = Series("all", INK, tuple(month.bill.total for month in growth.months), bold=True)
    parts = [
        Series(_NAMES.get(kind, kind), STRONG[number], values, dashed=number % 2 == 1)
        for kind, number in _KINDS.items()
        if any(values := tuple(getattr(month.bill, kind) for month in growth.months))
    ]
    every = next(step for step in (1, 2, 3, 6, 12, 24, 60, 120) if last / step <= 12)
    steps = [str(month.number) if month.number % every == 0 else "" for month in growth.months]
    return [
        heading(_MARGIN, y, title),
        *lines(
            _MARGIN,
            y + LINE,
            _WIDTH - 2 * _MARGIN,
            _HEIGHT,
            [*parts, totals],
            steps,
            across="months from now",
            up=f"{growth.currency} a month",
        ),
    ]
