"""What the operator of the service does, over all tenants. No tenant's people get to this class."""

from typing import Final

from tablewright import Page, Session

from . import patterns as p
from .others import Tenant
from .surveys import Survey

FIRST: Final = "\0"
"""No tenant comes before it."""


class Operator:
    """Everything that is not one tenant's own affair, on an open session."""

    def __init__(self, db: Session) -> None:
        self._db = db

    def add_tenant(self, tenant_id: str, name: str, plan: str = "free") -> Tenant:
        """A new tenant. AlreadyExistsError if there is one with this id."""
        return self._db.create(Tenant(tenant_id=tenant_id, name=name, plan=plan))

    def change_plan(self, tenant_id: str, plan: str) -> Tenant:
        """Another plan for a tenant. NotFoundError if there is none."""
        return self._db.update(p.tenant(tenant_id), set={"plan": plan})

    def surveys(self, first_tenant: str = FIRST, limit: int = 100, cursor: str | None = None) -> Page[Survey]:
        """A page of the surveys of all tenants, by tenant, from one tenant on."""
        return self._db.run(p.surveys_from, first_tenant).page(limit, cursor)
