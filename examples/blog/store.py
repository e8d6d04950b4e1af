"""The blog in its own words: what its pages call. Nothing above this file knows that there is a table."""

from datetime import UTC, datetime

from tablewright import Page, Session, ulid

from .model import Post, User, post, posts_by, user, user_by_email


class Blog:
    """Everything the application does, on an open session."""

    def __init__(self, db: Session) -> None:
        self._db = db

    # -------------------------------------------------------------------------------------------------- users

    def sign_up(self, username: str, email: str, name: str) -> User:
        """A new user. Fails if the user name or the email address is taken."""
        return self._db.create(User(username=username, email=email, name=name))

    def user(self, username: str) -> User | None:
        """A user by name."""
        return self._db.run(user, username)

    def sign_in(self, email: str) -> User | None:
        """The user with this email address, however it is typed."""
        return self._db.run(user_by_email, email)

    def change_email(self, username: str, email: str) -> User:
        """Moves a user to another address; the old one is free at once."""
        return self._db.update(user(username), set={"email": email})

    def leave(self, username: str) -> int:
        """Forgets a user with all posts and frees the email address; how many items that were. Can be repeated."""
        return self._db.delete_collection(user(username), reach="partition").items

    # -------------------------------------------------------------------------------------------------- posts

    def write(self, username: str, title: str, content: str, *, at: datetime | None = None) -> Post:
        """A new post, only if its author still exists when it is written."""
        written = Post(
            username=username, post_id=ulid(), posted_at=at or datetime.now(UTC), title=title, content=content
        )
        with self._db.transaction() as tx:
            tx.check(user(username))
            tx.create(written)
        return written

    def post(self, post_id: str) -> Post | None:
        """A post by its number."""
        return self._db.run(post, post_id)

    def posts_by(self, username: str, *, since: datetime | None = None, cursor: str | None = None) -> Page[Post]:
        """What somebody wrote, newest first, twenty a page."""
        return self._db.run(posts_by, username, since).page(cursor=cursor)

    def correct(self, post_id: str, *, title: str | None = None, content: str | None = None) -> Post:
        """Another title or text for a post, which keeps its place among the others."""
        given = {"title": title, "content": content}
        return self._db.update(post(post_id), set={name: text for name, text in given.items() if text is not None})

    def withdraw(self, post_id: str) -> None:
        """Takes a post away. NotFoundError if there is none."""
        self._db.delete(post(post_id), returns="none")
