"""The service's own words do what they say: people, addresses, organizations, and invitations that become memberships."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from examples.saas.model import Account, Invitation, Membership, Organization, Subscription
from examples.saas.office import INVITED, AlreadyMember, NotAMember
from examples.saas.store import TRIAL, Choice, NoInvitation, Service, UnknownPerson
from examples.saas.tests.conftest import NOON, Clock
from tablewright import Session
from tablewright.errors import AlreadyExistsError, UniqueViolationError


def sent(db: Session, call: Callable[[], object]) -> list[tuple[str, str | None]]:
    with db.measure() as meter:
        call()
    return [(request.operation, request.index) for request in meter.requests]


# ------------------------------------------------------------------------------------------------------------ people


def test_somebody_signs_up_in_and_moves(service: Service, db: Session) -> None:
    new = service.sign_up("dan", "Dan@Example.com", "Dan")
    assert service.sign_in("dan@example.COM") == new == service.person("dan")
    assert sent(db, lambda: service.sign_in("dan@example.com")) == [("Query", "GSI1")]
    with pytest.raises(UniqueViolationError):
        service.change_email("dan", "ann@example.com")
    assert service.change_email("dan", "dan@example.org").email == "dan@example.org"
    assert service.sign_in("dan@example.com") is None
    assert service.sign_up("dana", "dan@example.com", "Dana").username == "dana"


def test_names_and_addresses_are_taken_once(service: Service) -> None:
    with pytest.raises(AlreadyExistsError):
        service.sign_up("ann", "another@example.com", "Ann")
    with pytest.raises(UniqueViolationError):
        service.sign_up("another", "ANN@example.com", "Ann")
    with pytest.raises(UnknownPerson):
        service.person("another")
    with pytest.raises(UnknownPerson):
        service.change_email("nobody", "nobody@example.com")


def test_an_address_is_taken_once_by_many_at_once(service: Service) -> None:
    def sign_up(number: int) -> bool:
        try:
            service.sign_up(f"dan{number}", "dan@example.com", "Dan")
        except UniqueViolationError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(sign_up, range(12))) == 1


# ----------------------------------------------------------------------------------------------------- organizations


def test_an_organization_begins_with_an_admin_and_a_trial(service: Service, db: Session) -> None:
    found = service.enter("ann", "acme").account()
    assert found.organization == Organization(org_id="acme", name="Acme", admins=1)
    assert found.subscription is not None
    assert found == Account(
        found.organization,
        Subscription(
            org_id="acme",
            subscription_id=found.subscription.subscription_id,
            plan="team",
            status="trial",
            expires_at=NOON + TRIAL,
        ),
    )
    assert [*service.enter("ann", "acme").people()] == [Membership(org_id="acme", username="ann", role="Admin")]
    with pytest.raises(AlreadyExistsError):
        service.found("bob", "Another Acme", org_id="acme")
    with pytest.raises(UnknownPerson):
        service.found("nobody", "Nothing", org_id="nothing")
    with pytest.raises(NotAMember):
        service.enter("bob", "acme")
    assert sent(db, lambda: service.enter("ann", "acme")) == [("GetItem", None)]


def test_a_person_switches_between_organizations(service: Service, db: Session, joined: Callable[..., None]) -> None:
    joined("bob")
    service.found("bob", "Bob & Co", org_id="bobco")
    assert service.organizations("bob") == [
        Choice(Organization(org_id="acme", name="Acme"), "Member"),
        Choice(Organization(org_id="bobco", name="Bob & Co"), "Admin"),
    ]
    assert sent(db, lambda: service.organizations("bob")) == [("Query", "GSI1"), ("BatchGetItem", None)]
    assert service.organizations("cleo") == []
    for choice in service.organizations("bob"):
        assert service.enter("bob", choice.organization.org_id).organization() == choice.organization


# ------------------------------------------------------------------------------------------------------- invitations


def test_an_invitation_becomes_a_membership(service: Service, db: Session) -> None:
    office = service.enter("ann", "acme")
    invited = office.invite("Bob@example.com")
    assert invited == Invitation(org_id="acme", email="bob@example.com", lapses_at=NOON + INVITED)
    assert service.invitations("bob") == [invited] == office.invitations()
    with db.measure() as meter:
        joined = service.accept("bob", "acme")
    assert [r.operation for r in meter.requests] == ["GetItem", "GetItem", "TransactWriteItems"]
    assert joined == Membership(org_id="acme", username="bob")
    assert service.invitations("bob") == office.invitations() == []
    assert service.enter("bob", "acme").organization().admins == 1
    with pytest.raises(NoInvitation):
        service.accept("bob", "acme")


def test_an_invitation_of_an_admin_is_counted(service: Service, joined: Callable[..., None]) -> None:
    joined("bob", role="Admin")
    assert service.enter("bob", "acme").organization().admins == 2


def test_an_invitation_is_accepted_once_by_many_at_once(service: Service) -> None:
    office = service.enter("ann", "acme")
    office.invite("bob@example.com", "Admin")

    def accept(_: int) -> bool:
        try:
            service.accept("bob", "acme")
        except (NoInvitation, AlreadyMember):
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(accept, range(8))) == 1
    assert office.organization().admins == 2


def test_an_invitation_lapses(service: Service, db: Session, clock: Clock) -> None:
    office = service.enter("ann", "acme")
    office.invite("bob@example.com")
    clock.now += INVITED
    assert office.invitations() == service.invitations("bob") == []
    assert len(list(db.scan_for_maintenance(Invitation))) == 1  # DynamoDB takes its time
    with pytest.raises(NoInvitation):
        service.accept("bob", "acme")
    renewed = office.invite("bob@example.com", "Admin")
    clock.now += INVITED - timedelta(seconds=1)
    assert service.invitations("bob") == [renewed]
    assert service.accept("bob", "acme").role == "Admin"


def test_an_invitation_belongs_to_its_address(service: Service) -> None:
    office = service.enter("ann", "acme")
    office.invite("new@example.com")
    with pytest.raises(NoInvitation):
        service.accept("bob", "acme")
    assert service.sign_in("new@example.com") is None  # an invitation is nobody
    service.change_email("bob", "new@example.com")
    assert service.accept("bob", "acme").username == "bob"


def test_an_invitation_is_withdrawn_or_declined(service: Service) -> None:
    office = service.enter("ann", "acme")
    for name in ("bob", "cleo"):
        office.invite(f"{name}@example.com")
    office.withdraw("bob@EXAMPLE.com")
    service.decline("cleo", "acme")
    assert office.invitations() == []
    for name in ("bob", "cleo"):
        with pytest.raises(NoInvitation):
            service.accept(name, "acme")
        with pytest.raises(NoInvitation):
            service.decline(name, "acme")


def test_members_are_not_invited_again(service: Service, db: Session, joined: Callable[..., None]) -> None:
    joined("bob")
    with pytest.raises(AlreadyMember, match="bob"):
        service.enter("ann", "acme").invite("bob@example.com")
    db.put(Invitation(org_id="acme", email="bob@example.com", lapses_at=NOON + INVITED))
    with pytest.raises(AlreadyMember, match="bob"):
        service.accept("bob", "acme")
