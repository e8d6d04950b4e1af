"""Prices as data: those that come with the package, or a file of the same form."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.model.deployment import Deployment, Provisioned

GIGABYTE = 2**30
HOURS = 730
"""Of a month, as AWS counts them."""
MONTH = HOURS * 3600
USUAL = "us-east-1"
_CLASSES = {"STANDARD": "standard", "STANDARD_INFREQUENT_ACCESS": "infrequent"}


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
    recovery: float | None = None
    """A GB that can be restored to any point in time, for a month; None where it is not known, and not counted."""
    replicated: float | None = None
    """A million on-demand write units in each further region of a global table."""
    replicated_hour: float | None = None
    """A provisioned write unit there for an hour."""


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of prices."""

    region: str
    since: str
    classes: Mapping[str, Rates]
    item_overhead: int = 100
    """Bytes charged for every item beside its own."""
    currency: str = "USD"
    streams: float | None = None
    """A million requests that read a stream, beyond those that are free; None where it is not known, as with all below."""
    streams_free: int = 2_500_000
    """Requests of a month that are free, of all streams of an account and region together."""
    kinesis: float | None = None
    """A million change data capture units that go to a Kinesis data stream."""
    backup: float | None = None
    """A GB of a backup on demand, for a month."""
    restore: float | None = None
    """A GB that is restored."""


class Bill(Struct, frozen=True):
    """What a month costs."""

    reads: float
    writes: float
    storage: float
    recovery: float = 0.0
    streams: float = 0.0
    """Reading a stream, or sending changes to Kinesis."""
    backups: float = 0.0
    """Keeping backups, and restoring them."""
    replicas: float = 0.0
    """The same table in further regions."""

    @property
    def total(self) -> float:
        """All of it."""
        return float(sum(msgspec.structs.astuple(self)))


def on_demand(rates: Rates, *, reads: float, writes: float, stored: float, recoverable: float = 0.0) -> Bill:
    """A month with so many read and write units, so many bytes stored, and of these so many with recovery to a point in time."""
    return Bill(reads / 1e6 * rates.reads, writes / 1e6 * rates.writes, *_kept(rates, stored, recoverable))


def provisioned(rates: Rates, *, reads: float, writes: float, stored: float, recoverable: float = 0.0) -> Bill:
    """A month with so many units of capacity kept ready all the time."""
    return Bill(reads * HOURS * rates.read_hour, writes * HOURS * rates.write_hour, *_kept(rates, stored, recoverable))


def _kept(rates: Rates, stored: float, recoverable: float) -> tuple[float, float]:
    return stored / GIGABYTE * rates.storage, recoverable / GIGABYTE * (rates.recovery or 0.0)


def usual_rates(prices: Prices) -> Rates:
    """The rates of the standard class, or of the first where there is none."""
    return prices.classes.get("standard") or next(iter(prices.classes.values()))


def deployed_rates(prices: Prices, deployment: Deployment) -> Rates:
    """The rates of the class that a table is deployed with, or the usual ones where these prices have none for it."""
    return prices.classes.get(deployed_class(deployment)) or usual_rates(prices)


def deployed_class(deployment: Deployment) -> str:
    """What prices call the class that a table is deployed with."""
    return _CLASSES[deployment.table_class]


def deployed_billing(prices: Prices, deployment: Deployment) -> tuple[str, str]:
    """The mode and the class that a table is deployed with, or the usual class where these prices have none for it."""
    own = deployed_class(deployment)
    usual = "standard" if "standard" in prices.classes else next(iter(prices.classes))
    mode = "provisioned" if isinstance(deployment.billing, Provisioned) else "on-demand"
    return mode, own if own in prices.classes else usual


def load_prices(where: str | Path | None = None) -> Prices:
    """The prices of a region that comes with the package, or of a TOML file; without either, those of us-east-1 today."""
    known = _packaged()
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


@cache
def _packaged() -> Mapping[str, Prices]:
    """Each dry run of a job asks for them."""
    return _parse(files("tablewright.cost").joinpath("prices.toml").read_text("utf-8"), "The prices of the package")


def _parse(text: str, where: str) -> dict[str, Prices]:
    try:
        found = msgspec.convert(tomllib.loads(text), dict[str, Prices])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ArgumentError(
            f"{where} cannot be read as prices: {error}", hint="The form is that of prices.toml in tablewright/cost."
        ) from None
    for name, prices in found.items():
        structs = (prices, *prices.classes.values())
        figures = [f for one in structs for f in msgspec.structs.astuple(one) if isinstance(f, int | float)]
        if not prices.classes or not all(math.isfinite(f) and f >= 0 for f in figures):
            raise ArgumentError(f"{where}: {name} needs a table class, and prices from 0 on.")
    return found
