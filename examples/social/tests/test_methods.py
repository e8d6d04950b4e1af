"""What each method takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable

import pytest

from examples.places import CURSOR_KEYS
from examples.social.model import Profile, social
from examples.social.seed import network_of, seed
from examples.social.store import Network
from examples.trial import methods_of, taken

METHODS: dict[str, tuple[Callable[[Network], object], str]] = {
    "comment": (lambda s: s.comment("p00", "dora", "Yes."), "Query/GSI1 0.5, TransactWriteItems 6"),
    "comments": (lambda s: s.comments("p00"), "Query 0.5"),
    "describe": (lambda s: s.describe("alma", Profile(bio="Paints.")), "UpdateItem 1"),
    "feed": (lambda s: s.feed("alma"), "GetItem 0.5, Query 0.5, Query 0.5, Query 0.5, Query 0.5"),
    "feed-written": (lambda s: s.feed("fina"), "GetItem 0.5, Query 0.5, Query 0.5, Query 0.5, BatchGetItem 7.5"),
    "follow": (
        lambda s: s.follow("dora", "alma"),
        "GetItem 0.5, GetItem 1, TransactWriteItems 9, Query 0.5, BatchWriteItem 3",
    ),
    "follower_count": (lambda s: s.follower_count("egon"), "BatchGetItem 8"),
    "followers": (lambda s: s.followers("alma"), "Query/GSI1 0.5"),
    "following": (lambda s: s.following("fina"), "Query 0.5"),
    "join": (lambda s: s.join("gus"), "PutItem 1"),
    "like": (lambda s: s.like("p00", "egon"), "Query/GSI1 0.5, GetItem 1, TransactWriteItems 8"),
    "like_count": (lambda s: s.like_count("p00"), "BatchGetItem 8"),
    "liked_by": (lambda s: s.liked_by("p00"), "Query 0.5"),
    "likes": (lambda s: s.likes("p00", "bela"), "GetItem 0.5"),
    "member": (lambda s: s.member("alma"), "GetItem 0.5"),
    "post": (lambda s: s.post("p00"), "Query/GSI1 0.5"),
    "publish": (lambda s: s.publish("dora", "Again."), "GetItem 0.5, BatchGetItem 8, TransactWriteItems 5"),
    "reactions": (lambda s: s.reactions("p00"), "Query 0.5"),
    "remove_post": (
        lambda s: s.remove_post("dora", "p09"),
        "Query/GSI1 0.5, UpdateItem 2, Query 0.5, BatchWriteItem 2, BatchWriteItem 8, DeleteItem 2",
    ),
    "timeline": (lambda s: s.timeline("cato"), "Query 0.5"),
    "unfollow": (lambda s: s.unfollow("dora", "egon"), "GetItem 1, TransactWriteItems 9"),
    "unlike": (lambda s: s.unlike("p00", "dora"), "GetItem 1, TransactWriteItems 4"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(name: str) -> None:
    call, expected = METHODS[name]
    with social.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        seed(db)
        store = network_of(db)
        assert taken(db, lambda: call(store)) == expected


def test_every_method_is_measured() -> None:
    assert {name.split("-")[0] for name in METHODS} == methods_of(Network)
