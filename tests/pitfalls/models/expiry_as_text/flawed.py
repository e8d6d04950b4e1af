"""An expiry that is no number."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Web")


class Login(Entity, table=app, ttl="expires_at"):
    keys = Keys("USER#{user}", "LOGIN#{token}")
    user: str
    token: str
    expires_at: datetime
