"""`tablewright cost`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP, load_model


def cost(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    prices: Annotated[
        str | None,
        typer.Option(help="A TOML file of prices, or us-east-1 (the default) or before-2024-11, which are built in."),
    ] = None,
    share: Annotated[
        float, typer.Option(help="How much of the expected peak rates the whole month sees on average.", min=0, max=1)
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Estimate what a model costs, in units and in money.

    It goes by what the model expects (table.expect): items, sizes, writes and rates. Index copies, transactions and the
    markers of unique values are counted. What was taken for granted is listed at the end.

    Example: tablewright cost shop/model.py --share 0.3
    """
    import msgspec

    from tablewright.cost.estimating import estimate
    from tablewright.cost.prices import load_prices
    from tablewright.cost.showing import shown

    found = estimate(load_model(model).table, load_prices(prices), share=share)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        print(shown(found))
