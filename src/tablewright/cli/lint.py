"""`tablewright lint`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.lint.rule import Rule

_Severity = Literal["error", "warning", "info"]


def lint(
    model: Annotated[str | None, typer.Argument(help=MODEL_HELP)] = None,
    form: Annotated[
        Literal["text", "json", "sarif", "github"],
        typer.Option("--format", help="How to tell it: text, json, sarif or github."),
    ] = "text",
    select: Annotated[
        list[str] | None, typer.Option("--select", help="Only rules whose code begins so: TW3, TW304. May be repeated.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="No rules whose code begins so. May be repeated.")
    ] = None,
    severity: Annotated[
        _Severity, typer.Option("--severity", help="Show findings as grave as this or graver.")
    ] = "info",
    fail_on: Annotated[
        _Severity, typer.Option("--fail-on", help="End with 1 if a finding is as grave as this or graver.")
    ] = "warning",
    explain: Annotated[str | None, typer.Option("--explain", help="Explain one rule, by its code or name.")] = None,
    rules: Annotated[bool, typer.Option("--rules", help="List all rules.")] = False,
    source: Annotated[
        list[Path] | None,
        typer.Option("--source", help="Look at this file or folder of the application too. May be repeated."),
    ] = None,
    access: Annotated[
        list[str] | None,
        typer.Option("--access", help="Where source may call DynamoDB: a file or folder. May be repeated."),
    ] = None,
) -> None:
    """Look for what will hurt later in a model.

    That is hot partitions, lists without end, filters that select, copies that become stale, and much more.

    Every finding has a code, a place and a hint. What is meant so is waived in the model, with a reason:
    table.waive("TW304", orders_with_status, reason="..."). Ends with 1 if something is found that is
    more than a note.

    Example: tablewright lint shop/model.py
    """
    import sys

    from tablewright.cli.models import load_model
    from tablewright.errors import ArgumentError
    from tablewright.lint import Finding
    from tablewright.lint import lint as run
    from tablewright.lint.findings import SEVERITIES, Place, at_least
    from tablewright.lint.formats import FORMATS
    from tablewright.lint.registry import all_rules, rule, selected

    try:
        wanted = None if explain is None else rule(explain)
        chosen = selected(tuple(select or ()), tuple(ignore or ()))
    except ArgumentError as error:
        raise typer.BadParameter(f"{error.message} {error.hint or ''}".rstrip()) from None
    if wanted is not None:
        print(_explained(wanted))
        return
    if rules:
        for one in all_rules().values():
            print(f"{one.code}  {one.severity:<7}  {one.name}: {one.explained().summary}")
        return
    if model is None:
        raise typer.BadParameter("lint needs a model, such as shop/model.py.")
    loaded = load_model(model, leniently=True)
    findings: list[Finding] = []
    if loaded.failed is None:
        loaded.refuse_empty()
    else:
        broken, message, hint = rule("TW001"), loaded.failed.message, loaded.failed.hint or ""
        place = None if loaded.failed_at is None else Place(*loaded.failed_at)
        message = message.removeprefix(f"{place}: ")
        findings.append(Finding(broken.code, broken.name, "error", message, hint, place, model))
    for position, table in enumerate(loaded.tables):
        findings += run(
            table,
            loaded.refused,
            rules=chosen,
            beside=loaded.tables,
            sources=(source or []) if position == 0 else (),
            access=access or (),
        )
    grave = SEVERITIES[: SEVERITIES.index(severity) + 1]
    shown = [one for one in findings if one.severity in grave]
    hidden = sum(one.waived is None for one in findings) - sum(one.waived is None for one in shown)
    if form == "text" and hidden and not shown:
        print(f"Nothing was found that is as grave as --severity {severity}.")
    else:
        sys.stdout.write(FORMATS[form](shown))
    if hidden:
        # Other programs read the formats; this is for whoever wonders why it ends with 1.
        print(f"{counted(hidden, 'finding')} less grave, not shown.", file=sys.stdout if form == "text" else sys.stderr)
    if at_least(findings, fail_on):
        raise typer.Exit(1)


def _explained(rule: type[Rule]) -> str:
    told = rule.explained()
    return "\n".join(
        [
            f"{rule.code} {rule.name} ({rule.severity}, since {rule.since})",
            "",
            told.summary,
            "",
            told.why,
            "",
            "Bad:",
            "",
            told.bad.rstrip(),
            "",
            "Good:",
            "",
            told.good.rstrip(),
        ]
    )
