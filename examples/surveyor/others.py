"""What a tenant has beside surveys and library: itself, images, documents, and what synchronising leaves behind."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tablewright import Entity, Epoch, Keys

from .base import Id, Line, Problem, TenantId, surveyor

LeftKey = Annotated[Line, Field(min_length=1, max_length=200)]
LeftValue = Annotated[str, Field(max_length=100_000)]
Expiry = Annotated[datetime, Epoch("s")]


class Tenant(Entity, table=surveyor):
    """A firm of surveyors."""

    keys = Keys("TENANT#{tenant_id}", "METADATA")
    tenant_id: TenantId
    name: str = Field(max_length=200)
    plan: str = Field(default="free", max_length=40)


class Image(Entity, table=surveyor):
    """A picture, which lies elsewhere."""

    keys = Keys("TENANT#{tenant_id}", "IMAGE#{image_id}")
    tenant_id: TenantId
    image_id: Id
    image_path: str = Field(max_length=500)
    caption: str = Field(default="", max_length=500)


class Document(Entity, table=surveyor):
    """A document as it is now."""

    keys = Keys("TENANT#{tenant_id}#DOC#{document_id}", "LATEST")
    tenant_id: TenantId
    document_id: Id
    number: int = Field(ge=1, lt=100_000_000)
    title: str = Field(max_length=200)
    path: str = Field(max_length=500)


class DocumentVersion(Entity, table=surveyor):
    """A document as it once was, by the number of its version."""

    keys = Keys("TENANT#{tenant_id}#DOC#{document_id}", "V#{number:8}")
    tenant_id: TenantId
    document_id: Id
    number: int = Field(ge=1, lt=100_000_000)
    title: str = Field(max_length=200)
    path: str = Field(max_length=500)


class SyncItem(Entity, table=surveyor, ttl="ttl"):
    """A line in the log of synchronising. What waits is found by its status in GSI3; this tells what went wrong."""

    keys = Keys("TENANT#{tenant_id}", "SYNC#{at}#{entity_id}")
    tenant_id: TenantId
    at: datetime
    entity_id: Id
    kind: str = Field(default="", max_length=40)
    survey_id: Id | None = None
    message: Problem = ""
    ttl: Expiry


class TempData(Entity, table=surveyor, ttl="ttl"):
    """What a device leaves for a day while it synchronises."""

    keys = Keys("TENANT#{tenant_id}", "TEMP#SYNC#{sync_id}")
    tenant_id: TenantId
    sync_id: Id
    data: dict[LeftKey, LeftValue] = Field(default={}, max_length=1_000)
    ttl: Expiry
