"""Fields that an index does not hold."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("People", indexes=[GSI("GSI1", projection="KEYS_ONLY")])


class User(Entity, table=app):
    keys = Keys("USER#{user_id}", "PROFILE", GSI1=("TEAM#{team}", "USER#{user_id}"))
    user_id: str
    team: str
    full_name: str


@app.pattern
def team_members(team: str) -> Query[User]:
    "The members of a team."
    return query(User, User.team == team)
