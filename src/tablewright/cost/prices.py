"""Prices as data: those that come with the package, or a file of the same form."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from tablewright.errors import ArgumentError

GIGABYTE = 2**30
HOURS = 730
"""Of a month, as AWS counts them."""
MONTH = HOURS * 3600
USUAL = "us-east-1"


class Rates(Struct, frozen=True, forbid_unknown_fields=True):
    """What one table class costs."""

    reads: float
    """A million on-demand read units."""
    writes: float
    """A million on-demand write units."""
    read_hour: float
    """A provisioned read unit for an hour."""
    write_hour: float
    """A provisioned write unit for an hour."""
    storage: float
    """A GB for a month."""


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of prices."""

    region: str
    since: str
    classes: Mapping[str, Rates]
    item_overhead: int = 100
    """Bytes charged for every item beside its own."""
    currency: str = "USD"


class Bill(Struct, frozen=True):
    """What a month costs."""

    reads: float
    writes: float
    storage: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.reads + self.writes + self.storage


def on_demand(rates: Rates, *, reads: float, writes: float, stored: float) -> Bill:
    """A month with so many read and write units, and so many bytes stored."""
    return Bill(reads / 1e6 * rates.reads, writes / 1e6 * rates.writes, stored / GIGABYTE * rates.storage)


def provisioned(rates: Rates, *, reads: int, writes: int, stored: float) -> Bill:
    """A month with so many units of capacity kept ready all the time."""
    return Bill(reads * HOURS * rates.read_hour, writes * HOURS * rates.write_hour, stored / GIGABYTE * rates.storage)


def load_prices(where: str | Path | None = None) -> Prices:
    """The prices of a name that comes with the package, or of a TOML file; without either, those of us-east-1 today."""
    known = _parse(files("tablewright.cost").joinpath("prices.toml").read_text("utf-8"), "The prices of the package")
    if where is None:
        return known[USUAL]
    if str(where) in known:
        return known[str(where)]
    path = Path(where)
    if not path.is_file():
        raise ArgumentError(
            f"There is no file of prices {path}.", hint=f"Name a TOML file, or one of: {', '.join(sorted(known))}."
        )
    given = _parse(path.read_text("utf-8"), str(path))
    if len(given) != 1:
        raise ArgumentError(f"{path} holds {len(given)} tables of prices.", hint="Leave one of them in it.")
    return next(iter(given.values()))


def _parse(text: str, where: str) -> dict[str, Prices]:
    try:
        found = msgspec.convert(tomllib.loads(text), dict[str, Prices])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ArgumentError(
            f"{where} cannot be read as prices: {error}", hint="The form is that of prices.toml in tablewright/cost."
        ) from None
    for name, prices in found.items():
        figures = [f for rates in prices.classes.values() for f in msgspec.structs.astuple(rates)]
        if not prices.classes or not all(math.isfinite(f) and f >= 0 for f in (*figures, prices.item_overhead)):
            raise ArgumentError(f"{where}: {name} needs a table class, and prices from 0 on.")
    return found
