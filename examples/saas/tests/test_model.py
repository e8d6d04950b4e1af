"""Every access pattern of the service finds what a plain search finds, with one request, through the index and for the units that
are expected of it."""

from collections.abc import Iterator

import pytest

from examples.places import PLACES
from examples.saas.model import (
    Invitation,
    Membership,
    Organization,
    Subscription,
    Team,
    TeamMembership,
    User,
    account,
    admin_comes,
    admin_goes,
    cancel,
    change_role,
    choose_plan,
    invitations_for,
    invitations_of,
    members_of,
    membership,
    organization,
    organizations_of,
    saas,
    subscription,
    team_members,
    teams_of,
    teams_of_user,
    user,
    user_by_email,
)
from examples.trial import Case, check, filled, hours, sent
from tablewright import Entity, Session, key
from tablewright.errors import ConditionalCheckError

ORGS = ("o", "o1", "o#")
NAMES = ("ann", "anna", "bob")
ITEMS: list[Entity] = [
    *(Organization(org_id=o, name=o) for o in ORGS),
    *(Subscription(org_id=o, subscription_id=f"s-{o}", expires_at=hours(24)) for o in ORGS),
    *(User(username=n, email=f"{n}@example.com", name=n) for n in NAMES),
    *(Membership(org_id=o, username=n) for o in ORGS for n in NAMES[: 1 + ORGS.index(o)]),
    *(
        Invitation(org_id=o, email=f"{n}@example.com", lapses_at=hours(900_000))
        for o in ORGS
        for n in ("ann", "eve", "eve+2")
    ),
    *(Invitation(org_id=o, email="late@example.com", lapses_at=hours(0)) for o in ORGS),
    *(Team(org_id=o, team_id=t, name=t) for o in ORGS for t in ("t", "t1")),
    *(TeamMembership(org_id=o, team_id=t, username=n) for o in ORGS for t in ("t", "t1") for n in ("ann", "bob")),
]

CASES = [
    Case(organization, ("o",), Organization, lambda o: o.org_id == "o"),
    Case(members_of, ("o1",), Membership, lambda m: m.org_id == "o1", lambda m: m.username),
    Case(membership, ("o1", "anna"), Membership, lambda m: (m.org_id, m.username) == ("o1", "anna")),
    Case(user, ("ann",), User, lambda u: u.username == "ann"),
    Case(user_by_email, ("Ann@example.com",), User, lambda u: u.username == "ann"),
    Case(organizations_of, ("ann",), Membership, lambda m: m.username == "ann", lambda m: m.org_id),
    Case(subscription, ("o",), Subscription, lambda s: s.org_id == "o"),
    Case(
        invitations_of,
        ("o", hours(0)),
        Invitation,
        lambda i: i.org_id == "o" and not i.email.startswith("late"),
        lambda i: i.email.replace("+", ""),
    ),
    Case(
        invitations_for,
        ("eve@example.com", hours(0)),
        Invitation,
        lambda i: i.email == "eve@example.com",
        lambda i: i.org_id,
    ),
    Case(teams_of, ("o",), Team, lambda t: t.org_id == "o", lambda t: t.team_id),
    Case(
        team_members,
        ("o", "t"),
        TeamMembership,
        lambda m: (m.org_id, m.team_id) == ("o", "t"),
        lambda m: m.username,
    ),
    Case(
        teams_of_user,
        ("ann",),
        TeamMembership,
        lambda m: m.username == "ann",
        lambda m: (m.org_id, m.team_id),
    ),
    Case(
        teams_of_user,
        ("ann", "o"),
        TeamMembership,
        lambda m: (m.username, m.org_id) == ("ann", "o"),
        lambda m: m.team_id,
    ),
    Case(account, ("o",), (Organization, Subscription), lambda e: e.org_id == "o"),
]

SENT: dict[str, tuple[str, str | None]] = {
    "organization-1": ("GetItem", None),
    "members_of-1": ("Query", None),
    "membership-2": ("GetItem", None),
    "user-1": ("GetItem", None),
    "user_by_email-1": ("Query", "GSI1"),
    "organizations_of-1": ("Query", "GSI1"),
    "subscription-1": ("GetItem", None),
    "invitations_of-2": ("Query", None),
    "invitations_for-2": ("Query", "GSI1"),
    "teams_of-1": ("Query", None),
    "team_members-2": ("Query", None),
    "teams_of_user-1": ("Query", "GSI1"),
    "teams_of_user-2": ("Query", "GSI1"),
    "account-1": ("Query", None),
}


@pytest.fixture(scope="module", params=PLACES)
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    local = request.param == "dynamodb-local"
    with filled(saas, ITEMS, request.getfixturevalue("dynamodb_local_url") if local else "memory:") as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_sends_one_request_that_costs_half_a_unit(db: Session, case: Case) -> None:
    assert sent(db, case) == [(*SENT[str(case)], 0.5)]


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(saas.patterns)


def test_an_invitation_is_not_taken_for_a_user(db: Session) -> None:
    assert db.run(user_by_email, "eve@example.com") is None


def test_a_role_and_a_plan_change() -> None:
    with filled(saas, ITEMS) as db:
        theirs = key(Membership, org_id="o", username="ann")
        assert db.apply(change_role, theirs, was="Member", role="Admin").role == "Admin"
        with pytest.raises(ConditionalCheckError):
            db.apply(change_role, theirs, was="Member", role="Admin")
        assert db.run(organizations_of, "ann").all()[0].role == "Admin"
        db.apply(cancel, subscription("o"))
        with pytest.raises(ConditionalCheckError):
            db.apply(choose_plan, subscription("o"), plan="team", until=hours(48))
        assert db.apply(choose_plan, subscription("o1"), plan="team", until=hours(48)).status == "active"


def test_admins_are_counted_down_to_one() -> None:
    with filled(saas, ITEMS) as db:
        assert db.apply(admin_comes, organization("o")).admins == 2
        assert db.apply(admin_goes, organization("o")).admins == 1
        with pytest.raises(ConditionalCheckError):
            db.apply(admin_goes, organization("o"))
