"""The network's own words do what they say: members, posts, comments, likes and who follows whom, with numbers that stay right."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from examples.social.model import Comment, FanOut, Follow, Like, LikeCount, Post, Profile, Reactions, User, social
from examples.social.store import Network, NotTheAuthor, UnknownMember, UnknownPost
from examples.social.tests.conftest import Clock
from tablewright import Entity, Session
from tablewright.engine import Engine, open_engine
from tablewright.errors import AlreadyExistsError, CursorError


def stored(db: Session, kind: type[Entity]) -> int:
    return len(list(db.scan_for_maintenance(kind)))


def sent(db: Session, call: Callable[[], object]) -> list[tuple[str, str | None]]:
    with db.measure() as meter:
        call()
    return [(request.operation, request.index) for request in meter.requests]


def test_a_member_joins_once_and_is_described(network: Network) -> None:
    with pytest.raises(AlreadyExistsError):
        network.join("ann", Profile(bio="another Ann"))
    assert network.member("ann") == User(username="ann")
    network.describe("ann", Profile(bio="Paints."))
    assert network.member("ann").profile == Profile(bio="Paints.")
    with pytest.raises(UnknownMember, match="eve"):
        network.member("eve")
    with pytest.raises(UnknownMember, match="eve"):
        network.describe("eve", Profile())


def test_a_timeline_is_paged_newest_first(network: Network, db: Session) -> None:
    posts = [network.publish("ann", f"number {n}") for n in range(25)]
    network.publish("bob", "of somebody else")
    first = network.timeline("ann")
    second = network.timeline("ann", first.cursor)
    assert [*first, *second] == posts[::-1]
    assert (len(first), second.cursor) == (20, None)
    assert sent(db, lambda: network.timeline("ann")) == [("Query", None)]
    with pytest.raises(CursorError):
        network.timeline("bob", first.cursor)


def test_a_post_is_found_by_its_id(network: Network, db: Session) -> None:
    posted = network.publish("ann", "hello")
    assert network.post(posted.post_id) == posted
    assert sent(db, lambda: network.post(posted.post_id)) == [("Query", "GSI1")]
    with pytest.raises(UnknownPost):
        network.post("nothing")
    with pytest.raises(UnknownMember):
        network.publish("eve", "hello")
    assert (stored(db, Post), stored(db, FanOut)) == (1, 1)


def test_comments_come_oldest_first(network: Network, db: Session) -> None:
    posted = network.publish("ann", "hello")
    said = [network.comment(posted.post_id, name, "well") for name in ("bob", "ann", "bob")]
    assert list(network.comments(posted.post_id)) == said
    assert sent(db, lambda: network.comments(posted.post_id)) == [("Query", None)]
    with pytest.raises(UnknownPost):
        network.comment("nothing", "bob", "well")
    with pytest.raises(UnknownMember):
        network.comment(posted.post_id, "eve", "well")
    assert stored(db, Comment) == 3


def test_a_post_is_liked_once_by_each(network: Network, db: Session) -> None:
    posted = network.publish("ann", "hello").post_id
    assert [network.like(posted, name) for name in ("bob", "cleo", "bob")] == [True, True, False]
    assert [network.likes(posted, name) for name in ("bob", "dan")] == [True, False]
    assert [like.username for like in network.liked_by(posted)] == ["bob", "cleo"]
    assert network.like_count(posted) == 2
    assert [network.unlike(posted, name) for name in ("bob", "bob", "dan")] == [True, False, False]
    assert network.like_count(posted) == 1
    assert sent(db, lambda: network.like_count(posted)) == [("BatchGetItem", None)]
    assert sent(db, lambda: network.likes(posted, "cleo")) == [("GetItem", None)]
    assert [o for o, _ in sent(db, lambda: network.like(posted, "dan"))][-1] == "TransactWriteItems"
    for wrong, name in (("nothing", "bob"), (posted, "eve")):
        with pytest.raises(LookupError):
            network.like(wrong, name)


def test_everybody_at_once_likes_and_changes_their_mind(network: Network, db: Session) -> None:
    posted = network.publish("ann", "hello").post_id
    names = [f"fan {n}" for n in range(12)]
    for name in names:
        network.join(name)

    def waver(name: str) -> list[bool]:
        return [network.like(posted, name), network.unlike(posted, name), network.like(posted, name)]

    with ThreadPoolExecutor(4) as threads:
        again = threads.map(network.like, [posted] * 12, names)
        wavered = threads.map(waver, names)
        total = sum(again) + sum(a - b + c for a, b, c in wavered)
    assert total == network.like_count(posted) == stored(db, Like)
    assert all(shard.likes >= 0 for shard in db.scan_for_maintenance(LikeCount))


def test_following_is_seen_from_both_ends(network: Network, db: Session) -> None:
    assert [network.follow(a, b) for a, b in (("ann", "bob"), ("ann", "cleo"), ("dan", "bob"), ("ann", "bob"))] == [
        True,
        True,
        True,
        False,
    ]
    assert [f.following for f in network.following("ann")] == ["bob", "cleo"]
    assert [f.follower for f in network.followers("bob")] == ["ann", "dan"]
    assert (network.member("ann").follows, network.follower_count("bob")) == (2, 2)
    assert [network.unfollow("ann", "bob"), network.unfollow("ann", "bob")] == [True, False]
    assert (network.member("ann").follows, network.follower_count("bob")) == (1, 1)
    assert [f.follower for f in network.followers("bob")] == ["dan"]
    assert sent(db, lambda: network.following("ann")) == [("Query", None)]
    assert sent(db, lambda: network.followers("bob")) == [("Query", "GSI1")]


def test_who_cannot_follow(network: Network, db: Session) -> None:
    with pytest.raises(ValueError, match="themselves"):
        network.follow("ann", "ann")
    for pair in (("eve", "ann"), ("ann", "eve")):
        with pytest.raises(UnknownMember, match="eve"):
            network.follow(*pair)
    assert stored(db, Follow) == network.follower_count("ann") == 0


def test_followers_who_come_and_go_at_once_are_counted(network: Network, db: Session) -> None:
    names = [f"fan {n}" for n in range(10)]
    for name in names:
        network.join(name)

    def waver(name: str) -> None:
        network.follow(name, "ann")
        network.unfollow(name, "ann")
        network.follow(name, "ann")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(waver, names * 2))
    assert network.follower_count("ann") == stored(db, Follow) == sum(network.member(name).follows for name in names)


def test_a_post_is_removed_by_its_author_with_all_that_was_said(network: Network, db: Session) -> None:
    gone, stays = (network.publish("ann", text).post_id for text in ("gone", "stays"))
    for posted in (gone, stays):
        network.comment(posted, "bob", "well")
        network.like(posted, "bob")
    with pytest.raises(NotTheAuthor):
        network.remove_post("bob", gone)
    network.remove_post("ann", gone)
    assert [p.post_id for p in network.timeline("ann")] == [stays]
    assert network.reactions(gone) == Reactions([], [])
    assert (stored(db, Comment), stored(db, Like), stored(db, LikeCount)) == (1, 1, 1)
    with pytest.raises(UnknownPost):
        network.remove_post("ann", gone)


@pytest.mark.parametrize("react", ["comment", "like"])
@pytest.mark.parametrize("interrupted", [False, True], ids=["removed", "being-removed"])
def test_nothing_is_said_of_a_post_that_goes_meanwhile(
    network: Network, db: Session, clock: Clock, react: str, interrupted: bool
) -> None:
    posted = network.publish("ann", "hello").post_id

    class Late(Network):
        def post(self, post_id: str) -> Post:
            found = super().post(post_id)
            if interrupted:
                db.update(found, set={"going": True})
            else:
                network.remove_post("ann", post_id)
            return found

    late = Late(db, clock=clock)
    with pytest.raises(UnknownPost):
        late.comment(posted, "bob", "late") if react == "comment" else late.like(posted, "bob")
    if interrupted:
        network.remove_post("ann", posted)
    assert [stored(db, kind) for kind in (Post, Comment, Like, LikeCount)] == [0, 0, 0, 0]


class Killed(BaseException):
    """What a process dies of."""


class Mortal:
    """A way to a table on which something happens before one request, and on which a process dies before a later one."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sent = 0
        self.meddles: tuple[int, Callable[[], object]] | None = None
        self.dies: int | None = None

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent += 1
        if self.meddles is not None and self.sent == self.meddles[0]:
            self.meddles[1]()
        if self.sent == self.dies:
            raise Killed
        return self.engine.execute(operation, request)

    def close(self) -> None:
        """The engine stays."""


