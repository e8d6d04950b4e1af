"""The seed data has everything the network can do, and can be written again and again."""

from examples.social.model import (
    CelebrityFollow,
    FanOut,
    FeedEntry,
    Follow,
    LikeCount,
    celebrities_of,
    reactions_to,
    social,
)
from examples.social.seed import FOLLOWS, network_of, seed
from tablewright import Session

SEEDED = 62


def everything(db: Session) -> list[str]:
    kinds = list(social.entities.values())
    return sorted(map(repr, db.scan_for_maintenance(kinds)))


def test_seeding_again_changes_nothing(db: Session) -> None:
    assert seed(db) == SEEDED
    before = everything(db)
    assert seed(db) == SEEDED
    assert everything(db) == before


def test_seeding_again_restores_what_was_taken_back_and_keeps_numbers_right(db: Session) -> None:
    seed(db)
    network = network_of(db)
    network.unfollow("alma", "bela")
    network.unlike("p00", "dora")
    network.like("p00", "egon")
    seed(db)
    assert network.member("alma").follows == 3
    assert network.follower_count("bela") == 3
    assert [like.username for like in network.liked_by("p00")] == ["dora", "egon"]
    assert network.like_count("p00") == 2


def test_seeding_again_restores_a_post_that_was_removed_or_half_removed(db: Session) -> None:
    seed(db)
    before = everything(db)
    network = network_of(db)
    network.remove_post("alma", "p00")
    half = network.post("p01")
    db.update(half, set={"going": True})
    db.delete_collection(reactions_to("p01"))
    seed(db)
    assert everything(db) == before


def test_it_has_all_there_is(db: Session) -> None:
    seed(db)
    network = network_of(db)
    assert [c.author for c in db.run(celebrities_of, "fina")] == ["egon"]
    assert len(list(db.scan_for_maintenance(Follow))) == len(FOLLOWS)
    assert len(list(db.scan_for_maintenance(CelebrityFollow))) == network.follower_count("egon") == 5
    assert list(db.scan_for_maintenance(FeedEntry))
    assert not list(db.scan_for_maintenance(FanOut))
    assert sum(shard.likes for shard in db.scan_for_maintenance(LikeCount)) > 0
    for name in ("alma", "fina"):
        assert network.feeds.merged(name) == network.feeds.written(name) == network.feed(name)
        assert len(network.feed(name)) > 5
