"""Seed data: five people in three organizations, with teams and invitations. It can be written again and again.

Everything is done in the service's own words, so that numbers of admins and of teams are right; but for a subscription that
was cancelled, which the service does not give back. What was added stays; what was taken back or changed is as it was.
"""

from collections.abc import Sized
from contextlib import suppress
from datetime import UTC, datetime

from tablewright import Session
from tablewright.errors import AlreadyExistsError

from .model import Plan, Role, members_of, saas, subscription
from .office import AlreadyMember, NotAMember, Office
from .store import TRIAL, Service

TODAY = datetime(2099, 5, 1, 9, tzinfo=UTC)
"""Far enough ahead that no invitation lapses while somebody tries it."""
PAID = datetime(2099, 12, 31, tzinfo=UTC)

PEOPLE = {"ada": "Ada Ferro", "ben": "Ben Oduya", "cleo": "Cleo Marsh", "dov": "Dov Stein", "eva": "Eva Lind"}
ORGANIZATIONS = {"harbour": "Harbour Works", "mill": "The Mill", "studio": "Studio 5"}
MEMBERS: dict[str, dict[str, Role]] = {
    "harbour": {"ada": "Admin", "ben": "Admin", "cleo": "Member", "dov": "Member"},
    "mill": {"cleo": "Admin", "ada": "Member"},
    "studio": {"eva": "Admin"},
}
TEAMS = {
    "harbour": {"cranes": ["ben", "cleo"], "office": ["ada", "ben"]},
    "mill": {"flour": ["ada"]},
    "studio": {},
}
INVITED = {"harbour": ["eva@example.com", "new@example.org"], "mill": ["eva@example.com"], "studio": []}
PLANS: dict[str, Plan] = {"harbour": "enterprise", "mill": "team"}


def service_of(db: Session) -> Service:
    """The service on the day of the seed."""
    return Service(db, clock=lambda: TODAY)


def seed(db: Session) -> int:
    """Writes everything; returns how many people, organizations, memberships, teams and invitations that are."""
    service = service_of(db)
    for username, name in PEOPLE.items():
        try:
            service.sign_up(username, _address(username), name)
        except AlreadyExistsError:
            service.change_email(username, _address(username))
    for org_id in ORGANIZATIONS:
        _furnish(db, service, org_id)
    teams = [members for each in TEAMS.values() for members in each.values()]
    lists: list[Sized] = [PEOPLE, ORGANIZATIONS, *MEMBERS.values(), *TEAMS.values(), *INVITED.values(), *teams]
    return sum(map(len, lists))


def _address(username: str) -> str:
    return f"{username}@example.com"


def _furnish(db: Session, service: Service, org_id: str) -> None:
    (founder, _), *others = MEMBERS[org_id].items()
    with suppress(AlreadyExistsError):
        service.found(founder, ORGANIZATIONS[org_id], org_id=org_id)
    there = db.execute(members_of(org_id).consistent())
    admin = next(member.username for member in there if member.role == "Admin")  # one always is: the last cannot go
    _belongs(service, service.enter(admin, org_id), founder, "Admin")
    office = service.enter(founder, org_id)
    for username, role in others:
        _belongs(service, office, username, role)
    for team, members in TEAMS[org_id].items():
        with suppress(AlreadyExistsError):
            office.create_team(team.title(), team_id=team)
        for username in members:
            with suppress(AlreadyMember):
                office.add_to_team(team, username)
    for email in INVITED[org_id]:
        _invited(service, office, email)
    _pays(db, office)


def _belongs(service: Service, office: Office, username: str, role: Role) -> None:
    """Somebody is a member, in this role, whatever has become of them since."""
    with suppress(AlreadyMember):
        office.invite(_address(username), role)
        service.accept(username, office.org_id)
    office.set_role(username, role)


def _invited(service: Service, office: Office, email: str) -> None:
    """An address is invited: who accepted meanwhile goes, and may do so again."""
    known = service.sign_in(email)
    if known is not None:
        with suppress(NotAMember):
            office.remove(known.username)
    office.invite(email)


def _pays(db: Session, office: Office) -> None:
    """The plan that was chosen, or the trial of whoever has chosen none."""
    plan = PLANS.get(office.org_id)
    now = db.run(subscription, office.org_id)
    assert now is not None, "organizations have one"
    if now.status == "cancelled" or (plan is None and now.status != "trial"):
        db.update(subscription(office.org_id), set={"plan": "team", "status": "trial", "expires_at": TODAY + TRIAL})
    if plan is not None:
        office.choose_plan(plan, PAID)


if __name__ == "__main__":
    from examples.seeding import main  # here: whoever imports this file may not have the other examples

    main("saas", saas.open, seed)
