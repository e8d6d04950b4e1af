"""`tablewright design status`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli.design.start import JOBS
from tablewright.cli.models import MODEL_HELP

if TYPE_CHECKING:
    from tablewright.scaffold.job.checklists import Judged
    from tablewright.scaffold.job.suitability import Advice


def status(
    job: Annotated[str, typer.Argument(help="The name of the job.")],
    model: Annotated[
        str | None, typer.Option("--model", help=f"{MODEL_HELP} By default the one that the overview names.")
    ] = None,
    to: Annotated[Path, typer.Option("--to", help="The folder of all jobs.", file_okay=False)] = JOBS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Say what of a design job is done, and what is missing.

    Every item of the checklists is judged by the answers in the overview, by the model, and by the files that there are.
    Answers are held against the model: budget, requests, items, latency, consistency. It ends with 1 while something is
    missing or does not agree.

    Example: tablewright design status order-history --model shop/model.py
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.design.gathering import evidence_of
    from tablewright.scaffold.job.checklists import judge
    from tablewright.scaffold.job.promises import contradictions
    from tablewright.scaffold.job.suitability import advise

    evidence = evidence_of(to / job, model)
    judged, advice, broken = judge(evidence), advise(evidence.overview), contradictions(evidence)
    if as_json:
        items = [{**to_builtins(one), "done": one.done} for one in judged]
        told = {"job": evidence.overview.job, "advice": to_builtins(advice), "contradictions": broken, "items": items}
        print(json.dumps(told, indent=2))
    else:
        _show(advice, judged, broken)
    if broken or any(not one.done for one in judged):
        raise typer.Exit(1)


def _show(advice: Advice, judged: list[Judged], broken: list[str]) -> None:
    print(advice.headline)
    for reason in (*advice.for_one_table, *advice.for_several, *advice.notes):
        print(f"  - {reason}")
    if broken:
        print("\nThe answers and the model do not agree:")
        for told in broken:
            print(f"  - {told}")
    for phase, items in groupby(judged, key=lambda one: one.phase):
        listed = list(items)
        print(f"\n{phase}: {sum(one.done for one in listed)} of {len(listed)} done")
        for name, group in groupby(listed, key=lambda one: one.checklist):
            of_list = list(group)
            headline = f"  {name}: {sum(one.done for one in of_list)} of {len(of_list)}"
            undone: dict[str, list[str]] = {}
            for one in of_list:
                if one.missing is not None:
                    undone.setdefault(one.missing, []).append(one.text)
            if len(of_list) > 1 and [len(texts) for texts in undone.values()] == [len(of_list)]:
                print(f"{headline} ({next(iter(undone))})")
                continue
            print(headline)
            for reason, texts in undone.items():  # what several lack for one reason is told once
                print(f"    - {' '.join(texts)} ({reason})")
            said = {one.said_by: None for one in of_list if one.said_by}
            for who in said:
                print(f"    Said by {who}.")
