"""A sparse index: only users whose email address is verified are in it, and whoever changes the address leaves it.

`python -m examples.small.verified` shows it.
"""

from typing import Annotated

from pydantic import Field

from tablewright import GSI, Entity, Get, Keys, NaturalKey, Query, Shard, Table, attr, get, query, require, sparse

people = Table("People", indexes=[GSI("GSI1", projection="ALL")])

Id = Annotated[str, Field(min_length=1, max_length=40)]


class User(Entity, table=people):
    """Somebody. The others have no key on GSI1, take no room there, and cost nothing when they are written."""

    keys = Keys(
        "USER#{user_id}",
        "PROFILE",
        GSI1=sparse("VERIFIED#USER#{shard}", "{user_id}", when=attr("email_verified") == True),  # noqa: E712
        derive={"shard": Shard("user_id", of=2)},
    )
    user_id: Id
    email: NaturalKey = Field(max_length=200)
    email_verified: bool = False


@people.pattern
def user(user_id: str) -> Get[User]:
    "A user by id."
    return get(User, User.user_id == user_id)


@people.pattern
def verified_users() -> Query[User]:
    "Users whose email address is verified, by id, merged from two shards."
    return query(User, User.email_verified == True).per_page(50)  # noqa: E712


@people.change
def verify(u: User, email: str) -> None:
    "Somebody has answered a message to this address, which must still be theirs."
    require(u.email == email)
    u.email_verified = True


@people.change
def move(u: User, email: str) -> None:
    "Another address, which nobody has verified yet."
    u.email, u.email_verified = email, False


def main() -> None:
    """Two of three verify their addresses, and one of them moves."""
    with people.open("memory:") as db:
        for name in ("ann", "bob", "eve"):
            db.create(User(user_id=name, email=f"{name}@example.com"))
        for name in ("ann", "eve"):
            db.apply(verify, user(name), email=f"{name}@example.com")
        print([u.user_id for u in db.run(verified_users)])
        db.apply(move, user("ann"), email="ann@example.org")
        print([u.user_id for u in db.run(verified_users)])


if __name__ == "__main__":
    main()
