"""`tablewright check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli.models import MODEL_HELP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tablewright.compiler.proofs.showing import Line, Tone

_STYLES: dict[Tone, str] = {"name": "bold", "good": "green", "bad": "bold red", "plain": "", "quiet": "dim"}


def check(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    requests: Annotated[bool, typer.Option("--requests", help="Show each request as it is sent.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Prove that every access pattern is served, or say why not.

    A model that is wrong is read to its end, and all that is refused in it is told. Ends with 1 if a pattern is not
    served or a definition is refused, with 2 if there is no model to read.

    Example: tablewright check shop/model.py
    """
    import msgspec

    from tablewright.cli.models import load_model
    from tablewright.compiler.proofs import prove
    from tablewright.compiler.proofs.showing import shown
    from tablewright.errors import ArgumentError, ModelError

    try:
        loaded = load_model(model, leniently=True)
        loaded.refuse_empty()
    except (ArgumentError, ModelError) as error:
        raise typer.BadParameter(f"{error.message} {error.hint or ''}".rstrip()) from None
    proofs = [prove(table, loaded.refused) for table in loaded.tables]
    if as_json:
        told = {"failed": None if loaded.failed is None else str(loaded.failed), "tables": proofs}
        print(msgspec.json.format(msgspec.json.encode(told)).decode())
    else:
        for proof in proofs:
            _print(shown(proof, requests=requests))
        if loaded.failed is not None:
            print(f"The model was not read to its end: {loaded.failed}")
    if loaded.failed is not None or not all(proof.holds for proof in proofs):
        raise typer.Exit(1)


def _print(lines: Iterable[Line]) -> None:
    import sys

    if not sys.stdout.isatty():
        for line in lines:
            print(line.text)
        return
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(line.text, style=_STYLES[line.tone], markup=False)
