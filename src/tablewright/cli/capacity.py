"""`tablewright capacity`."""

from __future__ import annotations

from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.cost.capacity import Consumed

_READS, _WRITES = "ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"
_METRICS = {_READS, _WRITES}


def capacity(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    consumed: Annotated[
        list[str],
        typer.Argument(
            help="Files with what `aws cloudwatch get-metric-statistics` printed for ConsumedReadCapacityUnits and "
            "ConsumedWriteCapacityUnits, with the statistic Sum; INDEX=FILE for those of a global index."
        ),
    ],
    period: Annotated[int, typer.Option(help="The period that was asked for, in seconds.", min=60)] = 3600,
    prices: Annotated[str | None, typer.Option(help="A TOML file of prices, or the name of built-in ones.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Compare consumed capacity with what is paid for.

    It tells what a month of reads and writes costs as the model's deployment has it, what it would cost on demand, with
    capacity for the peak, and with capacity that follows the load; which of these is recommended, and what that saves.

    Example: tablewright capacity shop/model.py reads.json writes.json GSI1=gsi1-reads.json GSI1=gsi1-writes.json
    """
    import msgspec

    from tablewright.cli.models import load_model
    from tablewright.cost.capacity import advise_capacity, shown_capacity
    from tablewright.cost.prices import load_prices

    advice = advise_capacity(load_model(model).table, _consumed(consumed, period), load_prices(prices))
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(advice)).decode())
    else:
        print(shown_capacity(advice))


def _consumed(files: list[str], period: int) -> list[Consumed]:
    """What the files say, place by place. CloudWatch leaves out periods in which nothing was consumed."""
    from tablewright.cost.capacity import Consumed
    from tablewright.cost.entities import TABLE

    found: dict[str, dict[str, dict[int, float]]] = {}
    for given in files:
        index, _, file = given.rpartition("=") if not Path(given).is_file() else ("", "", given)
        label, sums = _sums(Path(file))
        told = found.setdefault(index or TABLE, {})
        if told.get(label, {}).keys() & sums.keys():
            raise ArgumentError(
                f"{file} tells of moments that another file told of {label} of {index or TABLE} already.",
                hint="Give each file once; INDEX=FILE for those of a global index.",
            )
        told.setdefault(label, {}).update(sums)
    for place, told in found.items():
        for label in _METRICS - told.keys():
            raise ArgumentError(
                f"No file tells of {label} of {place}.",
                hint="Where nothing was consumed, CloudWatch prints a file without datapoints: give that.",
            )
    moments = {moment for told in found.values() for sums in told.values() for moment in sums}
    if not moments:
        raise ArgumentError("The files tell of no consumption at all.", hint="Ask CloudWatch for another week.")
    every = _moments(sorted(moments), period)
    return [
        Consumed(place, period, *(tuple(told[label].get(m, 0.0) for m in every) for label in (_READS, _WRITES)))
        for place, told in found.items()
    ]


def _moments(told: list[int], period: int) -> range:
    """When each period begins, also those that nothing is told of."""
    apart = gcd(*(moment - told[0] for moment in told))
    if apart % period:
        raise ArgumentError(
            f"The files hold sums of moments {apart} seconds apart, which are no periods of {period} seconds.",
            hint="--period tells the period that CloudWatch was asked for, the same for all files.",
        )
    return range(told[0], told[-1] + period, period)


def _sums(path: Path) -> tuple[str, dict[int, float]]:
    import json
    from datetime import datetime

    hint = "aws cloudwatch get-metric-statistics --statistics Sum prints such a file."
    try:
        read: Any = json.loads(path.read_text("utf-8"))
        label = read["Label"]
        points = {
            round(datetime.fromisoformat(p["Timestamp"]).timestamp()): float(p["Sum"]) for p in read["Datapoints"]
        }
    except FileNotFoundError:
        raise ArgumentError(f"There is no file {path}.", hint=hint) from None
    except (ValueError, KeyError, TypeError):
        raise ArgumentError(f"{path} holds no sums of CloudWatch.", hint=hint) from None
    if label not in _METRICS:
        raise ArgumentError(f"{path} holds another metric, {label}.", hint=f"Ask for {_READS} and {_WRITES}.")
    return label, points
