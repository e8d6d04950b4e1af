"""A feed is the same in both ways: merged when it is read, or written ahead, stopped and gone on with, celebrities and all."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.social.feeds import KEPT, Limits, Place, WrongBookmark
from examples.social.model import CelebrityFollow, FanOut, FeedEntry, Post, social
from examples.social.store import Network
from examples.social.tests.conftest import NOON, Clock
from tablewright import Page, RetryPolicy, Session
from tablewright.engine import open_engine
from tablewright.engine.faults import Throttle
from tablewright.errors import Throttled, UnprocessedError

SMALL = Limits(merged=2, celebrity=2, batch=2)
Way = Callable[[str, str | None, int], Page[Post]]


def walked(way: Way, reader: str, limit: int = 20) -> list[Post]:
    """A whole feed, page by page; every page but the last is full."""
    posts: list[Post] = []
    bookmark: str | None = None
    while True:
        page = way(reader, bookmark, limit)
        posts += page
        if page.cursor is None:
            return posts
        assert len(page) == limit
        bookmark = page.cursor


def crowded(db: Session, clock: Clock, limits: Limits = SMALL) -> Network:
    """Ann has five followers."""
    network = Network(db, clock=clock, limits=limits)
    for name in ("ann", "bob", *"vwxyz"):
        network.join(name)
    for name in "vwxyz":
        network.follow(name, "ann")
    return network


# ---------------------------------------------------------------------------------------------------------- reading


def test_a_merged_feed_asks_each_author_once(network: Network, db: Session) -> None:
    for author in ("bob", "cleo"):
        network.follow("ann", author)
    posts = [network.publish(author, "c") for _ in range(3) for author in ("bob", "cleo", "dan")]
    with db.measure() as meter:
        page = network.feeds.merged("ann")
    assert page == Page(tuple(p for p in reversed(posts) if p.username != "dan"), None)
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [
        ("Query", None, "following_of"),
        ("Query", None, "merged_feed"),
        ("Query", None, "merged_feed"),
    ]
    assert meter.capacity.read == 1.5
    assert network.feed("ann") == page


def test_a_written_feed_takes_three_requests_whatever_is_followed(db: Session, clock: Clock) -> None:
    network = Network(db, clock=clock, limits=Limits(merged=2))
    names = [f"author {n}" for n in range(8)]
    for name in ["ann", *names]:
        network.join(name)
    for name in names:
        network.follow("ann", name)
    posts = [network.publish(name, "c") for name in names]
    network.feeds.write_ahead()
    with db.measure() as meter:
        page = network.feeds.written("ann", limit=5)
    assert list(page) == posts[:-6:-1]
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [
        ("Query", None, "celebrities_of"),
        ("Query", None, "feed_of"),
        ("BatchGetItem", None, None),
    ]
    assert [r.capacity.read for r in meter.requests[1:]] == [
        0.5,
        6,
    ]  # six posts, and whether their authors are followed
    assert network.feed("ann", None, 5) == page


def test_a_bookmark_goes_on_behind_the_last_post_whoever_is_followed_meanwhile(network: Network) -> None:
    network.follow("ann", "bob")
    old = network.publish("cleo", "old")
    posts = [network.publish("bob", f"{n}") for n in range(3)]
    network.feeds.write_ahead()
    first = network.feed("ann", None, 2)
    assert [*first] == [posts[2], posts[1]]
    network.follow("ann", "cleo")
    network.publish("bob", "new")
    for way in (network.feeds.merged, network.feeds.written):
        assert way("ann", first.cursor, 2) == Page((posts[0], old), None)


@pytest.mark.parametrize("wrong", ["x", "20990501-", "20990501T1200000-p", "99999999T999999999999-p"])
def test_what_is_no_bookmark(network: Network, wrong: str) -> None:
    for way in (network.feeds.merged, network.feeds.written):
        with pytest.raises(WrongBookmark):
            way("ann", wrong, 2)


@settings(max_examples=30)
@given(st.datetimes(min_value=datetime(2000, 1, 1)), st.text("ab-~#%é😀", min_size=1, max_size=40))
def test_a_bookmark_is_read_as_it_was_written(moment: datetime, post_id: str) -> None:
    place = Place(moment.replace(tzinfo=NOON.tzinfo), post_id)
    assert Place.at(place.bookmark()) == place


def test_nobody_is_followed(network: Network) -> None:
    network.publish("bob", "c")
    assert network.feed("ann") == network.feeds.written("ann") == Page((), None)


# ---------------------------------------------------------------------------------------------------------- writing


def test_a_post_reaches_feeds_batch_by_batch(db: Session, clock: Clock) -> None:
    network = crowded(db, clock, Limits(batch=2))
    posted = network.publish("ann", "c")
    for reached in ("w", "y"):
        assert network.feeds.write_ahead(1) == 1
        assert [job.reached for job in db.scan_for_maintenance(FanOut)] == [reached]
    assert not network.feeds.written("z").items
    assert network.feeds.write_ahead() == 1
    assert network.feeds.write_ahead() == 0
    assert all(network.feeds.written(name) == Page((posted,), None) for name in "vwxyz")
    entries = list(db.scan_for_maintenance(FeedEntry))
    assert (len(entries), {e.drops_out_at for e in entries}) == (5, {posted.posted_at + KEPT})


def test_a_batch_of_writes_is_25_feeds_a_request(db: Session, clock: Clock) -> None:
    network = Network(db, clock=clock)
    for name in ["ann", *(f"fan {n:2}" for n in range(30))]:
        network.join(name)
        if name != "ann":
            network.follow(name, "ann")
    network.publish("ann", "c")
    with db.measure() as meter:
        assert network.feeds.write_ahead() == 1
    assert [(r.operation, r.index) for r in meter.requests if r.pattern != "on_its_way"] == [
        ("Query", "GSI1"),
        ("BatchWriteItem", None),
        ("BatchWriteItem", None),
        ("DeleteItem", None),
    ]
    assert meter.capacity.write == 31


def test_work_that_broke_down_is_gone_on_with(clock: Clock) -> None:
    impatient = RetryPolicy(max_retries=0)
    with open_engine("memory:") as engine, social.open(engine, create=True, retry=impatient) as db:
        network = crowded(db, clock, Limits(batch=2))
        posts = [network.publish("ann", f"{n}") for n in range(2)]
        breakdowns = 0
        with engine.faults.inject(Throttle(share=0.2, seed=1)):
            while breakdowns < 50:
                try:
                    network.feeds.write_ahead()
                    break
                except (Throttled, UnprocessedError):
                    breakdowns += 1
        assert 2 < breakdowns < 50
        assert not list(db.scan_for_maintenance(FanOut))
        assert all(list(network.feeds.written(name)) == posts[::-1] for name in "vwxyz")


def test_two_workers_do_no_harm(db: Session, clock: Clock) -> None:
    network = crowded(db, clock, Limits(batch=2))
    posted = network.publish("ann", "c")
    (job,) = db.scan_for_maintenance(FanOut)
    network.feeds.write_ahead()
    assert network.feeds._passed_on(job) is None  # one that saw the job before it was finished
    assert not list(db.scan_for_maintenance(FanOut))
    assert all(list(network.feeds.written(name)) == [posted] for name in "vwxyz")


def test_a_celebrity_is_asked_when_the_feed_is_read(db: Session, clock: Clock) -> None:
    network = crowded(db, clock, Limits(celebrity=5))
    before = network.publish("ann", "before")
    network.feeds.write_ahead()
    assert not network.member("ann").celebrity
    network.follow("bob", "ann")
    rise = network.publish("ann", "the sixth follower")
    assert network.member("ann").celebrity
    network.feeds.write_ahead()
    after = network.publish("ann", "after")
    assert not list(db.scan_for_maintenance(FanOut))
    assert len(list(db.scan_for_maintenance(CelebrityFollow))) == 6
    assert len(list(db.scan_for_maintenance(FeedEntry))) == 6  # of the first post, which is shown once
    for name in ("bob", *"vwxyz"):
        assert list(network.feeds.written(name)) == [after, rise, before]
    network.join("new")
    network.follow("new", "ann")
    network.unfollow("bob", "ann")
    assert list(network.feeds.written("new")) == [after, rise, before]
    assert list(network.feeds.written("bob")) == []


def test_somebody_follows_while_the_author_becomes_a_celebrity(
    db: Session, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = crowded(db, clock)
    network.follow("bob", "v")
    as_it_was = network.member("ann")
    network.publish("ann", "a post that makes famous")
    network.feeds.write_ahead()
    member, seen = network.member, iter([as_it_was])
    monkeypatch.setattr(network, "member", lambda name: next(seen, None) or member(name))
    assert network.follow("bob", "ann")
    assert [f.author for f in db.scan_for_maintenance(CelebrityFollow) if f.reader == "bob"] == ["ann"]
    assert len(network.feeds.written("bob")) == 1


def test_following_again_mends_what_was_interrupted(network: Network, db: Session) -> None:
    network.follow("ann", "bob")
    posted = network.publish("bob", "c")
    network.feeds.write_ahead()
    for entry in db.scan_for_maintenance(FeedEntry):
        db.delete(entry)
    assert not network.feeds.written("ann").items
    assert not network.follow("ann", "bob")
    assert network.feeds.written("ann").items == (posted,)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_without_room_is_refused(network: Network, limit: int) -> None:
    network.follow("ann", "bob")
    network.publish("bob", "c")
    network.feeds.write_ahead()
    for way in (network.feed, network.feeds.merged, network.feeds.written):
        with pytest.raises(ValueError, match="at least one post"):
            way("ann", None, limit)


# ------------------------------------------------------------------------------------------------- both are the same

NAMES = ["ann", "ann#", "a%", "bo$b", "b"]
names = st.sampled_from(NAMES)
steps = st.one_of(
    st.tuples(st.just("follow"), names, names),
    st.tuples(st.just("follow"), names, names),
    st.tuples(st.just("unfollow"), names, names),
    st.tuples(st.just("publish"), names, st.sampled_from(["p", "p#", "%", "😀"])),
    st.tuples(st.just("publish"), names, st.sampled_from(["p", "p#", "%", "😀"])),
    st.tuples(st.just("remove"), names, st.integers(0, 9)),
    st.tuples(st.just("pass"), st.sampled_from([1, 60, 86_400 * 20])),
    st.tuples(st.just("write"), st.integers(1, 3)),
)


class Plain:
    """What feeds should be, told from lists."""

    def __init__(self) -> None:
        self.follows: set[tuple[str, str]] = set()
        self.posts: list[Post] = []

    def feed(self, reader: str, since: datetime) -> list[Post]:
        found = [p for p in self.posts if (reader, p.username) in self.follows and p.posted_at >= since]
        return sorted(found, key=lambda p: (p.posted_at, p.post_id), reverse=True)


class Moment:
    """Time that passes only when it is told to, so that posts share their moments."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


