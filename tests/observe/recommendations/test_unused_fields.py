"""Fields that are fetched and never looked at."""

from pydantic import BaseModel

from tablewright import Collection, Entity, Keys, Query, Table, collect, many, query
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.unused_fields import UnusedFields
from tablewright.observe.snapshot import FieldUse, Snapshot, Traffic

blog = Table("Blog")


class Post(Entity, table=blog):
    keys = Keys("AUTHOR#{author}", "POST#{slug}")
    author: str
    slug: str
    title: str
    body: list[str]
    comments: list[str]


class Title(BaseModel):
    title: str


class Shelf(BaseModel):
    posts: list[Post]


@blog.pattern
def posts_of(author: str) -> Query[Post]:
    return query(Post, Post.author == author)


@blog.pattern
def titles_of(author: str) -> Query[Title]:
    return query(Post, Post.author == author).only(Title)


@blog.pattern
def shelf(author: str) -> Collection[Shelf]:
    return collect(Shelf, posts=many(query(Post, Post.author == author)))


def found(pattern: str, fetched: int, *used: str, model: bool = True) -> list[Recommendation]:
    use = FieldUse(fetched, dict.fromkeys(used, fetched))
    traffic = [Traffic(operation="Query", pattern=pattern, requests=30), Traffic(operation="PutItem", requests=70)]
    seen = Snapshot(table="Blog", traffic=traffic, fields={pattern: use})
    return list(UnusedFields().find(Observed(seen, blog.plan if model else None)))


def test_fields_that_nobody_reads() -> None:
    (one,) = found("posts_of", 500, "author", "slug", "title")
    assert (one.severity, one.category, one.subject) == ("info", "performance", "posts_of()")
    assert one.message == "posts_of() fetches 2 fields of Post that nobody reads."
    assert one.details == (
        "Of 500 Posts that were watched, nobody looked at body, comments: some 42% of the bytes, by their types. A view saves "
        "their transfer, and no read units."
    )
    assert one.code == (
        "class PostView(BaseModel):\n    author: str\n    slug: str\n    title: str\n\n\nquery(Post, ...).only(PostView)"
    )
    assert (one.saves, one.impact) == (0.0, 0.3)


def test_small_ones_are_not_worth_a_view() -> None:
    assert not found("posts_of", 500, "slug", "title", "body", "comments")


def test_a_view_is_one_already() -> None:
    assert not found("titles_of", 500, "slug")


def test_collections_and_strangers_cannot_be_judged() -> None:
    assert not found("shelf", 500, "slug")
    assert not found("other", 500, "slug")
    assert not found("posts_of", 500, "slug", model=False)


def test_too_few() -> None:
    assert not found("posts_of", 99, "title")


def test_nothing_was_read_at_all() -> None:
    assert not found("posts_of", 500)
