"""The social network's model: ten entities, one index. Feeds are merged when they are read, or written ahead."""

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
    Shard,
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
    follows: int = Field(default=0, ge=0)
    celebrity: bool = False
    """Whether so many read them that their posts are not written into feeds; this never changes back."""


class Post(Entity, table=social):
    """What a member wrote; it lies with its author, in order of time."""

    keys = Keys("USER#{username}", "POST#{posted_at}#{post_id}", GSI1=("POST#{post_id}", "POST#{post_id}"))
    username: Name
    post_id: Id
    posted_at: datetime
    content: str = Field(max_length=5_000)
    going: bool = False
    """Whether it is being removed, with all that was said of it: nothing is added any more."""


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


class FollowerCount(Entity, table=social):
    """A part of the number of a member's followers."""

    keys = Keys("FOLLOWERS#{username}#{shard:2}", "FOLLOWERS")
    username: Name
    shard: int = Field(ge=0, lt=100)
    followers: int = 0


followers = ShardedCounter(FollowerCount.shard, FollowerCount.followers, of=8)


class CelebrityFollow(Entity, table=social):
    """That one of those whom a reader follows is a celebrity, whose posts must be asked for when the feed is read."""

    keys = Keys("USER#{reader}", "CELEBRITY#{author}")
    reader: Name
    author: Name


class FeedEntry(Entity, table=social, ttl="drops_out_at"):
    """A post in the feed of one reader, written when it was posted: for readers who follow more than a read can merge."""

    keys = Keys("FEED#{reader}", "{posted_at}#{post_id}")
    reader: Name
    posted_at: datetime
    post_id: Id
    author: Name
    drops_out_at: Annotated[datetime, Epoch("s")]


class FanOut(Entity, table=social):
    """A post on its way into the feeds of its author's followers, written with it: whoever goes on knows how far it got."""

    keys = Keys("FANOUT#{shard}", "{posted_at}#{post_id}", derive={"shard": Shard("post_id", of=4)})
    posted_at: datetime
    post_id: Id
    author: Name
    celebrity: bool = False
    """Whether the followers are told that the author has become a celebrity, instead."""
    reached: Name | None = None
    """The last follower who was served."""


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
    Relationship(User, CelebrityFollow, "1:N", "item collection", reason="few, and read with each page of a feed"),
    Relationship(User, FollowerCount, "1:N", "normalised", reason="eight partitions, against the heat of a celebrity"),
    Relationship(Post, LikeCount, "1:N", "normalised", reason="eight partitions, against the heat of a hit"),
    Relationship(Post, FanOut, "1:1", "normalised", reason="found by those who work on it, wherever the post is"),
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
def followers_of(username: str, after: str | None = None) -> Query[Follow]:
    "Who follows a member, by name; or those after a name."
    return query(Follow, Follow.following == username).when(after, lambda n: Follow.follower > n).per_page(100)


@social.pattern
def celebrities_of(reader: str) -> Query[CelebrityFollow]:
    "The celebrities whom a member follows."
    return query(CelebrityFollow, CelebrityFollow.reader == reader)


@social.pattern
def merged_feed(authors: list[str], since: datetime, until: datetime | None = None) -> Query[Post]:
    "The posts of these members in a period, newest first: one request for each of them."
    found = query(Post, is_in(Post.username, authors), Post.posted_at >= since)
    return found.when(until, lambda t: Post.posted_at <= t).newest_first().per_page(20)


@social.pattern
def feed_of(reader: str, since: datetime, until: datetime | None = None) -> Query[FeedEntry]:
    "What a period left in a feed that is written ahead, newest first."
    found = query(FeedEntry, FeedEntry.reader == reader, FeedEntry.posted_at >= since)
    return found.when(until, lambda t: FeedEntry.posted_at <= t).newest_first().per_page(20)


@social.pattern
def on_its_way() -> Query[FanOut]:
    "Posts that are not in all feeds yet, oldest first."
    return query(FanOut).per_page(10)


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
social.expect(FollowerCount, items=400_000, size=120, max_size=200, writes=20, per={"username": 8})
social.expect(CelebrityFollow, items=500_000, size=150, max_size=250, writes=1, per={"reader": 50})
social.expect(FanOut, items=100, size=200, max_size=300, writes=50, per={"post_id": 1})
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
social.expect(celebrities_of, rate=50, results=5, latency_ms=50, source="whose posts a feed must ask for")
social.expect(on_its_way, rate=1, results=10, latency_ms=200, source="whoever writes feeds")
social.expect(reactions_to, rate=10, results=20, latency_ms=50, source="notification")

social.waive("TW806", feed_of, reason="entries expire when their posts are older than any period that is asked for")
