"""The model of a service for organizations: seven entities, one index. People belong to many organizations and teams."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tablewright import (
    GSI,
    Collection,
    Entity,
    Epoch,
    Get,
    Keys,
    NaturalKey,
    Query,
    Relationship,
    Table,
    collect,
    get,
    one,
    query,
    require,
)

saas = Table("SaasTable", indexes=[GSI("GSI1")])

Id = Annotated[str, Field(max_length=40)]
Email = Annotated[NaturalKey, Field(max_length=200)]
Role = Literal["Admin", "Member"]
Plan = Literal["free", "team", "enterprise"]


class Organization(Entity, table=saas):
    """A customer of the service."""

    keys = Keys("ORG#{org_id}", "ORG#{org_id}")
    org_id: Id
    name: str = Field(max_length=200)
    admins: int = Field(default=1, ge=1)
    """How many members are admins: the last one stays."""


class Subscription(Entity, table=saas):
    """What an organization pays for; it has one."""

    keys = Keys("ORG#{org_id}", "SUBSCRIPTION#{org_id}")
    org_id: Id
    subscription_id: Id
    plan: Plan = "free"
    status: Literal["trial", "active", "cancelled"] = "trial"
    expires_at: datetime


class User(Entity, table=saas):
    """A person, who may belong to several organizations."""

    keys = Keys(
        "USER#{username}",
        "USER#{username}",
        GSI1=("EMAIL#{email}", "EMAIL#{email}"),
        unique=["email"],
    )
    username: Id
    email: Email
    name: str = Field(max_length=100)


class Membership(Entity, table=saas):
    """That a person belongs to an organization, and as what. It is read from both ends."""

    keys = Keys("ORG#{org_id}", "USER#{username}", GSI1=("USER#{username}", "ORG#{org_id}"))
    org_id: Id
    username: Id
    role: Role = "Member"
    teams: int = Field(default=0, ge=0, le=90)
    """In how many teams of the organization they are: all of these are left with it, in one transaction."""


class Invitation(Entity, table=saas, ttl="lapses_at"):
    """An invitation to an address, which nobody may have yet. It shares its index partition with the address's owner."""

    keys = Keys("ORG#{org_id}", "INVITATION#{email}", GSI1=("EMAIL#{email}", "INVITATION#{org_id}"))
    org_id: Id
    email: Email
    role: Role = "Member"
    lapses_at: Annotated[datetime, Epoch("s")]


class Team(Entity, table=saas):
    """A part of an organization."""

    keys = Keys("ORG#{org_id}", "TEAM#{team_id}")
    org_id: Id
    team_id: Id
    name: str = Field(max_length=100)


class TeamMembership(Entity, table=saas):
    """That a person belongs to a team."""

    keys = Keys(
        "ORG#{org_id}",
        "TEAMMEMBER#{team_id}#{username}",
        GSI1=("USER#{username}", "TEAM#{org_id}#{team_id}"),
    )
    org_id: Id
    team_id: Id
    username: Id


saas.relate(
    Relationship(Organization, Subscription, "1:1", "item collection", reason="read together, changed apart"),
    Relationship(Organization, Invitation, "1:N", "item collection", reason="listed with the organization"),
    Relationship(Organization, Team, "1:N", "item collection", reason="listed with the organization"),
    Relationship(
        Organization,
        User,
        "M:N",
        "materialised graph",
        via=Membership,
        source_fields=("org_id",),
        target_fields=("username",),
        reason="the role is the link's own",
    ),
    Relationship(
        Team,
        User,
        "M:N",
        "materialised graph",
        via=TeamMembership,
        source_fields=("org_id", "team_id"),
        target_fields=("username",),
    ),
)


@saas.pattern
def organization(org_id: str) -> Get[Organization]:
    "An organization by its id."
    return get(Organization, Organization.org_id == org_id)


@saas.pattern
def members_of(org_id: str) -> Query[Membership]:
    "Who belongs to an organization."
    return query(Membership, Membership.org_id == org_id).per_page(50)


@saas.pattern
def membership(org_id: str, username: str) -> Get[Membership]:
    "Whether and as what a person belongs to an organization."
    return get(Membership, Membership.org_id == org_id, Membership.username == username)


@saas.pattern
def user(username: str) -> Get[User]:
    "A person by user name."
    return get(User, User.username == username)


@saas.pattern
def user_by_email(email: str) -> Get[User]:
    "A person by email address: never an invitation to it."
    return get(User, User.email == email)


@saas.pattern
def organizations_of(username: str) -> Query[Membership]:
    "The organizations that a person belongs to."
    return query(Membership, Membership.username == username)


