"""`python -m examples.surveyor.web` starts the service with seed data and prints tokens; `… token TENANT USER` issues one."""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from examples.surveyor import seed

from .settings import Settings
from .tokens import Caller, Tokens

PEOPLE = [
    *(
        (Caller(tenant_id="acme", user_id=user_id), f"{role} of the survey {seed.SURVEY}")
        for role, user_id in seed.PEOPLE.items()
        if role != "nobody"
    ),
    (Caller(tenant_id="acme", user_id=seed.PEOPLE["nobody"]), "a member with whom no survey is shared"),
    (Caller(tenant_id="acme", user_id="mona", manager=True), "a manager, who sees the queue and changes the library"),
    (Caller(tenant_id="birch", user_id="eva"), f"owner of another survey {seed.SURVEY}, of another tenant"),
    (Caller(tenant_id="service", user_id="ops", operator=True), "an operator, who lists the surveys of all tenants"),
]
"""Who gets a token when the service starts, and what they are in the seed data."""
PACKAGES = ("fastapi", "uvicorn", "strawberry-graphql")
"""What the service needs besides Tablewright."""


def main(arguments: list[str]) -> None:
    """Starts the service, or issues a token."""
    given = _parser().parse_args(arguments)
    if given.command == "token":
        caller = Caller(tenant_id=given.tenant, user_id=given.user, manager=given.manager, operator=given.operator)
        print(Tokens([_settings(given).token_secret]).issue(caller))
        return
    run, create_app = _server()
    settings = _settings(given)
    address = f"http://{given.host}:{given.port}"
    tokens = Tokens([settings.token_secret])
    print(f"The surveyor is at {address}; {address}/docs tells what it can do. Tokens for a day:\n")
    for caller, what in PEOPLE:
        print(f"  {caller.user_id} of {caller.tenant_id}: {what}\n    {tokens.issue(caller)}\n")
    run(create_app(settings), host=given.host, port=given.port, log_level="info")


def _server() -> tuple[Callable[..., None], Callable[[Settings], Any]]:
    """What runs a service, and what makes one; a token can be issued without either."""
    try:
        from uvicorn import run

        from .app import create_app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "uvicorn", "strawberry", "graphql", "starlette"):
            raise
        sys.exit(
            f"The service needs {error.name}, which is not installed. In a clone, `make test` sets up everything; "
            f"or: {sys.executable} -m pip install {' '.join(PACKAGES)}"
        )
    return run, create_app


def _settings(given: argparse.Namespace) -> Settings:
    secret = os.environ.get("SURVEYOR_SECRET")
    if secret:
        settings = Settings(secret=secret.encode())
    elif given.command == "token":
        sys.exit(
            "Set SURVEYOR_SECRET (32 bytes or more) to that of the service: without one it makes a secret of its own."
        )
    else:
        settings = Settings()
    if given.command == "token":
        return settings
    return replace(settings, table=given.table, debug=given.debug, seeded=not given.empty)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.surveyor.web", description=__doc__)
    parser.add_argument("--table", default="memory:", help='a file, "aws:REGION" or "http://…"; in memory by default')
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--debug", action="store_true", help="tell in headers what each call asked of the database")
    parser.add_argument("--empty", action="store_true", help="write no seed data")
    commands = parser.add_subparsers(dest="command")
    token = commands.add_parser("token", help="issue a token")
    token.add_argument("tenant")
    token.add_argument("user")
    token.add_argument("--manager", action="store_true", help="who may see the tenant as a whole")
    token.add_argument("--operator", action="store_true", help="who may list the surveys of all tenants")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
