"""Seed data: five people in three organizations, with teams and invitations. It can be written again and again.

Everything is done in the service's own words, so that numbers of admins and of teams are right. What is there already
stays; what was taken back is done again.
"""

import sys
from collections.abc import Sized
from contextlib import suppress
from datetime import UTC, datetime

from tablewright import Session
from tablewright.errors import AlreadyExistsError

from .model import Plan, Role, saas
from .office import AlreadyMember
from .store import Service

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
        with suppress(AlreadyExistsError):
            service.sign_up(username, f"{username}@example.com", name)
    for org_id in ORGANIZATIONS:
        _furnish(service, org_id)
    teams = [members for each in TEAMS.values() for members in each.values()]
    lists: list[Sized] = [PEOPLE, ORGANIZATIONS, *MEMBERS.values(), *TEAMS.values(), *INVITED.values(), *teams]
    return sum(map(len, lists))


def _furnish(service: Service, org_id: str) -> None:
    (founder, _), *others = MEMBERS[org_id].items()
    with suppress(AlreadyExistsError):
        service.found(founder, ORGANIZATIONS[org_id], org_id=org_id)
    office = service.enter(founder, org_id)
    for username, role in others:
        with suppress(AlreadyMember):
            office.invite(f"{username}@example.com", role)
            service.accept(username, org_id)
        office.set_role(username, role)
    for team, members in TEAMS[org_id].items():
        with suppress(AlreadyExistsError):
            office.create_team(team.title(), team_id=team)
        for username in members:
            with suppress(AlreadyMember):
                office.add_to_team(team, username)
    for email in INVITED[org_id]:
        office.invite(email)
    if org_id in PLANS:
        office.choose_plan(PLANS[org_id], PAID)


if __name__ == "__main__":
    with saas.open(sys.argv[1]) as opened:
        print(f"{seed(opened)} entities written.")
