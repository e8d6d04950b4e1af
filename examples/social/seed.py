"""Seed data: six people, a fortnight of posts, and what others think of them. It can be written again and again.

Everything is done in the network's own words, so that the numbers of likes and followers are right. What is there already
stays; what was taken back is done again.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count

from tablewright import Session, ulid
from tablewright.errors import AlreadyExistsError

from .feeds import Limits
from .model import Profile, social
from .store import Network, UnknownPost

START = datetime(2099, 5, 1, 8, tzinfo=UTC)
"""Far enough ahead that no feed expires while somebody tries it."""
END = START + timedelta(days=14)

BIOS = {
    "alma": "Paints boats.",
    "bela": "Bakes, mostly bread.",
    "cato": "Walks, and writes about it.",
    "dora": "Repairs radios.",
    "egon": "Everybody reads Egon.",
    "fina": "Only reads.",
}
FOLLOWS = [
    *(("alma", name) for name in ("bela", "cato", "egon")),
    *(("bela", name) for name in ("alma", "egon")),
    *(("cato", name) for name in ("alma", "bela", "dora", "egon")),
    ("dora", "egon"),
    *(("fina", name) for name in ("alma", "bela", "cato", "dora", "egon")),
]
TEXTS = {
    "alma": ["Blue, again.", "The old ferry has a new name.", "Varnish dries slowly in May."],
    "bela": ["Rye, 24 hours.", "The oven is repaired."],
    "cato": ["From Lom to Vang in two days.", "Rain.", "More rain.", "Sun, and 30 km."],
    "dora": ["It was the capacitor. It always is."],
    "egon": ["Good morning.", "Good night."],
}
LIMITS = Limits(merged=4, celebrity=4, batch=100)
"""Small, so that six people have all there is: Egon is a celebrity, and Fina follows more than are merged."""


def network_of(db: Session, ids: Callable[[], str] = ulid) -> Network:
    """The network on the evening of the last day."""
    return Network(db, clock=lambda: END, limits=LIMITS, ids=ids)


def seed(db: Session) -> int:
    """Writes everything; returns how many people, links, posts, comments and likes that are."""
    posts = [(name, text) for name, texts in TEXTS.items() for text in texts]
    post_ids = [f"p{number:02}" for number in range(len(posts))]
    network = network_of(db, ids=iter(post_ids).__next__)
    for name, bio in BIOS.items():
        with suppress(AlreadyExistsError):
            network.join(name, Profile(bio=bio))
    for follower, following in FOLLOWS:
        network.follow(follower, following)
    for number, ((name, text), post_id) in enumerate(zip(posts, post_ids, strict=True)):
        with suppress(UnknownPost):
            if network.post(post_id).going:  # somebody was interrupted who removed it
                network.remove_post(name, post_id)
        with suppress(AlreadyExistsError):
            network.publish(name, text, at=START + timedelta(hours=29 * number))
    network.feeds.write_ahead()
    return len(BIOS) + len(FOLLOWS) + len(posts) + _react(network, [name for name, _ in posts])


def _react(network: Network, authors: list[str]) -> int:
    """Everybody likes and comments some posts, never their own."""
    reactions = 0
    numbers = count()
    for number, author in enumerate(authors):
        for name in BIOS:
            turn = next(numbers)
            if name != author and turn % 3 == 0:
                network.like(f"p{number:02}", name)
                reactions += 1
            if name != author and turn % 7 == 0:
                with suppress(AlreadyExistsError):
                    network.comment(f"p{number:02}", name, "I see.", comment_id=f"c{turn:03}")
                reactions += 1
    return reactions


if __name__ == "__main__":
    from examples.seeding import main  # here: whoever imports this file may not have the other examples

    main("social", social.open, seed)
