"""People, posts, comments, likes and who follows whom."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import Field

from tablewright import Collection, Design, Entity, Get, Query, collect, get, many, one, query

social = Design("SocialTable")


class User(Entity, table=social, identity=["username"]):
    username: str
    bio: str = ""


class Post(Entity, table=social, identity=["post_id"]):
    post_id: str
    username: str = Field(frozen=True)
    written_at: datetime = Field(frozen=True)
    text: str = ""


class Comment(Entity, table=social, identity=["post_id", "comment_id"]):
    post_id: str
    comment_id: str
    written_at: datetime = Field(frozen=True)
    author: str = ""


class Like(Entity, table=social, identity=["post_id", "username"]):
    """At most one for each user and post."""

    post_id: str
    username: str


class Follow(Entity, table=social, identity=["follower", "following"]):
    follower: str
    following: str


@dataclass
class PostPage:
    post: Post | None
    comments: list[Comment]


@social.pattern
def user(username: str) -> Get[User]:
    return get(User, User.username == username)


@social.pattern
def posts_of(username: str) -> Query[Post]:
    return query(Post, Post.username == username).sorted_by(Post.written_at).newest_first()


@social.pattern
def post(post_id: str) -> Get[Post]:
    return get(Post, Post.post_id == post_id)


@social.pattern
def comments_of(post_id: str) -> Query[Comment]:
    return query(Comment, Comment.post_id == post_id).sorted_by(Comment.written_at)


@social.pattern
def likes_of(post_id: str) -> Query[Like]:
    return query(Like, Like.post_id == post_id)


@social.pattern
def following(username: str) -> Query[Follow]:
    return query(Follow, Follow.follower == username)


@social.pattern
def followers(username: str) -> Query[Follow]:
    return query(Follow, Follow.following == username)


@social.pattern
def post_page(post_id: str) -> Collection[PostPage]:
    "A post with its comments, in one request."
    return collect(
        PostPage,
        post=one(query(Post, Post.post_id == post_id)),
        comments=many(query(Comment, Comment.post_id == post_id).sorted_by(Comment.written_at)),
    )
