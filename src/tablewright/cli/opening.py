"""How commands open the table of a model: in a stage, and with advice in terms of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tablewright.errors import ConfigError, ModelError, ResourceNotFound

if TYPE_CHECKING:
    from tablewright.client.session import Session
    from tablewright.client.settings import OpenOptions
    from tablewright.table import Table

TARGET_HELP = "The table: a file, aws:REGION, or a URL such as http://127.0.0.1:8000."
STAGE_HELP = "The stage that is meant, where the table's name has {stage} in it; else TABLEWRIGHT_STAGE says it."

TableName: TypeAlias = Annotated[
    str | None,
    typer.Option("--table-name", help="The table's name, where it is not the model's: that of a restored table, say."),
]


@contextmanager
def opened(
    table: Table, target: str, stage: str | None, table_name: str | None = None, *, create: bool | None
) -> Iterator[Session]:
    """A session on the table. `create` is whether a missing one is made; None leaves it to the kind of target."""
    options: OpenOptions = {}
    if table_name is not None:
        options["table_name"] = table_name
    if stage is not None:
        options["stage"] = stage
    if create is not None:
        options["create"] = create
    named = "".join(f" {n} {v}" for n, v in (("--stage", stage), ("--table-name", table_name)) if v is not None)
    seeding = f"tablewright seed MODEL {target}{named}"
    try:
        session = _open(table, target, options)
    except ConfigError as error:
        if create is False and (stage is None or "{stage}" in table.name):
            error.hint = f"Is that the right name? {seeding} makes one to start with."
        raise
    try:
        with session:
            yield session
    except ResourceNotFound as error:
        error.hint = f"{seeding} --create makes one." if create is False else "Add --create to make it."
        raise


def _open(table: Table, target: str, options: OpenOptions) -> Session:
    try:
        return table.open(target, **options)
    except ModelError as error:
        if "stage" not in options and "{stage}" in table.name:
            error.hint = "Add --stage dev, or set TABLEWRIGHT_STAGE."
        raise
