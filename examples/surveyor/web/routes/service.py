"""The service itself: whether it is well, and who it takes the caller for."""

from fastapi import APIRouter
from pydantic import BaseModel

from examples.surveyor import patterns
from examples.surveyor.web.callers import Calling, Db
from examples.surveyor.web.problems import responses
from examples.surveyor.web.tokens import Caller

router = APIRouter(tags=["service"])


class Health(BaseModel):
    """That the service can be used."""

    status: str = "ok"


@router.get("/health")
def health(db: Db) -> Health:
    """Whether the table answers. Needs no token, and tells no more; asks for one item that is not there."""
    db.run(patterns.tenant, "-health-")
    return Health()


@router.get("/me", responses=responses(401))
def me(calling: Calling) -> Caller:
    """Who the token says is calling."""
    return calling
