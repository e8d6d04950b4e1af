"""Fields that an index does not hold: mended."""

from pydantic import BaseModel

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("People", indexes=[GSI("GSI1", projection=["full_name"])])


class User(Entity, table=app):
    keys = Keys("USER#{user_id}", "PROFILE", GSI1=("TEAM#{team}", "USER#{user_id}"))
    user_id: str
    team: str
    full_name: str


class Member(BaseModel):
    user_id: str
    full_name: str


@app.pattern
def team_members(team: str) -> Query[Member]:
    "The members of a team."
    return query(User, User.team == team).only(Member)