class Ids:
    """Ids that begin as a test likes."""

    def __init__(self) -> None:
        self.prefix = ""
        self.numbers = count()

    def __call__(self) -> str:
        return f"{self.prefix}{next(self.numbers)}"


def act(network: Network, plain: Plain, moment: Moment, ids: "Ids", step: tuple[object, ...]) -> None:
    match step:
        case ("follow", str(a), str(b)) if a != b:
            assert network.follow(a, b) == ((a, b) not in plain.follows)
            plain.follows.add((a, b))
        case ("unfollow", str(a), str(b)):
            assert network.unfollow(a, b) == ((a, b) in plain.follows)
            plain.follows.discard((a, b))
        case ("publish", str(author), str(prefix)):
            ids.prefix = prefix
            plain.posts.append(network.publish(author, "c"))
        case ("remove", str(author), int(number)):
            if own := [p for p in plain.posts if p.username == author][number : number + 1]:
                network.remove_post(author, own[0].post_id)
                plain.posts.remove(own[0])
        case ("pass", int(seconds)):
            moment.now += timedelta(seconds=seconds)
        case ("write", int(batches)):
            network.feeds.write_ahead(batches)


@settings(max_examples=settings().max_examples * 3 // 5)
@given(st.lists(steps, min_size=5, max_size=40), st.integers(1, 4))
def test_both_ways_show_what_a_plain_search_finds(story: list[tuple[object, ...]], limit: int) -> None:
    moment, plain, ids = Moment(), Plain(), Ids()
    with social.open("memory:") as db:
        network = Network(db, clock=moment, limits=SMALL, ids=ids)
        for name in NAMES:
            network.join(name)
        for step in story:
            act(network, plain, moment, ids, step)
        since = moment.now - KEPT
        for name in NAMES:
            expected = plain.feed(name, since)
            assert walked(network.feeds.merged, name, limit) == expected
            on_the_way = iter(expected)
            assert all(p in on_the_way for p in walked(network.feeds.written, name, limit))  # some of it, in order
        network.feeds.write_ahead()
        for name in NAMES:
            expected = plain.feed(name, since)
            assert walked(network.feeds.written, name, limit) == expected
            assert walked(network.feed, name, limit) == expected
            assert network.member(name).follows == sum(a == name for a, _ in plain.follows)
            assert network.follower_count(name) == sum(b == name for _, b in plain.follows)
