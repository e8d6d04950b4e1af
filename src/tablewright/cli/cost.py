"""`tablewright cost`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tablewright.cli.models import MODEL_HELP, load_model
from tablewright.cli.observations import TABLE_NAME_HELP, read_observations, refuse_another_table
from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.cost.estimating import Planned
    from tablewright.cost.observed import ObservedUse
    from tablewright.table import Table


def cost(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    prices: Annotated[
        str | None,
        typer.Option(
            help="A TOML file of prices, or a built-in name: us-east-1 (the default), eu-west-1, before-2024-11."
        ),
    ] = None,
    share: Annotated[
        float, typer.Option(help="How much of the expected peak rates the whole month sees on average.", min=0, max=1)
    ] = 1.0,
    what_if: Annotated[
        list[str] | None,
        typer.Option(help='What would be otherwise: "drop GSI2", "GSI1: keys-only; ttl Event 30d". May be repeated.'),
    ] = None,
    observed: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of what was observed, or a folder of them, beside what is declared. May be repeated."
        ),
    ] = None,
    as_observed: Annotated[
        bool, typer.Option("--as-observed", help="Take rates and sizes from what was observed, for all that is told.")
    ] = False,
    table_name: Annotated[str | None, typer.Option("--table-name", help=TABLE_NAME_HELP)] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            help="How busy a day is, as shares of its peak, the greatest of which is 1: 0.1,0.3,1,0.5; or a file of them. Compares modes."
        ),
    ] = None,
    months: Annotated[int | None, typer.Option(help="Tell the cost of so many months to come.", min=1)] = None,
    traffic: Annotated[
        float, typer.Option(help="How much reads and writes grow from month to month: 0.05 is a twentieth.")
    ] = 0.0,
    creates: Annotated[
        list[str] | None,
        typer.Option(help="Items made in a second, where not every write makes one: Order=2.5. May be repeated."),
    ] = None,
    lives: Annotated[
        list[str] | None, typer.Option(help="How many days items live: Event=30. May be repeated.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it into this file, .svg or .png; with --months, also the months to come.")
    ] = None,
    backups: Annotated[float, typer.Option(help="Backups on demand that are kept.", min=0)] = 0.0,
    restores: Annotated[float, typer.Option(help="Restores of the whole table in a month.", min=0)] = 0.0,
    stream_readers: Annotated[
        int, typer.Option(help="Programs that read the stream, other than Lambda functions.", min=0)
    ] = 0,
    kinesis: Annotated[bool, typer.Option("--kinesis", help="Changes go to a Kinesis data stream.")] = False,
    replicas: Annotated[int, typer.Option(help="Further regions that hold the table.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Estimate what a model costs, in units and in money.

    It goes by what the model expects (table.expect): items, sizes, writes and rates. Index copies, transactions and the
    markers of unique values are counted. What was taken for granted is listed at the end.

    Example: tablewright cost shop/model.py --share 0.3 --what-if "drop GSI2" --months 24 --plot cost.svg
    """
    import msgspec

    from tablewright.cost.beside import Beside
    from tablewright.cost.capacity import advise_capacity, shown_capacity
    from tablewright.cost.estimating import estimate
    from tablewright.cost.growth import grow, shown_growth
    from tablewright.cost.modes import compare_modes, profile_loads, profile_notes, shown_modes
    from tablewright.cost.observed import as_observed as observed_model
    from tablewright.cost.observed import estimate_observed, noted, observed_capacity, observed_loads, shown_observed
    from tablewright.cost.prices import load_prices
    from tablewright.cost.profiles import read_profile
    from tablewright.cost.showing import shown
    from tablewright.cost.what_if.comparing import shown_what_if
    from tablewright.cost.what_if.comparing import what_if as answered
    from tablewright.model.deployment import Provisioned

    _drawable(plot)
    made, alive = _figures("--creates", creates, "Order=2.5"), _figures("--lives", lives, "Event=30")
    if months is None and (lives or traffic):
        raise ArgumentError("--lives and --traffic are about months to come.", hint="Say how many: --months 24.")
    if as_observed and not observed:
        raise ArgumentError("--as-observed needs files of what was observed.", hint="Name them: --observed seen.json.")
    table, rates = load_model(model).table, load_prices(prices)
    beside = Beside(
        backups=backups, restores=restores, stream_readers=stream_readers, kinesis=kinesis, replicas=replicas
    )
    use = _observed(table, observed, table_name) if observed else None
    asked, declared_share = cast("Planned", table), share
    if use is not None and as_observed:
        asked, share = observed_model(table, use)
    found = estimate(asked, rates, share=share, beside=beside)
    answers: dict[str, Any] = {}
    if use is not None:
        answers["observed"] = estimate_observed(table, use, rates, share=declared_share)
        found = noted(found, answers["observed"], share, declared_share) if as_observed else found
    parts = [shown(found)]
    if profile is not None:
        day = read_profile(profile)
        loads, known = profile_loads(asked, found, day), profile_notes(day, share)
        answers["modes"] = compare_modes(asked, loads, rates, notes=known)
        parts.append(shown_modes(answers["modes"]))
    if use is not None:
        parts.append(shown_observed(answers["observed"]))
        if use.minutes:
            answers["observed_modes"] = compare_modes(table, observed_loads(table, use), rates)
            parts.append(shown_modes(answers["observed_modes"]))
            if isinstance(table.deployment.billing, Provisioned):
                answers["capacity"] = advise_capacity(table, observed_capacity(table, use), rates)
                parts.append(shown_capacity(answers["capacity"]))
    if what_if:
        answers["what_if"] = answered(asked, *what_if, prices=rates, share=share, beside=beside, creates=made)
        parts.append(shown_what_if(answers["what_if"]))
    growth = None
    if months is not None:
        growth = grow(asked, months, rates, share=share, beside=beside, creates=made, lives=alive, traffic=traffic)
        answers["growth"] = growth
        parts.append(shown_growth(growth))
    if plot is not None:
        from tablewright.generate.pictures.costs import cost_picture
        from tablewright.generate.pictures.png import as_png

        svg = cost_picture(found, growth, share=share)
        plot.write_bytes(as_png(svg) if plot.suffix.lower() == ".png" else svg.encode())
    if as_json:
        whole = {**msgspec.to_builtins(found), **msgspec.to_builtins(answers)}
        print(msgspec.json.format(msgspec.json.encode(whole)).decode())
    else:
        print("\n\n".join(parts))


def _drawable(plot: Path | None) -> None:
    """Refuses a file that no picture can be written to, before anything is worked out."""
    if plot is None:
        return
    if plot.suffix.lower() not in (".svg", ".png"):
        raise ArgumentError(f"{plot} is no file of a picture.", hint="Name one that ends with .svg or .png.")
    if not plot.parent.is_dir():
        raise ArgumentError(f"There is no folder {plot.parent}.", hint="Make it first, or name another one.")


def _figures(option: str, given: list[str] | None, example: str) -> dict[str, float]:
    found = {}
    for one in given or ():
        name, _, figure = one.partition("=")
        try:
            found[name] = float(figure)
        except ValueError:
            found[name] = -1.0
        if not name or not 0 <= found[name] < float("inf"):
            raise ArgumentError(f"{option} {one}: it is a name and a number from 0 on.", hint=f"{option} {example}")
    return found


def _observed(table: Table, files: list[Path], called: str | None) -> ObservedUse:
    from tablewright.observe.costing import observed_use

    seen = read_observations(files)
    refuse_another_table(seen, table, called)
    return observed_use(table, seen)
