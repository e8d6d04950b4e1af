"""The application: routes, the open table behind them, and how it is described. `create_app(Settings())` makes one."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from pydantic.json_schema import models_json_schema
from starlette.types import ASGIApp

from examples.surveyor.seed import seed
from examples.surveyor.store import connect

from .asking import only_what_is_known
from .graphql import graphql_router
from .metering import MeteringHeaders
from .problems import FieldProblem, Problem, answer_problems, responses
from .routes import documents, library, operator, parts, people, service, snapshots, surveys, syncing
from .settings import Settings
from .tokens import Tokens

DESCRIPTION = """
Building surveys of many tenants, on one DynamoDB table.

- **Who calls** is said by a bearer token: tenant and user are in it, and in no URL. What another tenant has does not exist (404).
- **Roles**: owners, editors and viewers of each survey. Whoever has none is told that there is no such survey (404), a viewer who
  changes something that they may not (403).
- **Ids** can be chosen when something is made, so that a device that got no answer can send the same again. One that is taken is a
  conflict (409), also where the caller may not see by what: that, and no more, is told. Ids of the service's own never are.
- **Lists** have pages: send `next` back as `cursor`, until it is null.
- **Versions**: send the `version` that you saw as the query parameter `expected_version`, and a change or removal of what somebody else
  changed meanwhile is refused (409), with the version that it has now. `If-Match` is refused (422), since versions are not sent that way.
- **Errors** are problems in the form of RFC 9457; `code` is for programs. A parameter that is not known is one, too.
- **GraphQL** is at `/graphql`, with the same tokens. What cannot be read is a problem as well; what resolvers refuse is told under
  `extensions`.
"""


class _App(FastAPI):
    """Tells the form of problems among the others; routes refer to it by name, as its media type is its own."""

    metered = False

    def build_middleware_stack(self) -> ASGIApp:
        """Around everything, so that answers to errors of the program are measured as well."""
        stack = super().build_middleware_stack()
        return MeteringHeaders(stack) if self.metered else stack

    def openapi(self) -> dict[str, Any]:
        described = super().openapi()
        _, problems = models_json_schema(
            [(Problem, "serialization"), (FieldProblem, "serialization")], ref_template="#/components/schemas/{model}"
        )
        described["components"]["schemas"].update(problems["$defs"])
        return described


def create_app(settings: Settings) -> FastAPI:
    """The service with these settings; the table is open while it runs."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with connect(settings.table, cursor_keys=[settings.cursor_key]) as db:
            if settings.seeded:
                seed(db)
            app.state.db = db
            yield

    app = _App(
        title="Surveyor",
        version="1.0",
        summary="Building surveys of many tenants.",
        description=DESCRIPTION,
        lifespan=lifespan,
        dependencies=[Depends(only_what_is_known)],
        responses=responses(422, 500, 503),  # of every operation
        separate_input_output_schemas=False,
    )
    app.state.tokens = Tokens([settings.token_secret])
    for routes in (service, surveys, parts, people, snapshots, library, documents, syncing, operator):
        app.include_router(routes.router)
    app.include_router(library.managed)
    app.include_router(graphql_router(settings), prefix="/graphql", include_in_schema=False)
    answer_problems(app)
    app.metered = settings.debug
    return app


def from_environment() -> FastAPI:
    """The service of a deployment: `uvicorn --factory examples.surveyor.web.app:from_environment`."""
    return create_app(Settings.of(os.environ))