def test_a_removal_that_dies_while_others_like_and_unlike_leaves_no_number_below_nothing(clock: Clock) -> None:
    died = 0
    for meddles in range(1, 7):
        for dies in range(meddles, 8):
            with open_engine("memory:") as engine, social.open(engine) as db:
                network, way = Network(db, clock=clock), Mortal(engine)
                for name in ("ann", "bob", "cleo"):
                    network.join(name)
                posted = network.publish("ann", "hello").post_id
                network.like(posted, "cleo")

                def others(network: Network = network, posted: str = posted) -> None:
                    network.unlike(posted, "cleo")
                    with suppress(UnknownPost):
                        network.like(posted, "bob")

                way.meddles, way.dies = (meddles, others), dies
                with social.open(way, create=False) as mortal:
                    way.sent = 0
                    try:
                        Network(mortal, clock=clock).remove_post("ann", posted)
                    except Killed:
                        died += 1
                        network.unlike(posted, "bob")
                        assert all(part.likes >= 0 for part in db.scan_for_maintenance(LikeCount)), (meddles, dies)
                        network.remove_post("ann", posted)
                assert [stored(db, kind) for kind in (Post, Comment, Like, LikeCount)] == [0, 0, 0, 0], (meddles, dies)
    assert died > 10


def test_nobody_chooses_the_id_of_a_post(network: Network) -> None:
    taken = network.publish("ann", "hello")
    with pytest.raises(TypeError, match="post_id"):
        network.publish("bob", "mine now", post_id=taken.post_id)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert len({network.publish(name, "hello").post_id for name in ("ann", "bob", "ann")} | {taken.post_id}) == 4
    assert network.post(taken.post_id) == taken


def test_a_post_that_the_index_still_has_is_not_removed_twice(network: Network, db: Session, clock: Clock) -> None:
    found = network.publish("ann", "hello")
    network.remove_post("ann", found.post_id)

    class Lagging(Network):
        def post(self, post_id: str) -> Post:
            return found

    with pytest.raises(UnknownPost):
        Lagging(db, clock=clock).remove_post("ann", found.post_id)
    assert stored(db, Post) == 0


def test_reactions_are_one_request(network: Network, db: Session) -> None:
    posted = network.publish("ann", "hello").post_id
    said = network.comment(posted, "bob", "well")
    network.like(posted, "cleo")
    assert network.reactions(posted) == Reactions([said], [Like(post_id=posted, username="cleo")])
    assert sent(db, lambda: network.reactions(posted)) == [("Query", None)]
