"""`tablewright serve`."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Durability(StrEnum):
    """How a file is written."""

    FULL = "FULL"
    NORMAL = "NORMAL"


def serve(
    context: typer.Context,
    file: Annotated[
        str | None,  # a Path would forget a ./ that says that it is a file
        typer.Argument(help="Keep the tables in this file; without it they live in memory."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes any that is free.")] = 8000,
    verify_signatures: Annotated[
        bool, typer.Option("--verify-signatures", help="Answer only requests that are signed with the keys below.")
    ] = False,
    access_key: Annotated[
        str | None, typer.Option(envvar="AWS_ACCESS_KEY_ID", help="The access key that signed requests must name.")
    ] = None,
    secret_key: Annotated[
        str | None, typer.Option(envvar="AWS_SECRET_ACCESS_KEY", help="The secret key that they must be signed with.")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(envvar="TABLEWRIGHT_TOKEN", help="Answer only requests with this in X-Tablewright-Token."),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Answer to this host name too; may be given more than once.")
    ] = None,
    allow_reset: Annotated[
        bool,
        typer.Option(
            "--allow-reset", help="For test suites: answer POST /_tablewright/reset, /faults, /sweep and /clock."
        ),
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(help="Misbehave on purpose, as in throttle:table=Shop,every=3; may be given more than once."),
    ] = None,
    synchronous: Annotated[
        Durability, typer.Option(help="FULL keeps every acknowledged write through a power cut; NORMAL is faster.")
    ] = Durability.FULL,
    buckets: Annotated[
        Path | None, typer.Option(help="A folder to stand for S3, for exports and imports.", file_okay=False)
    ] = None,
    sweep_every: Annotated[
        float, typer.Option(help="Seconds between two looks for items whose time to live is over.", min=0.1)
    ] = 60.0,
    ready_file: Annotated[
        Path | None,
        typer.Option(help="Write the server's URL to this file while it answers.", dir_okay=False),
    ] = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", envvar="TABLEWRIGHT_DEBUG", help="Write a line for every request, without values."
        ),
    ] = False,
) -> None:
    """Answer DynamoDB requests over HTTP, for any client.

    Any region and credentials are accepted, from this machine only. To let others in, ask for signatures or a token.
    SIGTERM or Ctrl-C stops it: requests under way are answered first.

    Example: tablewright serve tables.db --port 8000
    """
    from tablewright.engine import Engine, OffsetClock, open_engine
    from tablewright.engine.faults import parse_fault
    from tablewright.errors import ConfigError
    from tablewright.server import Server, announce

    if verify_signatures and not (access_key and secret_key):
        raise ConfigError(
            "There are no keys to verify signatures with.",
            hint="Give --access-key and --secret-key, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        )
    if not verify_signatures and _is_given(context, "access_key", "secret_key"):
        raise ConfigError(
            "Keys were given, and nothing would check them.",
            hint="Add --verify-signatures, or leave out --access-key and --secret-key.",
        )
    if file is not None and os.path.isdir(file):
        raise ConfigError(f"{file} is a folder.", hint="Give the path of a file; it is made if there is none.")
    if buckets is not None and not buckets.is_dir():
        raise ConfigError(f"There is no folder {buckets} to stand for S3.", hint="Make it first.")
    if ready_file is not None and not os.access(ready_file.parent, os.W_OK | os.X_OK):
        raise ConfigError(
            f"The file {ready_file} could not be written.", hint=f"{ready_file.parent} must be a folder to write in."
        )
    faults = [parse_fault(text) for text in fault or ()]

    def open_tables() -> Engine:
        clock = OffsetClock() if allow_reset else None
        return open_engine(
            file or "memory:", synchronous=synchronous.value, sweep_every=sweep_every, buckets=buckets, clock=clock
        )

    server = Server(
        open_tables,
        host=host,
        port=port,
        access_key=access_key if verify_signatures else None,
        secret_key=secret_key if verify_signatures else None,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
        allow_reset=allow_reset,
        verbose=verbose,
    )
    try:
        with server:
            for one in faults:
                server.engine.faults.inject(one)
            server.run(lambda: announce(server.url, f"{file or 'tables in memory'}", ready_file))
    finally:
        if ready_file is not None:
            ready_file.unlink(missing_ok=True)  # it would name a server that is gone


def _is_given(context: typer.Context, *names: str) -> bool:
    """Whether one of these options stands on the command line itself; the environment often has keys for others."""
    sources = [context.get_parameter_source(name) for name in names]
    return any(source is not None and source.name == "COMMANDLINE" for source in sources)
