"""Organizations, their members, subscriptions and invitations."""

from datetime import datetime
from typing import Literal

from tablewright import Design, Entity, Get, Query, get, query

saas = Design("SaasTable")


class Organization(Entity, table=saas, identity=["org_id"]):
    """Who pays."""

    org_id: str
    name: str = ""


class User(Entity, table=saas, identity=["username"], unique=["email"]):
    """Who signs in."""

    username: str
    email: str
    name: str = ""


class Membership(Entity, table=saas, identity=["org_id", "username"]):
    """Who belongs where."""

    org_id: str
    username: str
    role: Literal["Admin", "Member"] = "Member"


class Subscription(Entity, table=saas, identity=["org_id"]):
    """What an organization pays for."""

    org_id: str
    plan: str = "free"
    expires_at: datetime | None = None


class Invitation(Entity, table=saas, identity=["org_id", "email"]):
    """Who was asked to join."""

    org_id: str
    email: str


@saas.pattern
def organization(org_id: str) -> Get[Organization]:
    return get(Organization, Organization.org_id == org_id)


@saas.pattern
def users_of(org_id: str) -> Query[Membership]:
    return query(Membership, Membership.org_id == org_id)


@saas.pattern
def user(username: str) -> Get[User]:
    return get(User, User.username == username)


@saas.pattern
def user_by_email(email: str) -> Get[User]:
    return get(User, User.email == email)


@saas.pattern
def organizations_of(username: str) -> Query[Membership]:
    return query(Membership, Membership.username == username)


@saas.pattern
def subscription_of(org_id: str) -> Get[Subscription]:
    return get(Subscription, Subscription.org_id == org_id)


@saas.pattern
def invitations_of(org_id: str) -> Query[Invitation]:
    return query(Invitation, Invitation.org_id == org_id)


@saas.pattern
def invitations_for(email: str) -> Query[Invitation]:
    return query(Invitation, Invitation.email == email)
