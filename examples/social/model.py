"""The social network's model: seven entities, one index. Feeds are merged when they are read, or written ahead."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    Collection,
    Entity,
    Epoch,
    Get,
    Keys,
    Query,
    Relationship,
    ShardedCounter,
    Table,
    collect,
    get,
    is_in,
    many,
    query,
)

social = Table("SocialTable", indexes=[GSI("GSI1")])

Name = Annotated[str, Field(max_length=40)]
Id = Annotated[str, Field(max_length=40)]


class Profile(BaseModel):
    """What somebody tells of themselves."""

    bio: str = Field(default="", max_length=500)
    avatar_url: str | None = Field(default=None, max_length=500)


class User(Entity, table=social):
    """A member of the network."""

    keys = Keys("USER#{username}", "USER#{username}")
    username: Name
    profile: Profile = Profile()


class Post(Entity, table=social):
    """What a member wrote; it lies with its author, in order of time."""

    keys = Keys("USER#{username}", "POST#{posted_at}#{post_id}", GSI1=("POST#{post_id}", "POST#{post_id}"))
    username: Name
    post_id: Id
    posted_at: datetime
    content: str = Field(max_length=5_000)


class Comment(Entity, table=social):
    """What somebody says of a post."""

    keys = Keys("POST#{post_id}", "COMMENT#{written_at}#{comment_id}")
    post_id: Id
    comment_id: Id
    written_at: datetime
    author: Name
    text: str = Field(max_length=2_000)


class Like(Entity, table=social):
    """That somebody likes a post: its key allows it once."""

    keys = Keys("POST#{post_id}", "LIKE#{username}")
    post_id: Id
    username: Name


class LikeCount(Entity, table=social):
    """A part of the number of a post's likes: counting them would read them all, and one item would get hot."""

    keys = Keys("LIKES#{post_id}#{shard:2}", "LIKES")
    post_id: Id
    shard: int = Field(ge=0, lt=100)
    likes: int = 0


likes = ShardedCounter(LikeCount.shard, LikeCount.likes, of=8)


class Follow(Entity, table=social):
    """That somebody reads somebody else. It is read from both ends."""

    keys = Keys("USER#{follower}", "FOLLOW#{following}", GSI1=("USER#{following}", "FOLLOWER#{follower}"))
    follower: Name
    following: Name


class FeedEntry(Entity, table=social, ttl="drops_out_at"):
    """A post in the feed of one reader, written when it was posted: for readers who follow more than a read can merge."""

    keys = Keys("FEED#{reader}", "{posted_at}#{post_id}")
    reader: Name
    posted_at: datetime
    post_id: Id
    author: Name
    drops_out_at: Annotated[datetime, Epoch("s")]


social.relate(
    Relationship(User, "Profile", "1:1", "embedded", field="profile", reason="never read alone"),
    Relationship(User, Post, "1:N", "item collection", reason="the member's own page"),
    Relationship(
        Post, Comment, "1:N", "normalised", reason="a post is read with its author's, comments by their post's id"
    ),
    Relationship(
        User,
        User,
        "M:N",
        "materialised graph",
        via=Follow,
        source_fields={"follower": "username"},
        target_fields={"following": "username"},
    ),
    Relationship(User, Like, "1:N", "normalised", reason="likes are read by post; nobody lists what a member likes"),
    Relationship(User, FeedEntry, "1:N", "normalised", reason="a partition of its own, since feeds are written much"),
)


@social.pattern
def user(username: str) -> Get[User]:
    "A member by name."
    return get(User, User.username == username)


@social.pattern
def posts_of(username: str, since: datetime | None = None) -> Query[Post]:
    "A member's own posts, newest first."
    return query(Post, Post.username == username).when(since, lambda t: Post.posted_at >= t).newest_first().per_page(20)


@social.pattern
def post(post_id: str) -> Get[Post]:
    "One post by its id."
    return get(Post, Post.post_id == post_id)


