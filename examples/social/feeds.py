"""Feeds in two ways that show the same: merged when they are read, and written ahead when something is posted.

A page is left with a bookmark, the place of its last post. It holds nothing that its reader has not seen, and whatever it
says, it is a place in that reader's own feed; so it needs no seal, and following somebody else meanwhile does no harm.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import dropwhile, groupby, islice
from typing import NamedTuple, Self, TypeVar

from tablewright import Key, Page, Session, key
from tablewright.errors import NotFoundError

from .model import (
    CelebrityFollow,
    FanOut,
    FeedEntry,
    Follow,
    Post,
    celebrities_of,
    feed_of,
    followers_of,
    following_of,
    merged_feed,
    on_its_way,
    posts_of,
)

KEPT = timedelta(days=30)
"""How far back a feed goes."""
_STAMP = "%Y%m%dT%H%M%S%f"


T = TypeVar("T", Post, FeedEntry, Post | FeedEntry)


@dataclass(frozen=True)
class Limits:
    """The numbers that decide which way a feed takes."""

    merged: int = 50
    """Who follows no more authors than this gets the feed merged: exact at once, for a request an author."""
    celebrity: int = 10_000
    """Who has more followers than this is a celebrity: no post is written into so many feeds."""
    batch: int = 100
    """How many feeds are written before it is noted how far the work got."""


class WrongBookmark(ValueError):
    """A text that no page of a feed was left with."""


class Place(NamedTuple):
    """Where a post stands in every feed that has it."""

    posted_at: datetime
    post_id: str

    def bookmark(self) -> str:
        """The place as text for a URL."""
        return f"{self.posted_at.astimezone(UTC):{_STAMP}}-{self.post_id}"

    @classmethod
    def at(cls, bookmark: str) -> Self:
        """The place that a bookmark means."""
        stamp, _, post_id = bookmark.partition("-")
        try:
            place = cls(datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC), post_id)
        except ValueError:
            raise WrongBookmark("This is no bookmark of a feed.") from None
        if place.bookmark() != bookmark:
            raise WrongBookmark("This is no bookmark of a feed, though it looks like one.")
        return place


def _place(entry: Post | FeedEntry) -> Place:
    return Place(entry.posted_at, entry.post_id)


class Feeds:
    """Reads feeds, and writes them ahead."""

    def __init__(self, db: Session, clock: Callable[[], datetime], limits: Limits) -> None:
        self._db = db
        self._clock = clock
        self._limits = limits

    # ------------------------------------------------------------------------------------------------ reading

    def merged(self, reader: str, bookmark: str | None = None, limit: int = 20) -> Page[Post]:
        """A page of the feed from the posts themselves: one request for each author, and exact at any moment."""
        after = Place.at(bookmark) if bookmark else None
        authors = [follow.following for follow in self._db.run(following_of, reader)]
        return _page(_older(self._posts(authors, after), after), limit)

    def written(self, reader: str, bookmark: str | None = None, limit: int = 20) -> Page[Post]:
        """A page of the feed from what was written ahead, and from the celebrities among the authors.

        Entries may be left of posts that are gone, and of authors whom nobody follows any more; what is shown is looked up."""
        after = Place.at(bookmark) if bookmark else None
        entries: Iterator[Post | FeedEntry] = iter(
            self._db.run(feed_of, reader, self._since(), after and after.posted_at)
        )
        celebrities = [follow.author for follow in self._db.run(celebrities_of, reader)]
        found = merge(entries, self._posts(celebrities, after), key=_place, reverse=True)
        once = (next(same) for _, same in groupby(_older(found, after), key=_place))
        return _page(self._confirmed(reader, once, limit + 1), limit)

    def _posts(self, authors: list[str], after: Place | None) -> Iterable[Post]:
        return self._db.run(merged_feed, authors, self._since(), after and after.posted_at) if authors else ()

    def _confirmed(self, reader: str, entries: Iterator[Post | FeedEntry], size: int) -> Iterator[Post]:
        """The posts behind entries, as far as they exist and the reader follows their authors; so many in a request."""
        while some := list(islice(entries, size)):
            authors = {entry.author if isinstance(entry, FeedEntry) else entry.username for entry in some}
            wanted: list[Key[Follow | Post]] = [key(Follow, follower=reader, following=author) for author in authors]
            wanted += [_post_of(entry) for entry in some if isinstance(entry, FeedEntry)]
            found = self._db.get_many(wanted)
            followed = {f.following for f in found if isinstance(f, Follow)}
            posts = {_place(p): p for p in [*found, *some] if isinstance(p, Post) and p.username in followed}
            yield from (posts[place] for place in map(_place, some) if place in posts)

    def _since(self) -> datetime:
        return self._clock() - KEPT

    # ------------------------------------------------------------------------------------------------ writing

    def write_ahead(self, batches: int | None = None) -> int:
        """Goes on with what is on its way into feeds, at most so many batches; returns how many it wrote, 0 if nothing waits.

        It may stop at any moment, and several may do it at once: the worst is that an entry is written twice."""
        written = 0
        for job in self._db.run(on_its_way):
            rest: FanOut | None = job
            while rest is not None:
                if written == batches:
                    return written
                rest = self._passed_on(rest)
                written += 1
        return written

    def catch_up(self, reader: str, author: str) -> None:
        """Puts into a feed what an author has posted so far."""
        with self._db.batch() as batch:
            for post in self._db.run(posts_of, author, self._since()):
                batch.put(_entry(reader, author, _place(post)))

    def _passed_on(self, job: FanOut) -> FanOut | None:
        """Serves the next followers; returns what is left to do."""
        readers = [f.follower for f in self._db.run(followers_of, job.author, job.reached).take(self._limits.batch)]
        with self._db.batch() as batch:
            for reader in readers:
                if job.celebrity:
                    batch.put(CelebrityFollow(reader=reader, author=job.author))
                else:
                    batch.put(_entry(reader, job.author, Place(job.posted_at, job.post_id)))
        if len(readers) < self._limits.batch:
            self._db.delete(job)
            return None
        try:
            return self._db.update(job, set={"reached": readers[-1]})
        except NotFoundError:  # another worker has finished it
            return None


def _entry(reader: str, author: str, place: Place) -> FeedEntry:
    return FeedEntry(
        reader=reader,
        author=author,
        posted_at=place.posted_at,
        post_id=place.post_id,
        drops_out_at=place.posted_at + KEPT,
    )


def _post_of(entry: FeedEntry) -> Key[Post]:
    return key(Post, username=entry.author, posted_at=entry.posted_at, post_id=entry.post_id)


def _older(entries: Iterable[T], after: Place | None) -> Iterator[T]:
    """The entries behind a place; those of its very moment were asked for again."""
    return iter(entries) if after is None else dropwhile(lambda entry: _place(entry) >= after, entries)


def _page(posts: Iterable[Post], limit: int) -> Page[Post]:
    if limit < 1:
        raise ValueError("A page of a feed has room for at least one post.")
    shown = list(islice(posts, limit + 1))
    return Page(tuple(shown[:limit]), _place(shown[limit - 1]).bookmark() if len(shown) > limit else None)
