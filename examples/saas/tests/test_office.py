"""Inside an organization: roles, the last admin, teams and the subscription, also when several act at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from examples.saas.model import Membership, Team, TeamMembership, saas
from examples.saas.office import (
    AlreadyMember,
    Cancelled,
    LastAdmin,
    NotAllowed,
    NotAMember,
    NotInTeam,
    Office,
    UnknownTeam,
)
from examples.saas.store import Service
from examples.saas.tests.conftest import NOON, Clock
from examples.saas.tests.test_store import sent
from tablewright import Session
from tablewright.engine import open_engine
from tablewright.engine.faults import IndexLag
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, ContentionError, CursorError

Join = Callable[..., None]


@pytest.fixture
def office(service: Service) -> Office:
    """Acme, as Ann sees it."""
    return service.enter("ann", "acme")


def roles(db: Session) -> dict[str, str]:
    return {m.username: m.role for m in db.scan_for_maintenance(Membership)}


# ------------------------------------------------------------------------------------------------------------- roles


def test_roles_are_changed_and_counted(service: Service, office: Office, db: Session, joined: Join) -> None:
    joined("bob", "cleo")
    office.set_role("bob", "Admin")
    office.set_role("bob", "Admin")
    assert (roles(db), office.organization().admins) == ({"ann": "Admin", "bob": "Admin", "cleo": "Member"}, 2)
    service.enter("bob", "acme").set_role("ann", "Member")
    assert (roles(db)["ann"], office.organization().admins) == ("Member", 1)
    with pytest.raises(NotAMember, match="dan"):
        service.enter("bob", "acme").set_role("dan", "Admin")
    assert [o for o, _ in sent(db, lambda: service.enter("bob", "acme").set_role("cleo", "Admin"))] == [
        "GetItem",
        "GetItem",
        "TransactWriteItems",
    ]


def test_the_last_admin_stays(service: Service, office: Office, db: Session, joined: Join) -> None:
    joined("bob")
    for call in (office.leave, lambda: office.remove("ann"), lambda: office.set_role("ann", "Member")):
        with pytest.raises(LastAdmin):
            call()
    office.set_role("bob", "Admin")
    office.leave()
    assert roles(db) == {"bob": "Admin"}
    with pytest.raises(LastAdmin):
        service.enter("bob", "acme").leave()
    assert service.organizations("ann") == []
    with pytest.raises(NotAMember):
        service.enter("ann", "acme")


def test_of_admins_who_all_leave_at_once_one_stays(service: Service, db: Session, joined: Join) -> None:
    joined("bob", "cleo", role="Admin")
    offices = [service.enter(name, "acme") for name in ("ann", "bob", "cleo")]

    def leave(office: Office) -> bool:
        try:
            office.leave()
        except LastAdmin:
            return False
        return True

    with ThreadPoolExecutor(3) as threads:
        assert sum(threads.map(leave, offices)) == 2
    assert list(roles(db).values()) == ["Admin"]
    assert offices[0].organization().admins == 1


def test_of_two_who_throw_each_other_out_one_stays(service: Service, db: Session, joined: Join) -> None:
    joined("bob", role="Admin")
    pairs = [(service.enter("ann", "acme"), "bob"), (service.enter("bob", "acme"), "ann")]

    def throw_out(pair: tuple[Office, str]) -> bool:
        try:
            pair[0].remove(pair[1])
        except (NotAllowed, NotAMember, LastAdmin):
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(throw_out, pairs)) == 1
    assert list(roles(db).values()) == ["Admin"]


def test_what_is_for_admins(service: Service, office: Office, db: Session, joined: Join) -> None:
    joined("bob", "cleo", role="Admin")
    office.create_team("Sales", team_id="sales")
    bobs = service.enter("bob", "acme")
    office.set_role("bob", "Member")  # while his office is open
    before = db.send("Scan", {"TableName": db.table_name})["Items"]
    calls: list[Callable[[], object]] = [
        lambda: bobs.set_role("cleo", "Member"),
        lambda: bobs.set_role("bob", "Admin"),
        lambda: bobs.remove("cleo"),
        lambda: bobs.invite("dan@example.com"),
        lambda: bobs.withdraw("dan@example.com"),
        lambda: bobs.create_team("Support"),
        lambda: bobs.close_team("sales"),
        lambda: bobs.add_to_team("sales", "cleo"),
        lambda: bobs.add_to_team("sales", "bob"),
        lambda: bobs.take_from_team("sales", "cleo"),
        lambda: bobs.choose_plan("enterprise", NOON),
        bobs.cancel,
    ]
    for call in calls:
        with pytest.raises(NotAllowed):
            call()
    assert db.send("Scan", {"TableName": db.table_name})["Items"] == before


def test_people_are_paged(service: Service, office: Office, db: Session) -> None:
    for number in range(55):
        db.create(Membership(org_id="acme", username=f"p{number:02}"))
    service.found("bob", "Another", org_id="acme2")
    first = office.people()
    second = office.people(first.cursor)
    assert [m.username for m in (*first, *second)] == ["ann", *(f"p{n:02}" for n in range(55))]
    assert (len(first), second.cursor) == (50, None)
    assert sent(db, office.people) == [("Query", None)]
    with pytest.raises(CursorError):
        service.enter("bob", "acme2").people(first.cursor)


# ------------------------------------------------------------------------------------------------------------- teams


def test_teams_have_members_of_the_organization(service: Service, office: Office, db: Session, joined: Join) -> None:
    joined("bob")
    sales, support = (office.create_team(name, team_id=name.lower()) for name in ("Sales", "Support"))
    assert (
        office.teams()
        == [sales, support]
        == [Team(org_id="acme", team_id=t.lower(), name=t) for t in ("Sales", "Support")]
    )
    for team, name in (("sales", "ann"), ("sales", "bob"), ("support", "bob")):
        office.add_to_team(team, name)
    assert [m.username for m in office.team_members("sales")] == ["ann", "bob"]
    assert [m.team_id for m in office.teams_of("bob")] == ["sales", "support"]
    assert sent(db, lambda: office.team_members("sales")) == sent(db, office.teams) == [("Query", None)]
    assert sent(db, lambda: office.teams_of("bob")) == [("Query", "GSI1")]
    with pytest.raises(AlreadyMember, match="bob"):
        office.add_to_team("sales", "bob")
    with pytest.raises(NotAMember, match="cleo"):
        office.add_to_team("sales", "cleo")
    with pytest.raises(UnknownTeam):
        office.add_to_team("nothing", "bob")
    with pytest.raises(AlreadyExistsError):
        office.create_team("Sales again", team_id="sales")
    assert {m.username: m.teams for m in db.scan_for_maintenance(Membership)} == {"ann": 1, "bob": 2}
    assert len(list(db.scan_for_maintenance(TeamMembership))) == 3


def test_a_team_is_left_by_oneself_or_by_an_admin(service: Service, office: Office, db: Session, joined: Join) -> None:
    joined("bob", "cleo")
    office.create_team("Sales", team_id="sales")
    for name in ("bob", "cleo"):
        office.add_to_team("sales", name)
    service.enter("bob", "acme").take_from_team("sales", "bob")
    office.take_from_team("sales", "cleo")
    assert office.team_members("sales") == []
    assert {m.teams for m in db.scan_for_maintenance(Membership)} == {0}
    with pytest.raises(NotInTeam, match="bob"):
        office.take_from_team("sales", "bob")
    db.put(Membership(org_id="acme", username="cleo", teams=90))
    with pytest.raises(ConditionalCheckError):
        office.add_to_team("sales", "cleo")
    assert office.team_members("sales") == []


def test_who_leaves_the_organization_leaves_its_teams_only(
    service: Service, office: Office, db: Session, joined: Join
) -> None:
    joined("bob")
    other = service.enter("bob", service.found("bob", "Other", org_id="acme#TEAM").org_id)
    for each in (office, other):
        each.create_team("Sales", team_id="sales")
        each.add_to_team("sales", "bob")
    with db.measure() as meter:
        service.enter("bob", "acme").leave()
    assert meter.requests[-1].operation == "TransactWriteItems"
    assert [(m.org_id, m.team_id) for m in db.scan_for_maintenance(TeamMembership)] == [("acme#TEAM", "sales")]
    assert [c.organization.org_id for c in service.organizations("bob")] == ["acme#TEAM"]


def test_nobody_is_left_in_a_team_by_an_index_that_lags(clock: Clock) -> None:
    with open_engine("memory:") as engine, saas.open(engine, create=True) as db:
        service = Service(db, clock=clock)
        for name in ("ann", "bob"):
            service.sign_up(name, f"{name}@example.com", name)
        service.found("ann", "Acme", org_id="acme")
        office = service.enter("ann", "acme")
        office.invite("bob@example.com")
        service.accept("bob", "acme")
        office.create_team("Sales", team_id="sales")
        office.create_team("Support", team_id="support")
        with engine.faults.inject(IndexLag()) as lag:
            office.add_to_team("sales", "bob")
            with pytest.raises(ContentionError):  # it shows one too few
                office.remove("bob")
            lag.release()
            office.take_from_team("sales", "bob")
            office.add_to_team("support", "bob")
            with pytest.raises(ContentionError):  # as many, and not the same
                office.remove("bob")
            assert "bob" in roles(db)
            lag.release()
            office.remove("bob")
        assert roles(db) == {"ann": "Admin"}
        assert not list(db.scan_for_maintenance(TeamMembership))


def test_a_team_is_closed_and_what_broke_down_is_gone_on_with(office: Office, db: Session, joined: Join) -> None:
    joined("bob", "cleo")
    for team in ("sales", "sales2"):
        office.create_team(team, team_id=team)
        for name in ("ann", "bob", "cleo"):
            office.add_to_team(team, name)
    db.delete(Team(org_id="acme", team_id="sales", name="sales"))  # as far as it got
    office.take_from_team("sales", "bob")
    office.close_team("sales")
    assert [t.team_id for t in office.teams()] == ["sales2"]
    assert (office.team_members("sales"), len(office.team_members("sales2"))) == ([], 3)
    assert {m.teams for m in db.scan_for_maintenance(Membership)} == {1}


# ------------------------------------------------------------------------------------------------------ subscription


def test_a_plan_is_chosen_expires_and_is_cancelled(office: Office, db: Session, clock: Clock) -> None:
    assert office.plan() == "team"
    clock.now += timedelta(days=31)
    assert office.plan() == "free"
    office.choose_plan("enterprise", clock.now + timedelta(days=365))
    assert office.plan() == "enterprise"
    assert sent(db, office.plan) == [("GetItem", None)]
    assert sent(db, office.account) == [("Query", None)]
    office.cancel()
    assert office.plan() == "enterprise"  # until it expires
    with pytest.raises(Cancelled):
        office.choose_plan("team", clock.now + timedelta(days=365))
    clock.now += timedelta(days=366)
    assert office.plan() == "free"
