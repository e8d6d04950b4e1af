"""The service in its own words: people, their organizations, and the way into one. Nothing above this file knows that there
is a table; what happens inside an organization is in office.py."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tablewright import Session, exists, key, ulid
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, NotFoundError

from .model import (
    Invitation,
    Membership,
    Organization,
    Role,
    Subscription,
    User,
    admin_comes,
    invitations_for,
    membership,
    organization,
    organizations_of,
    user,
    user_by_email,
)
from .office import AlreadyMember, NotAMember, Office

TRIAL = timedelta(days=30)


class UnknownPerson(LookupError):
    """Nobody has this user name."""


class NoInvitation(LookupError):
    """There is no such invitation: it never was, it has lapsed, or it was withdrawn or accepted."""


@dataclass(frozen=True)
class Choice:
    """An organization that somebody can enter, and as what."""

    organization: Organization
    role: Role


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Service:
    """Everything that is done outside of organizations, on an open session."""

    def __init__(self, db: Session, *, clock: Callable[[], datetime] = _utc_now) -> None:
        self._db = db
        self._clock = clock

    # ------------------------------------------------------------------------------------------------- people

    def sign_up(self, username: str, email: str, name: str) -> User:
        """A new person. Fails if the user name or the address is taken."""
        return self._db.create(User(username=username, email=email, name=name))

    def sign_in(self, email: str) -> User | None:
        """The person with this address, however it is typed; never somebody who is only invited."""
        return self._db.run(user_by_email, email)

    def person(self, username: str) -> User:
        """A person by user name."""
        found = self._db.run(user, username)
        if found is None:
            raise UnknownPerson(username)
        return found

    def change_email(self, username: str, email: str) -> User:
        """Moves a person to another address, which must be free; the old one is free at once. Invitations stay with addresses."""
        try:
            return self._db.update(user(username), set={"email": email})
        except NotFoundError:
            raise UnknownPerson(username) from None

    # ------------------------------------------------------------------------------------------ organizations

    def found(self, username: str, name: str, *, org_id: str | None = None) -> Organization:
        """A new organization on trial, with its first admin."""
        new = Organization(org_id=org_id or ulid(), name=name)
        trial = Subscription(org_id=new.org_id, subscription_id=ulid(), plan="team", expires_at=self._clock() + TRIAL)
        try:
            with self._db.transaction() as tx:
                tx.create(new)
                tx.create(trial)
                tx.link(Membership(org_id=new.org_id, username=username, role="Admin"))
        except NotFoundError:
            raise UnknownPerson(username) from None
        return new

    def organizations(self, username: str) -> list[Choice]:
        """What a person can switch between."""
        theirs = self._db.run(organizations_of, username).all()
        found = self._db.get_many([key(Organization, org_id=m.org_id) for m in theirs])
        return [Choice(org, m.role) for m, org in zip(theirs, found, strict=True) if org is not None]

    def enter(self, username: str, org_id: str) -> Office:
        """The organization as this person may see it, for the length of a request."""
        if self._db.get(membership(org_id, username), consistent=True) is None:
            raise NotAMember(username)
        return Office(self._db, org_id, username, clock=self._clock)

    # -------------------------------------------------------------------------------------------- invitations

    def invitations(self, username: str) -> list[Invitation]:
        """What a person may accept."""
        return self._db.run(invitations_for, self.person(username).email, self._clock()).all()

    def accept(self, username: str, org_id: str) -> Membership:
        """Turns an invitation into a membership: both at once, while it holds, and while its address is the person's."""
        address = self.person(username).email
        invited = self._db.get(key(Invitation, org_id=org_id, email=address), consistent=True)
        if invited is None:
            raise NoInvitation(org_id)
        new = Membership(org_id=org_id, username=username, role=invited.role)
        try:
            with self._db.transaction() as tx:
                tx.create(new)
                tx.delete(invited, when=[Invitation.lapses_at > self._clock(), Invitation.role == invited.role])
                tx.check(user(username), User.email == address)
                if new.role == "Admin":
                    tx.apply(admin_comes, organization(org_id))
        except AlreadyExistsError:
            raise AlreadyMember(username) from None
        except ConditionalCheckError:
            raise NoInvitation(org_id) from None
        return new

    def decline(self, username: str, org_id: str) -> None:
        """Throws an invitation away."""
        invited = key(Invitation, org_id=org_id, email=self.person(username).email)
        try:
            self._db.delete(invited, when=exists(Invitation.email))
        except NotFoundError:
            raise NoInvitation(org_id) from None
