"""Placeholders that are worked out from fields: shards that spread a hot partition, and time buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tablewright.compiler.fields import FieldPlan
from tablewright.errors import ArgumentError, KeyTemplateError, ModelError
from tablewright.later import later
from tablewright.model.annotations import plain, without_none
from tablewright.model.entity import did_you_mean
from tablewright.model.keys import Derived, Shard
from tablewright.values.keybuilding.granularity import WIDTHS, Granularity
from tablewright.values.keycodec import PartCodec, part_for
from tablewright.values.keycodec.parts.base import not_written_here
from tablewright.values.keycodec.parts.text import TextPart

if TYPE_CHECKING:
    from tablewright.values.keybuilding import shards
else:
    later(globals(), "tablewright.values.keybuilding", "shards")

MAX_FAN_OUT = 1000


class ShardPlan(Struct, frozen=True, eq=False):
    """Chooses one of `of` shards by a hash of the encoded fields: stable across processes and versions."""

    fields: tuple[str, ...]
    parts: tuple[PartCodec, ...]
    of: int
    part: PartCodec

    def value(self, values: Mapping[str, Any]) -> int:
        """The shard of these field values."""
        text = "#".join(part.encode(values[name]) for name, part in zip(self.fields, self.parts, strict=True))
        return shards.shard_of(text, self.of)

    def every(self) -> Sequence[int]:
        """All shards, for reads that cannot know which."""
        return range(self.of)


class BucketPart(TextPart):
    """A bucket's text: the leading part of an ISO time."""

    kind = "a bucket"
    alphabet = frozenset("0123456789-T")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.fixed_width = self.max_bytes = width
        self.required = frozenset(_WHOLE[:width]) & frozenset("-T")

    def decode(self, text: str) -> str:
        """The text itself, if it is one."""
        if len(text) != self.fixed_width or not text.isascii():
            raise not_written_here(self.kind)
        try:
            moment = bucket_start(text)
        except ValueError:
            raise not_written_here(self.kind) from None
        if not moment.isoformat().startswith(text):
            raise not_written_here(self.kind)
        return text


_WHOLE = "0001-01-01T00:00:00"


def bucket_start(text: str) -> datetime:
    """The moment at which a bucket begins, in UTC without saying so; ValueError where the text is none."""
    return datetime.fromisoformat(text + _WHOLE[len(text) :])


class BucketPlan(Struct, frozen=True, eq=False):
    """The hour, day, month or year of a time field: the leading part of its ISO form in UTC."""

    field: str
    by: Granularity
    part: PartCodec

    @property
    def fields(self) -> tuple[str, ...]:
        """The one field it is derived from."""
        return (self.field,)

    def value(self, values: Mapping[str, Any]) -> str:
        """The bucket of this field value."""
        return self.of(values[self.field])

    def of(self, moment: datetime | date) -> str:
        """The bucket that holds a moment."""
        text = moment.astimezone(UTC).isoformat() if isinstance(moment, datetime) else moment.isoformat()
        return text[: WIDTHS[self.by]]

    def between(self, low: datetime | date, high: datetime | date) -> list[str]:
        """Every bucket from the one of `low` to the one of `high`."""
        buckets: list[str] = []
        moment, last = self._start(low), self.of(high)
        if self.of(moment) > last:
            return buckets
        while True:
            buckets.append(self.of(moment))
            if buckets[-1] == last:
                return buckets
            if len(buckets) >= MAX_FAN_OUT:
                raise ArgumentError(
                    f"The range spans more than {MAX_FAN_OUT} {self.by} buckets.", hint="Ask for a shorter range."
                )
            moment = self._next(moment)

    def _start(self, moment: datetime | date) -> datetime:
        utc = (
            moment.astimezone(UTC)
            if isinstance(moment, datetime)
            else datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
        )
        start = utc.replace(minute=0, second=0, microsecond=0)
        if self.by != "hour":
            start = start.replace(hour=0)
        if self.by in ("month", "year"):
            start = start.replace(day=1)
        return start.replace(month=1) if self.by == "year" else start

    def _next(self, start: datetime) -> datetime:
        if self.by == "hour":
            return start + timedelta(hours=1)
        if self.by == "day":
            return start + timedelta(days=1)
        months = start.month if self.by == "month" else 12
        return start.replace(year=start.year + months // 12, month=months % 12 + 1)


DerivedPlan = ShardPlan | BucketPlan


def plan_derived(entity: str, name: str, spec: Derived, fields: Mapping[str, FieldPlan]) -> DerivedPlan:
    """The plan of one derived placeholder."""
    for field in spec.fields:
        if field not in fields:
            raise ModelError(
                f"{entity}: {{{name}}} is derived from field {field!r}, which {entity} does not have."
                + did_you_mean(field, fields)
            )
    if isinstance(spec, Shard):
        return ShardPlan(
            spec.fields,
            tuple(_shard_part(entity, name, fields[f]) for f in spec.fields),
            spec.of,
            part_for(int, width=len(str(spec.of - 1)), ge=0, le=spec.of - 1),
        )
    kind = plain(without_none(fields[spec.field].annotation))
    if kind not in (datetime, date) or (kind is date and spec.by == "hour"):
        raise ModelError(
            f"{entity}: {{{name}}} is a bucket by {spec.by} of {spec.field!r}, which is no {'datetime' if spec.by == 'hour' else 'datetime or date'}.",
            hint="Use a datetime field, or a date field for day, month and year.",
        )
    return BucketPlan(spec.field, spec.by, BucketPart(WIDTHS[spec.by]))


def _shard_part(entity: str, name: str, field: FieldPlan) -> PartCodec:
    try:
        return part_for(plain(without_none(field.annotation)), plain_int=True)
    except KeyTemplateError as error:
        raise ModelError(
            f"{entity}: {{{name}}} is derived from {field.name!r}: {error.message}", hint=error.hint
        ) from None
