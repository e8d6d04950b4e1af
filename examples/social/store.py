"""The network in its own words: what its pages and its workers call. Nothing above this file knows that there is a table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tablewright import Page, Session, Transaction, exists, key, negate, ulid
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, NotFoundError

from .feeds import Feeds, Limits
from .model import (
    CelebrityFollow,
    Comment,
    FanOut,
    Follow,
    Like,
    LikeCount,
    Post,
    Profile,
    Reactions,
    User,
    comments_of,
    followers,
    followers_of,
    following_of,
    like,
    likes,
    likes_of,
    post,
    posts_of,
    reactions_to,
    user,
)


class UnknownMember(LookupError):
    """Nobody has this name."""


class UnknownPost(LookupError):
    """There is no such post, or no longer."""


class NotTheAuthor(PermissionError):
    """Somebody tried to remove what somebody else has posted."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Network:
    """Everything the application does, on an open session."""

    def __init__(
        self,
        db: Session,
        *,
        clock: Callable[[], datetime] = _utc_now,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        ids: Callable[[], str] = ulid,
    ) -> None:
        self._db = db
        self._clock = clock
        self._limits = limits
        self._ids = ids
        self.feeds = Feeds(db, clock, limits)

    # ------------------------------------------------------------------------------------------------ members

    def join(self, username: str, profile: Profile | None = None) -> User:
        """A new member. Fails if the name is taken."""
        return self._db.create(User(username=username, profile=profile or Profile()))

    def member(self, username: str) -> User:
        """A member with profile."""
        found = self._db.run(user, username)
        if found is None:
            raise UnknownMember(username)
        return found

    def describe(self, username: str, profile: Profile) -> User:
        """Another profile."""
        try:
            return self._db.update(user(username), set={"profile": profile})
        except NotFoundError:
            raise UnknownMember(username) from None

    # ---------------------------------------------------------------------------------------------- following

    def follow(self, follower: str, following: str) -> bool:
        """From now on the one reads the other; False if it was so already. To call it again mends what was interrupted."""
        if follower == following:
            raise ValueError("Nobody follows themselves.")
        author = self.member(following)
        try:
            with self._db.transaction() as tx:
                tx.create(Follow(follower=follower, following=following))
                tx.update(user(follower), add={"follows": 1})
                tx.count_up(followers(username=following), spread=follower)
                if author.celebrity:
                    tx.put(CelebrityFollow(reader=follower, author=following))
                else:  # a celebrity would have to be marked; a check on one would be where everybody meets
                    tx.check(user(following), User.celebrity == False)  # noqa: E712
            new = True
        except AlreadyExistsError:
            new = False
        except NotFoundError:
            raise UnknownMember(follower) from None
        except ConditionalCheckError:  # became a celebrity just now, and stays one
            return self.follow(follower, following)
        if not author.celebrity:
            self.feeds.catch_up(follower, following)
        return new

    def unfollow(self, follower: str, following: str) -> bool:
        """The one no longer reads the other; False if it was so already."""
        try:
            with self._db.transaction() as tx:
                tx.delete(key(Follow, follower=follower, following=following), when=exists(Follow.follower))
                tx.update(user(follower), add={"follows": -1})
                tx.count_up(followers(username=following), -1, spread=follower)
                tx.delete(key(CelebrityFollow, reader=follower, author=following))
        except ConditionalCheckError:
            return False
        return True

    def following(self, username: str, cursor: str | None = None) -> Page[Follow]:
        """Whom a member reads, a hundred a page."""
        return self._db.run(following_of, username).page(cursor=cursor)

    def followers(self, username: str, cursor: str | None = None) -> Page[Follow]:
        """Who reads a member, a hundred a page."""
        return self._db.run(followers_of, username).page(cursor=cursor)

    def follower_count(self, username: str) -> int:
        """How many read a member."""
        return self._db.total(followers(username=username))

    # -------------------------------------------------------------------------------------------------- posts

    def publish(self, username: str, content: str, *, at: datetime | None = None) -> Post:
        """A new post. It is on its way into feeds; `feeds.write_ahead()` brings it there. Its id is made here: a chosen one could
        be that of somebody else's post, and of what was said of it."""
        author = self.member(username)
        new = Post(username=username, post_id=self._ids(), posted_at=at or self._clock(), content=content)
        rises = not author.celebrity and self.follower_count(username) > self._limits.celebrity
        with self._db.transaction() as tx:
            tx.create(new)
            if rises:
                tx.update(user(username), set={"celebrity": True})
            if not author.celebrity:
                tx.create(FanOut(post_id=new.post_id, author=username, posted_at=new.posted_at, celebrity=rises))
        return new

    def post(self, post_id: str) -> Post:
        """One post. It is found through the index, which may not know a new one for a moment: whoever has just published it
        has it already, and others see it there when they can react to it."""
        found = self._db.run(post, post_id)
        if found is None:
            raise UnknownPost(post_id)
        return found

    def timeline(self, username: str, cursor: str | None = None) -> Page[Post]:
        """What a member has posted, newest first, twenty a page."""
        return self._db.run(posts_of, username).page(cursor=cursor)

    def remove_post(self, username: str, post_id: str) -> None:
        """Takes a post of one's own back, with all that was said of it. It leaves every feed at once. Nothing is added from its
        first moment on; whatever stops it, the same call goes on with what is left."""
        found = self.post(post_id)
        if found.username != username:
            raise NotTheAuthor(post_id)
        try:
            self._db.update(found, set={"going": True})
        except NotFoundError:  # the index still had it
            raise UnknownPost(post_id) from None
        self._db.delete_collection(reactions_to(post_id))
        with self._db.batch() as batch:
            for shard in range(likes.of):
                batch.delete(key(LikeCount, post_id=post_id, shard=shard))
        self._db.delete(found)

    def feed(self, reader: str, bookmark: str | None = None, limit: int = 20) -> Page[Post]:
        """What those whom a member follows have posted, newest first, in the way that suits their number."""
        few = self.member(reader).follows <= self._limits.merged
        return (self.feeds.merged if few else self.feeds.written)(reader, bookmark, limit)

    # ---------------------------------------------------------------------------------------------- reactions

    def comment(self, post_id: str, author: str, text: str, *, comment_id: str | None = None) -> Comment:
        """Says something of a post."""
        now = self._clock()
        said = Comment(post_id=post_id, comment_id=comment_id or ulid(), written_at=now, author=author, text=text)
        with self._reacting(post_id, author) as tx:
            tx.create(said)
        return said

    @contextmanager
    def _reacting(self, post_id: str, username: str) -> Iterator[Transaction]:
        """A transaction of a member about a post that is there, and stays: what is written while the post is being removed would
        never be found again."""
        found = self.post(post_id)
        try:
            with self._db.transaction() as tx:
                tx.check(found, negate(Post.going == True))  # noqa: E712 - older posts do not say
                tx.check(user(username))
                yield tx
        except ConditionalCheckError as error:
            match error.entity:
                case "Post":
                    raise UnknownPost(post_id) from None
                case "User":
                    raise UnknownMember(username) from None
            raise

    def comments(self, post_id: str, cursor: str | None = None) -> Page[Comment]:
        """What is said of a post, oldest first, fifty a page."""
        return self._db.run(comments_of, post_id).page(cursor=cursor)

    def like(self, post_id: str, username: str) -> bool:
        """Likes a post; False for who does already."""
        try:
            with self._reacting(post_id, username) as tx:
                tx.create(Like(post_id=post_id, username=username))
                tx.count_up(likes(post_id=post_id), spread=username)
        except AlreadyExistsError:
            return False
        return True

    def unlike(self, post_id: str, username: str) -> bool:
        """Takes a like back; False for who had none."""
        try:
            with self._db.transaction() as tx:
                tx.delete(like(post_id, username), when=exists(Like.username))
                tx.count_up(likes(post_id=post_id), -1, spread=username)
        except ConditionalCheckError:
            return False
        return True

    def likes(self, post_id: str, username: str) -> bool:
        """Whether somebody likes a post."""
        return self._db.run(like, post_id, username) is not None

    def like_count(self, post_id: str) -> int:
        """How many like a post."""
        return self._db.total(likes(post_id=post_id))

    def liked_by(self, post_id: str, cursor: str | None = None) -> Page[Like]:
        """Who likes a post, fifty a page."""
        return self._db.run(likes_of, post_id).page(cursor=cursor)

    def reactions(self, post_id: str) -> Reactions:
        """All comments and likes of a post that few have seen."""
        return self._db.run(reactions_to, post_id)