@saas.pattern
def subscription(org_id: str) -> Get[Subscription]:
    "What an organization pays for."
    return get(Subscription, Subscription.org_id == org_id)


@saas.pattern
def invitations_of(org_id: str, now: datetime) -> Query[Invitation]:
    "Whom an organization has invited, as far as the invitations hold."
    return query(Invitation, Invitation.org_id == org_id).filter(Invitation.lapses_at > now)


@saas.pattern
def invitations_for(email: str, now: datetime) -> Query[Invitation]:
    "The invitations that wait for an address, as far as they hold."
    return query(Invitation, Invitation.email == email).filter(Invitation.lapses_at > now)


@saas.pattern
def teams_of(org_id: str) -> Query[Team]:
    "The teams of an organization."
    return query(Team, Team.org_id == org_id)


@saas.pattern
def team_members(org_id: str, team_id: str) -> Query[TeamMembership]:
    "Who belongs to a team."
    return query(TeamMembership, TeamMembership.org_id == org_id, TeamMembership.team_id == team_id)


@saas.pattern
def teams_of_user(username: str, org_id: str | None = None) -> Query[TeamMembership]:
    "The teams that a person belongs to, in all organizations or in one."
    found = query(TeamMembership, TeamMembership.username == username)
    return found.when(org_id, lambda o: TeamMembership.org_id == o)


@dataclass
class Account:
    """What the billing page shows."""

    organization: Organization | None
    subscription: Subscription | None


@saas.pattern
def account(org_id: str) -> Collection[Account]:
    "An organization with its subscription, in one request."
    return collect(
        Account,
        organization=one(query(Organization, Organization.org_id == org_id)),
        subscription=one(query(Subscription, Subscription.org_id == org_id)),
    )


@saas.change
def change_role(m: Membership, was: Role, role: Role) -> None:
    "A member gets another role, unless somebody else was faster."
    require(m.role == was)
    m.role = role


@saas.change
def admin_comes(o: Organization) -> None:
    "A member becomes an admin."
    o.admins += 1


@saas.change
def admin_goes(o: Organization) -> None:
    "An admin leaves, or is one no longer; not the last."
    require(o.admins > 1)
    o.admins -= 1


@saas.change
def choose_plan(s: Subscription, plan: Plan, until: datetime) -> None:
    "An organization pays for another plan."
    require(s.status != "cancelled")
    s.plan, s.status, s.expires_at = plan, "active", until


@saas.change
def cancel(s: Subscription) -> None:
    "An organization stops paying, for good; what is paid for stays until it expires."
    s.status = "cancelled"


saas.expect(Organization, items=2_000, size=200, max_size=500, writes=0.1)
saas.expect(Subscription, items=2_000, size=250, max_size=400, writes=0.1, per={"org_id": 1})
saas.expect(User, items=50_000, size=250, max_size=600, writes=1)
saas.expect(Membership, items=60_000, size=200, max_size=350, writes=1, per={"org_id": 5_000, "username": 20})
saas.expect(Invitation, items=5_000, size=250, max_size=600, writes=1, per={"org_id": 200, "email": 20})
saas.expect(Team, items=10_000, size=200, max_size=400, writes=0.1, per={"org_id": 200})
saas.expect(
    TeamMembership,
    items=100_000,
    size=220,
    max_size=400,
    writes=1,
    per={("org_id", "team_id"): 500, "org_id": 10_000, "username": 50},
)
saas.expect(Organization.org_id, distinct=2_000, hottest=0.05)
saas.expect(organization, rate=20, results=1, latency_ms=20, source="every page")
saas.expect(members_of, rate=5, results=25, latency_ms=50, source="people page")
saas.expect(membership, rate=50, results=1, latency_ms=20, source="whoever enters an organization")
saas.expect(user, rate=20, results=1, latency_ms=20, source="every page")
saas.expect(user_by_email, rate=2, results=1, latency_ms=50, source="login")
saas.expect(organizations_of, rate=5, results=2, latency_ms=50, source="organization switcher")
saas.expect(subscription, rate=20, results=1, latency_ms=20, source="feature checks")
saas.expect(invitations_of, rate=1, results=10, latency_ms=50, source="open invitations")
saas.expect(invitations_for, rate=1, results=1, latency_ms=50, source="sign-up")
saas.expect(teams_of, rate=2, results=10, latency_ms=50, source="teams page")
saas.expect(team_members, rate=2, results=20, latency_ms=50, source="a team's page")
saas.expect(teams_of_user, rate=2, results=3, latency_ms=50, source="profile")
saas.expect(account, rate=1, results=2, latency_ms=50, source="billing page")
