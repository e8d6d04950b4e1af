"""A blog: people and what they write."""

from datetime import datetime

from pydantic import Field

from tablewright import Design, Entity, Get, Query, get, query

blog = Design("BlogTable")


class User(Entity, table=blog, identity=["username"], unique=["email"]):
    """Somebody who writes."""

    username: str
    email: str
    name: str = ""


class Post(Entity, table=blog, identity=["post_id"]):
    """What somebody wrote."""

    post_id: str
    username: str = Field(frozen=True)
    written_at: datetime = Field(frozen=True)
    title: str = ""  # it may still change


@blog.pattern
def user(username: str) -> Get[User]:
    "A user by name."
    return get(User, User.username == username)


@blog.pattern
def posts_of(username: str, since: datetime | None = None) -> Query[Post]:
    "What somebody wrote, newest first."
    found = query(Post, Post.username == username).when(since, lambda t: Post.written_at >= t)
    return found.sorted_by(Post.written_at).newest_first()


@blog.pattern
def user_by_email(email: str) -> Get[User]:
    "A user by email address."
    return get(User, User.email == email)


@blog.pattern
def post(post_id: str) -> Get[Post]:
    "One post."
    return get(Post, Post.post_id == post_id)
