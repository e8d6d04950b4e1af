"""The blog's model: two entities, one index, four access patterns."""

from datetime import datetime

from pydantic import Field

from tablewright import GSI, Entity, Get, Keys, NaturalKey, Query, Relationship, Table, get, query

blog = Table("BlogTable", indexes=[GSI("GSI1", projection="ALL")])


class User(Entity, table=blog):
    """Somebody who writes. The email address is unique, whatever its capitals."""

    keys = Keys(
        "USER#{username}",
        "USER#{username}",
        GSI1=("EMAIL#{email}", "EMAIL#{email}"),
        unique=["email"],
    )
    username: str = Field(max_length=40)
    email: NaturalKey = Field(max_length=200)
    name: str = Field(max_length=100)


class Post(Entity, table=blog):
    """Something that was written; it lies with its author, in order of time."""

    keys = Keys(
        "USER#{username}",
        "POST#{posted_at}#{post_id}",
        GSI1=("POST#{post_id}", "POST#{post_id}"),
    )
    username: str = Field(max_length=40)
    post_id: str = Field(max_length=40)
    posted_at: datetime
    title: str = Field(max_length=200)
    content: str = Field(max_length=60_000)


blog.relate(Relationship(User, Post, "1:N", "item collection", reason="read by author, newest first"))


@blog.pattern
def user(username: str) -> Get[User]:
    "A user by name."
    return get(User, User.username == username)


@blog.pattern
def user_by_email(email: str) -> Get[User]:
    "A user by email address, however it is typed."
    return get(User, User.email == email)


@blog.pattern
def posts_by(username: str, since: datetime | None = None) -> Query[Post]:
    "What somebody wrote, newest first."
    return query(Post, Post.username == username).when(since, lambda t: Post.posted_at >= t).newest_first().per_page(20)


@blog.pattern
def post(post_id: str) -> Get[Post]:
    "One post by its number."
    return get(Post, Post.post_id == post_id)


blog.expect(User, items=5_000, size=250, max_size=800, writes=0.1)
blog.expect(Post, items=100_000, size=6_000, max_size=70_000, writes=0.5, per={"username": 2_000, "post_id": 1})
blog.expect(User.username, distinct=5_000, hottest=0.05)
blog.expect(user, rate=20, results=1, latency_ms=20, source="whoever is signed in")
blog.expect(user_by_email, rate=1, results=1, latency_ms=50, source="login")
blog.expect(posts_by, rate=20, results=20, latency_ms=50, source="author's page")
blog.expect(post, rate=50, results=1, latency_ms=20, source="a post's page")

blog.waive("TW505", reason="the library never writes a bare name")
