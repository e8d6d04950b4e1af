"""Who is calling, and what they may do: the dependencies that every route stands on.

The tenant of the store is that of the token, so that no route can name another. The store decides about roles.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from examples.surveyor.base import Id, Role
from examples.surveyor.store import Surveyor
from tablewright import Session

from .tokens import BadToken, Caller, Tokens

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of the service, from `python -m examples.surveyor.web token TENANT USER`.",
)


def session(request: Request) -> Session:
    """The open table, shared by all calls."""
    db: Session = request.app.state.db
    return db


def caller(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> Caller:
    """Who sent the request, by the signed token."""
    tokens: Tokens = request.app.state.tokens
    try:
        if given is None:
            raise BadToken
        return tokens.read(given.credentials)
    except BadToken:
        raise HTTPException(401, "A valid bearer token is needed.", headers={"WWW-Authenticate": "Bearer"}) from None


Db = Annotated[Session, Depends(session)]
Calling = Annotated[Caller, Depends(caller)]


def store(db: Db, calling: Calling) -> Surveyor:
    """The caller's tenant, and nothing else."""
    return Surveyor(db, calling.tenant_id)


Store = Annotated[Surveyor, Depends(store)]


@dataclass(frozen=True)
class AtSurvey:
    """A survey that the caller may do something with."""

    store: Surveyor
    survey_id: str
    caller: Caller
    role: Role


def _at_survey(role: Role) -> Callable[..., AtSurvey]:
    def at_survey(
        store: Store, calling: Calling, survey_id: Annotated[Id, Path(description="Which survey.")]
    ) -> AtSurvey:
        return AtSurvey(store, survey_id, calling, store.allow(survey_id, calling.user_id, role))

    return at_survey


AsViewer = Annotated[AtSurvey, Depends(_at_survey("viewer"))]
AsEditor = Annotated[AtSurvey, Depends(_at_survey("editor"))]
AsOwner = Annotated[AtSurvey, Depends(_at_survey("owner"))]


def manager(calling: Calling) -> None:
    """Refuses whoever may not see their tenant as a whole."""
    if not calling.manager:
        raise HTTPException(403, "This is for managers of the tenant.")


def operator(calling: Calling) -> None:
    """Refuses whoever does not run the service."""
    if not calling.operator:
        raise HTTPException(403, "This is for operators of the service.")
