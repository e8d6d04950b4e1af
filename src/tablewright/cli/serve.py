"""`tablewright serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    file: Annotated[
        Path | None,
        typer.Argument(help="Keep the tables in this file; without it they live in memory.", dir_okay=False),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes any that is free.")] = 8000,
) -> None:
    """Answer DynamoDB requests over HTTP, for any client in any language.

    Example: tablewright serve tables.db --port 8000
    """
    from tablewright.server import Server

    server = Server("memory:" if file is None else file, host=host, port=port)
    try:
        server.run(lambda: print(f"Serving {file or 'tables in memory'} on {server.url}", flush=True))
    finally:
        server.close()