@social.pattern
def comments_of(post_id: str) -> Query[Comment]:
    "What is said of a post, oldest first."
    return query(Comment, Comment.post_id == post_id).per_page(50)


@social.pattern
def likes_of(post_id: str) -> Query[Like]:
    "Who likes a post."
    return query(Like, Like.post_id == post_id).per_page(50)


@social.pattern
def like(post_id: str, username: str) -> Get[Like]:
    "Whether somebody likes a post."
    return get(Like, Like.post_id == post_id, Like.username == username)


@social.pattern
def following_of(username: str) -> Query[Follow]:
    "Whom a member follows."
    return query(Follow, Follow.follower == username).per_page(100)


@social.pattern
def followers_of(username: str) -> Query[Follow]:
    "Who follows a member."
    return query(Follow, Follow.following == username).per_page(100)


@social.pattern
def merged_feed(authors: list[str]) -> Query[Post]:
    "The posts of these members, newest first: one request for each of them."
    return query(Post, is_in(Post.username, authors)).newest_first().per_page(20)


@social.pattern
def feed_of(reader: str) -> Query[FeedEntry]:
    "A feed that was written ahead, newest first."
    return query(FeedEntry, FeedEntry.reader == reader).newest_first().per_page(20)


@dataclass
class Reactions:
    """What stands below a post."""

    comments: list[Comment]
    likes: list[Like]


@social.pattern
def reactions_to(post_id: str) -> Collection[Reactions]:
    "The comments and likes of a post that few have seen, in one request."
    return collect(
        Reactions,
        comments=many(query(Comment, Comment.post_id == post_id)),
        likes=many(query(Like, Like.post_id == post_id)),
    )


social.expect(User, items=100_000, size=500, max_size=1_500, writes=1)
social.expect(Post, items=5_000_000, size=900, max_size=6_000, writes=20, per={"username": 20_000, "post_id": 1})
social.expect(Comment, items=10_000_000, size=400, max_size=2_500, writes=50, per={"post_id": 10_000})
social.expect(Like, items=50_000_000, size=150, max_size=250, writes=200, per={"post_id": 100_000})
social.expect(LikeCount, items=10_000_000, size=120, max_size=200, writes=200, per={"post_id": 8})
social.expect(Follow, items=5_000_000, size=180, max_size=300, writes=20, per={"follower": 2_000, "following": 100_000})
social.expect(FeedEntry, items=20_000_000, size=200, max_size=300, writes=500, per={"reader": 2_000})
social.expect(User.username, distinct=100_000, hottest=0.01)
social.expect(Post.username, distinct=100_000, hottest=0.01)
social.expect(Post.post_id, distinct=5_000_000, hottest=0.01)
social.expect(Like.post_id, distinct=5_000_000, hottest=0.05)
social.expect(Comment.post_id, distinct=5_000_000, hottest=0.05)
social.expect(Follow.following, distinct=100_000, hottest=0.05)
social.expect(user, rate=100, results=1, latency_ms=20, source="whoever is signed in")
social.expect(posts_of, rate=100, results=20, latency_ms=50, source="member's page")
social.expect(post, rate=200, results=1, latency_ms=20, source="a post's page")
social.expect(comments_of, rate=200, results=20, latency_ms=50, source="comments below a post")
social.expect(likes_of, rate=50, results=50, latency_ms=50, source="who likes it")
social.expect(like, rate=200, results=1, latency_ms=20, source="the heart below a post")
social.expect(following_of, rate=50, results=100, latency_ms=50, source="feed, profile")
social.expect(followers_of, rate=20, results=100, latency_ms=50, source="profile")
social.expect(merged_feed, rate=50, results=20, latency_ms=200, source="feed", note="for readers who follow up to 50")
social.expect(feed_of, rate=50, results=20, latency_ms=50, source="feed", note="for readers who follow more")
social.expect(reactions_to, rate=10, results=20, latency_ms=50, source="notification")
