"""`tablewright design relationship`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Cardinality(StrEnum):
    """How many of each end."""

    ONE_TO_ONE = "1:1"
    ONE_TO_MANY = "1:N"
    MANY_TO_MANY = "M:N"


def relationship(
    cardinality: Annotated[Cardinality, typer.Argument(help="How many of each end: 1:1, 1:N or M:N.")],
    count: Annotated[
        int | None, typer.Option("--count", help="How many targets one source has at most, if there is a most.", min=1)
    ] = None,
    alone: Annotated[bool, typer.Option("--alone", help="Targets are read or changed without their source.")] = False,
    large: Annotated[bool, typer.Option("--large", help="A target, or all of one source, is large.")] = False,
    link_data: Annotated[bool, typer.Option("--link-data", help="The link has fields of its own.")] = False,
    one_way: Annotated[bool, typer.Option("--one-way", help="It is read from the source only.")] = False,
    kinds: Annotated[int, typer.Option("--kinds", help="How many kinds of link start at an entity.", min=1)] = 1,
    stable: Annotated[bool, typer.Option("--stable", help="What is shown of a target hardly ever changes.")] = False,
    apart: Annotated[bool, typer.Option("--apart", help="The two ends are not read at once.")] = False,
    several_tables: Annotated[
        bool, typer.Option("--several-tables", help="Each entity has a table of its own.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Choose how a relationship is stored, by a few questions.

    It prints the strategy as `Relationship(...)` takes it, with reason, keys, read and price, and which kind of primary key
    the table needs.

    Example: tablewright design relationship 1:N --count 5
    """
    import json

    from msgspec import to_builtins

    from tablewright.scaffold.job.relationships import Question, decide, key_kind

    decision = decide(
        Question(
            cardinality=cardinality.value,
            count=count,
            alone=alone,
            large=large,
            link_data=link_data,
            both_ways=not one_way,
            kinds=kinds,
            stable=stable,
            together=not apart,
        )
    )
    grouped = decision.strategy in ("item collection", "adjacency list", "materialised graph")
    kind, why = key_kind(single_table=not several_tables, grouped=grouped, ranged=False)
    if as_json:
        print(json.dumps({**to_builtins(decision), "key": {"kind": kind, "reason": why}}, indent=2))
        return
    print(f"{decision.strategy} ({', '.join(decision.path)})")
    print(f"  Why: {decision.reason}")
    print(f"  Keys: {decision.keys}")
    print(f"  Read: {decision.read}")
    print(f"  Price: {decision.price}")
    print(f"  Primary key: {kind}. {why}")
