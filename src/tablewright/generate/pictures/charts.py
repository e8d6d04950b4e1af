"""Bars and lines: how figures are drawn, whatever they are of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from tablewright.generate.pictures.svg import FAINT, INK, LINE, PAPER, SOFT, escape, shortened, text, width_of

STRONG = ("#2563eb", "#d97706", "#059669", "#7c3aed", "#db2777", "#0891b2", "#64748b")
"""Colours of bars and lines: far apart from each other, and from white and black."""
_LABEL = 30
_BAR, _ROW, _GAP = 14, 24, 10


class Bar(Struct, frozen=True):
    """One row: a name, and parts that add up. Each part is the number of its kind, and a figure."""

    label: str
    parts: tuple[tuple[int, float], ...]

    @property
    def total(self) -> float:
        """The whole length."""
        return sum(value for _, value in self.parts)


class Series(Struct, frozen=True):
    """One line: a name and a figure for each step."""

    label: str
    colour: str
    values: tuple[float, ...]
    bold: bool = False
    dashed: bool = False
    """So that a line which it runs over stays in sight."""


def figure(value: float) -> str:
    """1,234 and 12.30 and 0.0042: as exact as a picture needs."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 0.01 else f"{value:.2g}" if abs(value) >= 1e-4 else "0"


def ticks(most: float, about: int = 5) -> list[float]:
    """Round figures from 0 on, the last not below the most there is."""
    if most <= 0:
        return [0.0, 1.0]
    rough = most / about
    power = 10 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= rough * (1 - 1e-9))
    return [step * number for number in range(math.ceil(round(most / step, 9)) + 1)]


def marks(scale: Sequence[float]) -> list[str]:
    """Figures of a scale, all as exact as the smallest step needs."""
    step = scale[1]
    decimals = next((n for n in range(9) if math.isclose(round(step, n), step, rel_tol=1e-9)), 9)
    return [f"{tick:,.{decimals}f}" for tick in scale]


def bars(x: int, y: int, width: int, rows: Sequence[Bar]) -> tuple[list[str], int]:
    """Rows of bars, each with its name before it and its figure behind it; and how high they are."""
    names = [shortened(row.label, _LABEL) for row in rows]
    left = max([width_of(name) for name in names], default=0) + _GAP
    right = max([width_of(figure(row.total)) for row in rows], default=0) + _GAP
    room, most = width - left - right, max([row.total for row in rows], default=0.0) or 1.0
    shapes = []
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        middle, at = y + number * _ROW + _ROW // 2, float(x + left)
        shapes.append(text(x + left - _GAP, middle, name, anchor="end"))
        for kind, value in row.parts:
            long = value / most * room
            shapes.append(_filled(at, middle - _BAR // 2, long, _BAR, STRONG[kind % len(STRONG)]))
            at += long
        shapes.append(text(round(at) + _GAP // 2, middle, figure(row.total), fill=SOFT))
    return shapes, len(rows) * _ROW


def legend(x: int, y: int, kinds: Mapping[int, str]) -> list[str]:
    """What the colours stand for, in a line."""
    shapes = []
    for number, kind in kinds.items():
        shapes.append(_filled(x, y - 5, 10, 10, STRONG[number % len(STRONG)]))
        shapes.append(text(x + 16, y, kind, fill=SOFT))
        x += 16 + width_of(kind) + 2 * _GAP
    return shapes


def lines(
    x: int,
    y: int,
    width: int,
    height: int,
    series: Sequence[Series],
    steps: Sequence[str],
    *,
    across: str = "",
    up: str = "",
) -> list[str]:
    """Lines over the same steps, named where they end. Steps without a name have no mark. `across` and `up` say what the steps
    and the figures are of."""
    scale = ticks(max([value for one in series for value in one.values], default=0.0))
    figures = marks(scale)
    left = max(map(width_of, (*figures, up))) + _GAP
    beyond = max(2 * _GAP, width_of(steps[-1]) // 2 + 4)
    right = max([width_of(one.label) for one in series], default=0) + beyond + _GAP
    top, bottom, room = (
        y + LINE // 2 + LINE * bool(up),
        y + height - LINE - 4 - LINE * bool(across),
        width - left - right,
    )
    apart = room / max(1, len(steps) - 1)

    def height_of(value: float) -> float:
        return bottom - value / scale[-1] * (bottom - top)

    shapes = []
    for tick, said in zip(scale, figures, strict=True):
        level = round(height_of(tick))
        shapes.append(f'<path d="M{x + left} {level} h{room}" stroke="{FAINT}" stroke-width="1"/>')
        shapes.append(text(x + left - _GAP, level, said, fill=SOFT, anchor="end"))
    for number, step in enumerate(steps):
        if step:
            at = round(x + left + number * apart)
            shapes.append(f'<path d="M{at} {bottom} v4" stroke="{SOFT}" stroke-width="1"/>')
            shapes.append(text(at, bottom + LINE // 2 + 4, step, fill=SOFT, anchor="middle"))
    if up:
        shapes.append(text(x + left - _GAP, top - LINE, up, fill=SOFT, anchor="end"))
    if across:
        shapes.append(text(x + left + room // 2, bottom + LINE // 2 + LINE + 4, across, fill=SOFT, anchor="middle"))
    for one in series:
        dashes = ' stroke-dasharray="6 4"' if one.dashed else ""
        points = " ".join(f"{x + left + n * apart:.1f},{height_of(v):.1f}" for n, v in enumerate(one.values))
        shapes.append(
            f'<polyline points="{points}" fill="none" stroke="{one.colour}" stroke-width="{3 if one.bold else 2}" '
            f'stroke-linejoin="round"{dashes}><title>{escape(one.label)}</title></polyline>'
        )
    ends = _apart([height_of(one.values[-1]) for one in series], LINE - 4, top, bottom + LINE - 4)
    for one, end in zip(series, ends, strict=True):
        begin = f"M{x + left + room} {height_of(one.values[-1]):.1f}"
        shapes.append(
            f'<path d="{begin} L{x + left + room + beyond - 4} {end:.1f}" stroke="{one.colour}" stroke-width="1"/>'
        )
        shapes.append(text(x + left + room + beyond, round(end), one.label, fill=one.colour, bold=one.bold))
    return shapes


def _apart(wanted: Sequence[float], distance: float, top: float, bottom: float) -> list[float]:
    """Heights as near to those that are wanted as can be, none too near to another: those that are stand around their
    middle."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    groups: list[
        tuple[float, int]
    ] = []  # where the first of a group stands, were all distances taken out; and how many
    for number, this in enumerate(order):
        groups.append((wanted[this] - number * distance, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (one, some), (other, more) = groups[-2:]
            groups[-2:] = [((one * some + other * more) / (some + more), some + more)]
    lowest = bottom - (len(order) - 1) * distance
    bases = [max(top, min(lowest, base)) for base, count in groups for _ in range(count)]
    placed = [0.0] * len(order)
    for number, this in enumerate(order):
        placed[this] = bases[number] + number * distance
    return placed


def _filled(x: float, y: float, width: float, height: float, fill: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}"'
    return f'<rect {place} fill="{fill}" stroke="{PAPER}" stroke-width="0.5"/>'


def heading(x: int, y: int, content: str) -> str:
    """The title of a part of a picture."""
    return text(x, y, content, bold=True, fill=INK)
