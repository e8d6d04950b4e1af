"""Item collections as pictures: what lies together in one partition of the table or of an index, in the order of its sort key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.blocks import Picture
from tablewright.generate.documents.wording import condition
from tablewright.generate.pictures.svg import INK, LINE, SOFT, box, colour_of, drawing, shortened, text, width_of
from tablewright.model.indexes import KeyAttribute

_MARGIN, _PAD, _ROW = 12, 10, 2 * LINE + 8
_FIELDS = 72


class _Row(Struct, frozen=True):
    entity: str
    colour: str
    sort: str
    fields: str
    note: str


def collection_pictures(plan: TablePlan) -> dict[str | None, list[Picture]]:
    """By index, None for the table itself: a picture of every kind of partition there."""
    places: list[tuple[str | None, tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]] = [
        (None, (plan.table.pk,), () if plan.table.sk is None else (plan.table.sk,))
    ]
    places += [(index.name, index.pk, index.sk) for index in plan.table.indexes.values()]
    found: dict[str | None, list[Picture]] = {}
    for name, pk, sk in places:
        partitions: dict[str, tuple[str, list[_Row]]] = {}
        for keys, row in _rows(plan, name):
            text_of = " and ".join(_side(a, k, len(pk) > 1) for a, k in zip(pk, keys, strict=True))
            # What differs only in the names of placeholders can be the same partition.
            alike = re.sub(r"\{[^}]*\}", "{}", text_of)
            partitions.setdefault(alike, (text_of, []))[1].append(row)
        found[name] = [
            _picture(plan, name, number, pk, sk, partition, sorted(rows, key=lambda row: row.sort))
            for number, (partition, rows) in enumerate(partitions.values(), 1)
        ]
    return found


def _rows(plan: TablePlan, index: str | None) -> Iterator[tuple[tuple[KeyPlan, ...], _Row]]:
    for number, entity in enumerate(plan.entities.values()):
        if index is None:
            yield (entity.pk,), _row(entity, number, () if entity.sk is None else (entity.sk,), "")
        for binding in entity.bindings:
            if binding.index.name == index:
                note = "" if binding.condition is None else f"only while {condition(binding.condition)}"
                pk = (entity.pk,) if binding.index.local else binding.pk
                yield pk, _row(entity, number, binding.sk, note)


def _row(entity: EntityPlan, number: int, sk: tuple[KeyPlan, ...], note: str) -> _Row:
    fields = ", ".join(entity.entity.model_fields)
    sort = ", ".join(_side(key.attribute, key, len(sk) > 1) for key in sk)
    return _Row(entity.name, colour_of(number), sort, shortened(fields, _FIELDS), note)


def _side(attribute: KeyAttribute, key: KeyPlan, named: bool) -> str:
    return f"{attribute.name}={key}" if named else str(key)


def _picture(
    plan: TablePlan,
    index: str | None,
    number: int,
    pk: tuple[KeyAttribute, ...],
    sk: tuple[KeyAttribute, ...],
    partition: str,
    rows: list[_Row],
) -> Picture:
    place = index or plan.table.label
    title = f"{place}: the partition {partition}"
    heads = (" and ".join(a.name for a in pk), " and ".join(a.name for a in sk) or "", "Item")
    first = max(width_of(partition), width_of(heads[0])) + 2 * _PAD
    second = max(*(width_of(row.sort) for row in rows), width_of(heads[1])) + 2 * _PAD
    third = max(max(width_of(row.fields), width_of(_titled(row))) for row in rows) + 2 * _PAD
    top, height = _MARGIN + LINE + 8, _ROW * len(rows)
    shapes = [
        text(x, _MARGIN + LINE // 2, head, fill=SOFT, bold=True)
        for x, head in zip((_MARGIN, _MARGIN + first, _MARGIN + first + second), heads, strict=True)
    ]
    shapes += [
        box(_MARGIN, top, first, height, fill="#f5f7fa"),
        text(_MARGIN + _PAD, top + height // 2, partition, bold=True),
    ]
    for line, row in enumerate(rows):
        y, x = top + line * _ROW, _MARGIN + first
        shapes += [
            box(x, y, second, _ROW),
            text(x + _PAD, y + _ROW // 2, row.sort, fill=INK),
            box(x + second, y, third, _ROW, fill=row.colour),
            text(x + second + _PAD, y + LINE // 2 + 5, _titled(row), bold=True),
            text(x + second + _PAD, y + LINE + LINE // 2 + 3, row.fields, fill=SOFT),
        ]
    svg = drawing(title, 2 * _MARGIN + first + second + third, top + height + _MARGIN, shapes)
    return Picture(f"{'main' if index is None else index.lower()}-{number}", title, svg)


def _titled(row: _Row) -> str:
    return f"{row.entity}, {row.note}" if row.note else row.entity
