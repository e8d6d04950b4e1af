"""Items that have expired are read."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Query, Table, query

app = Table("Web")


class Login(Entity, table=app, ttl="expires_at"):
    keys = Keys("USER#{user}", "LOGIN#{token_id}")
    user: str
    token_id: str
    expires_at: Annotated[datetime, Epoch("s")]


@app.pattern
def logins_of(user: str) -> Query[Login]:
    "Where a user is signed in."
    return query(Login, Login.user == user)
