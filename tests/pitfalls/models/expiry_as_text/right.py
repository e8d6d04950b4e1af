"""An expiry that is no number: mended."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Table

app = Table("Web")


class Login(Entity, table=app, ttl="expires_at"):
    keys = Keys("USER#{user}", "LOGIN#{token}")
    user: str
    token: str
    expires_at: Annotated[datetime, Epoch("s")]
