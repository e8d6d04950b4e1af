"""How wide a bucket of time can be, and how much of a moment names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Granularity: TypeAlias = Literal["hour", "day", "month", "year"]

WIDTHS: Mapping[Granularity, int] = {"hour": 13, "day": 10, "month": 7, "year": 4}
"""How much of a moment's ISO form in UTC names its bucket."""
