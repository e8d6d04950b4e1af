"""What the operator of the service sees, over all tenants. Only here do tenants occur in requests and answers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from examples.surveyor.base import TenantId
from examples.surveyor.operating import FIRST, Operator
from examples.surveyor.web.callers import Db, operator
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import Cursor, Limit, Listed, OutlineShown, Sent, Shown

router = APIRouter(
    prefix="/operator", tags=["operator"], dependencies=[Depends(operator)], responses=responses(400, 401, 403)
)


class NewTenant(Sent):
    """A tenant to be added."""

    tenant_id: TenantId
    name: Annotated[str, Field(max_length=200)]
    plan: Annotated[str, Field(max_length=40)] = "free"


class TenantShown(Shown):
    """A tenant."""

    tenant_id: str
    name: str
    plan: str


class TenantSurvey(OutlineShown):
    """A survey, and whose it is."""

    tenant_id: str


@router.post("/tenants", status_code=201, responses=responses(409))
def add_tenant(db: Db, new: NewTenant) -> TenantShown:
    """Adds a tenant."""
    return TenantShown.of(Operator(db).add_tenant(new.tenant_id, new.name, new.plan))


@router.get("/surveys")
def list_all_surveys(
    db: Db,
    first_tenant: Annotated[
        TenantId | None, Query(description="The tenant to begin with; without one, the first of all.")
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[TenantSurvey]:
    """The surveys of all tenants, by tenant."""
    page = Operator(db).surveys(first_tenant or FIRST, limit, cursor)
    return Listed.of(map(TenantSurvey.of, page), page)
