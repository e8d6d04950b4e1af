"""Two attributes to expire by."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Table

app = Table("Web")


class Login(Entity, table=app, ttl="ttl"):
    keys = Keys("USER#{user}", "LOGIN#{token}")
    user: str
    token: str
    ttl: Annotated[datetime, Epoch("s")]


class Draft(Entity, table=app, ttl="TTL"):
    keys = Keys("USER#{user}", "DRAFT#{draft_id}")
    user: str
    draft_id: str
    TTL: Annotated[datetime, Epoch("s")]
