"""`tablewright advise`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.observations import (
    TABLE_NAME_HELP,
    holds_observations,
    read_observations,
    refuse_another_table,
)
from tablewright.errors import ArgumentError

_Severity = Literal["error", "warning", "info"]


def advise(
    model: Annotated[str | None, typer.Argument(help=f"{MODEL_HELP} It can be left out.")] = None,
    snapshots: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files that Snapshot.save() wrote; those of several processes, machines or days are merged."
        ),
    ] = None,
    severity: Annotated[
        _Severity, typer.Option("--severity", help="Show recommendations as grave as this or graver.")
    ] = "info",
    fail_on: Annotated[
        _Severity, typer.Option("--fail-on", help="End with 1 if a recommendation is as grave as this or graver.")
    ] = "warning",
    explain: Annotated[str | None, typer.Option("--explain", help="Explain one rule, by its name.")] = None,
    rules: Annotated[bool, typer.Option("--rules", help="List all rules.")] = False,
    prices: Annotated[str | None, typer.Option(help="A TOML file of prices, or the name of built-in ones.")] = None,
    table_name: Annotated[str | None, typer.Option("--table-name", help=TABLE_NAME_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Advise what to change, from what was observed of a table.

    First come recommendations, the most important first, each with its figures and what to do, and the rules that have
    not seen enough to judge. Then what the model
    declares is held against what was observed: patterns, requests that none declares, indexes, partitions, sizes. Without
    a model there are recommendations only.

    Ends with 1 if something is recommended that is more than a note. What departs from the model is told, and is no
    reason for that.

    Example: tablewright advise shop/model.py observed/ --severity warning
    """
    import msgspec

    from tablewright.cli.models import load_model
    from tablewright.cost.prices import load_prices
    from tablewright.observe import drift
    from tablewright.observe.advising import advise as recommended
    from tablewright.observe.advising import all_rules, not_judged
    from tablewright.observe.explaining import explained, rule, shown, summary
    from tablewright.observe.recommendation import SEVERITIES, Observed

    try:
        wanted = None if explain is None else rule(explain)
    except ArgumentError as error:
        raise typer.BadParameter(f"{error.message} {error.hint or ''}".rstrip()) from None
    if wanted is not None:
        print(explained(wanted))
        return
    if rules:
        for one in all_rules().values():
            print(f"{one.name}: {summary(one)}")
        return
    files = list(snapshots or ())
    if model is not None and holds_observations(Path(model)):
        files, model = [Path(model), *files], None
    if not files and model is not None and Path(model).is_dir() and not (Path(model) / "model.py").exists():
        read_observations([Path(model)])  # says that there is nothing in it
    if not files:
        raise typer.BadParameter("advise needs what was observed, such as shop/model.py observed.json.")
    plan = None if model is None else load_model(model).table.plan
    snapshot = read_observations(files)
    if plan is not None:
        refuse_another_table(snapshot, plan.table, table_name)
    seen = Observed(snapshot, plan, load_prices(prices))
    found = recommended(seen)
    waiting = not_judged(seen)
    compared = None if plan is None else drift.compare(plan, snapshot)
    told = [one for one in found if SEVERITIES.index(one.severity) <= SEVERITIES.index(severity)]
    if as_json:
        whole = {"recommendations": told, "not_judged": waiting, "declared_and_observed": compared}
        print(msgspec.json.format(msgspec.json.encode(whole)).decode())
    else:
        print("\n\n".join([shown(told, waiting), *([] if compared is None else [drift.shown(compared)])]))
    if any(SEVERITIES.index(one.severity) <= SEVERITIES.index(fail_on) for one in found):
        raise typer.Exit(1)
