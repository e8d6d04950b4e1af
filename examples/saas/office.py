"""One organization as one of its members sees it: its people, teams, invitations and subscription.

An office is made by entering it, and knows which organization it is in; nothing that is called here names another one. Whether
its member is an admin is asked of the table with each write, in the same transaction."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from tablewright import Page, Session, Transaction, exists, key, ulid
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, ContentionError, NotFoundError

from .model import (
    Account,
    Invitation,
    Membership,
    Organization,
    Plan,
    Role,
    Team,
    TeamMembership,
    account,
    admin_comes,
    admin_goes,
    cancel,
    change_role,
    choose_plan,
    invitations_of,
    members_of,
    membership,
    organization,
    subscription,
    team_members,
    teams_of,
    teams_of_user,
    user_by_email,
)

INVITED = timedelta(days=14)
"""How long an invitation holds."""
ATTEMPTS = 10


class NotAMember(LookupError):
    """The person does not belong to the organization."""


class NotInTeam(NotAMember):
    """The person is not in the team."""


class AlreadyMember(ValueError):
    """The person belongs to the organization, or to the team, already."""


class NotAllowed(PermissionError):
    """Only admins of the organization may do this."""


class LastAdmin(ValueError):
    """An organization keeps one admin: make somebody else one first."""


class UnknownTeam(LookupError):
    """The organization has no such team."""


class Cancelled(ValueError):
    """The subscription was cancelled, and no plan can be chosen any more."""


class Office:
    """What a member does in an organization."""

    def __init__(self, db: Session, org_id: str, username: str, *, clock: Callable[[], datetime]) -> None:
        self.org_id = org_id
        self.username = username
        self._db = db
        self._clock = clock

    # ----------------------------------------------------------------------------------- the organization itself

    def organization(self) -> Organization:
        """The organization."""
        found = self._db.run(organization, self.org_id)
        assert found is not None, "organizations stay"
        return found

    def account(self) -> Account:
        """The organization and what it pays for, in one request."""
        return self._db.run(account, self.org_id)

    def plan(self) -> Plan:
        """The plan that holds now: what has expired is the free one."""
        found = self._db.run(subscription, self.org_id)
        return found.plan if found is not None and found.expires_at > self._clock() else "free"

    def choose_plan(self, plan: Plan, until: datetime) -> None:
        """Pays for a plan. For admins."""
        with self._writing() as tx:
            tx.apply(choose_plan, subscription(self.org_id), plan=plan, until=until)

    def cancel(self) -> None:
        """Stops paying; the plan holds until it expires. For admins."""
        with self._writing() as tx:
            tx.apply(cancel, subscription(self.org_id))

    # ------------------------------------------------------------------------------------------------- people

    def people(self, cursor: str | None = None) -> Page[Membership]:
        """Who belongs to the organization, fifty a page."""
        return self._db.run(members_of, self.org_id).page(cursor=cursor)

    def set_role(self, username: str, role: Role) -> None:
        """Makes somebody an admin, or a member like others; not the last admin. For admins."""

        def attempt() -> None:
            then = self._membership(username)
            if username == self.username and then.role != "Admin":
                raise NotAllowed("This is for admins.")
            with self._writing(as_admin=username != self.username) as tx:
                tx.apply(change_role, then, was=then.role, role=role)
                if role != then.role:
                    tx.apply(admin_comes if role == "Admin" else admin_goes, organization(self.org_id))

        _until_it_holds(attempt)

    def remove(self, username: str) -> None:
        """Takes somebody out of the organization and of all its teams; not the last admin. For admins, or oneself."""

        def attempt() -> None:
            then = self._membership(username)
            theirs = self.teams_of(username)
            with self._writing(as_admin=username != self.username) as tx:
                tx.delete(then, when=[Membership.role == then.role, Membership.teams == len(theirs)])
                for belonging in theirs:
                    tx.delete(belonging, when=exists(TeamMembership.username))
                if then.role == "Admin":
                    tx.apply(admin_goes, organization(self.org_id))

        _until_it_holds(attempt)

    def leave(self) -> None:
        """Leaves the organization and all its teams; not as the last admin."""
        self.remove(self.username)

    def _membership(self, username: str) -> Membership:
        found = self._db.get(membership(self.org_id, username), consistent=True)
        if found is None:
            raise NotAMember(username)
        return found

    # -------------------------------------------------------------------------------------------- invitations

    def invite(self, email: str, role: Role = "Member") -> Invitation:
        """Invites an address for a fortnight; a second time, anew. For admins."""
        new = Invitation(org_id=self.org_id, email=email, role=role, lapses_at=self._clock() + INVITED)
        known = self._db.run(user_by_email, email)
        if known is not None and self._db.run(membership, self.org_id, known.username) is not None:
            raise AlreadyMember(known.username)
        with self._writing() as tx:
            tx.put(new)
        return new

    def invitations(self) -> list[Invitation]:
        """Who is invited."""
        return self._db.run(invitations_of, self.org_id, self._clock()).all()

    def withdraw(self, email: str) -> None:
        """Takes an invitation back, if there is one. For admins."""
        with self._writing() as tx:
            tx.delete(key(Invitation, org_id=self.org_id, email=email))

    # -------------------------------------------------------------------------------------------------- teams

    def teams(self) -> list[Team]:
        """The teams of the organization."""
        return self._db.run(teams_of, self.org_id).all()

    def team_members(self, team_id: str) -> list[TeamMembership]:
        """Who is in a team."""
        return self._db.run(team_members, self.org_id, team_id).all()

    def teams_of(self, username: str) -> list[TeamMembership]:
        """The teams of this organization that somebody is in."""
        return self._db.run(teams_of_user, username, self.org_id).all()

    def create_team(self, name: str, *, team_id: str | None = None) -> Team:
        """A new team. For admins."""
        new = Team(org_id=self.org_id, team_id=team_id or ulid(), name=name)
        with self._writing() as tx:
            tx.create(new)
        return new

    def add_to_team(self, team_id: str, username: str) -> None:
        """Lets a member of the organization into a team. For admins."""
        own = username == self.username
        if own and self._membership(username).role != "Admin":
            raise NotAllowed("This is for admins.")
        with self._writing(as_admin=not own) as tx:
            tx.check(key(Team, org_id=self.org_id, team_id=team_id))
            tx.update(
                membership(self.org_id, username), add={"teams": 1}, when=Membership.role == "Admin" if own else None
            )
            tx.create(TeamMembership(org_id=self.org_id, team_id=team_id, username=username))

    def take_from_team(self, team_id: str, username: str) -> None:
        """Takes a member out of a team. For admins, or oneself."""
        with self._writing(as_admin=username != self.username) as tx:
            self._out_of_team(tx, team_id, username)

    def close_team(self, team_id: str) -> None:
        """Closes a team, then lets go of its members one by one; to call it again goes on with those who are left. For admins."""
        with self._writing() as tx:
            tx.delete(key(Team, org_id=self.org_id, team_id=team_id))
        for belonging in self._db.execute(team_members(self.org_id, team_id).consistent()):
            try:
                with self._db.transaction() as tx:
                    self._out_of_team(tx, team_id, belonging.username)
            except ConditionalCheckError:  # left meanwhile
                continue

    def _out_of_team(self, tx: Transaction, team_id: str, username: str) -> None:
        belonging = key(TeamMembership, org_id=self.org_id, team_id=team_id, username=username)
        tx.delete(belonging, when=exists(TeamMembership.username))
        tx.update(membership(self.org_id, username), add={"teams": -1})

    # ---------------------------------------------------------------------------------------------- who may do it

    @contextmanager
    def _writing(self, *, as_admin: bool = True) -> Iterator[Transaction]:
        """A transaction that holds only while this office's member is an admin, and tells in words of the organization why
        it was refused. Where it writes that member's own membership it cannot look at it besides: each item goes in once."""
        try:
            with self._db.transaction() as tx:
                if as_admin:
                    tx.check(membership(self.org_id, self.username), Membership.role == "Admin")
                yield tx
        except ConditionalCheckError as error:
            raise self._told(error, as_admin) from error

    def _told(self, error: ConditionalCheckError, as_admin: bool) -> Exception:
        who = (error.key or {}).get("username", "")
        there = not isinstance(error, NotFoundError)
        match error.entity:
            case "Membership" if as_admin and who == self.username:
                return NotAllowed("This is for admins.")
            case "Membership" if not there:
                return NotAMember(who)
            case "Organization":
                return LastAdmin("Make somebody else an admin first.")
            case "Subscription":
                return Cancelled("This subscription was cancelled.")
            case "Team" if not there:
                return UnknownTeam("There is no such team.")
            case "TeamMembership":
                return AlreadyMember(who) if isinstance(error, AlreadyExistsError) else NotInTeam(who)
        return error


def _until_it_holds(attempt: Callable[[], None]) -> None:
    """Tries again what was overtaken: somebody else changed the membership after it was read, or an index does not show the
    teams as they are now."""
    for _ in range(ATTEMPTS):
        try:
            return attempt()
        except (ConditionalCheckError, NotInTeam):
            continue
    raise ContentionError("The membership was changed by others all the time.", hint="Try again in a moment.")
