"""A few weeks of a blog. `python -m examples.blog.seed blog.db` writes it; running it again restores it."""

import argparse
from datetime import UTC, datetime

from tablewright import Session

from .model import Post, User, blog

_USERS = [
    ("mara", "Mara@example.com", "Mara Lindqvist"),
    ("jon", "jon@example.org", "Jon Adeyemi"),
    ("iris", "iris@example.net", "Iris Blum"),
]
_POSTS = [
    ("p01", "mara", "2026-04-02T07:30", "Why I bake at night", "The oven is free, and so am I."),
    ("p02", "jon", "2026-04-05T18:00", "A bicycle from parts", "It began with a frame that nobody wanted."),
    ("p03", "mara", "2026-04-09T22:15", "Rye, water, salt", "Three things, and four days."),
    ("p04", "mara", "2026-04-20T06:45", "The crust", "Steam for ten minutes, then patience."),
    ("p05", "jon", "2026-05-01T09:20", "Two hundred kilometres", "The last twenty were the long ones."),
    ("p06", "mara", "2026-05-11T21:05", "Feeding a starter", "Twice a day, like everybody else here."),
]


def users() -> list[User]:
    """Three users; Iris only reads."""
    return [User(username=u, email=e, name=n) for u, e, n in _USERS]


def posts() -> list[Post]:
    """Six posts, in the order of time."""
    return [
        Post(post_id=p, username=u, posted_at=datetime.fromisoformat(t).replace(tzinfo=UTC), title=title, content=text)
        for p, u, t, title, text in _POSTS
    ]


def seed(db: Session) -> int:
    """Writes everything, over what was there under the same keys; returns how many entities that are."""
    everything = [*users(), *posts()]
    with db.batch(transactional=True) as batch:  # unique email addresses need conditions
        for entity in everything:
            batch.put(entity)
    return len(everything)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m examples.blog.seed")
    parser.add_argument("file", help="where the table is, or will be")
    with blog.open(parser.parse_args().file) as opened:
        print(f"{seed(opened)} entities written.")
