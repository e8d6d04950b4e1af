"""The seed data can be written again and again, and holds something of everything."""

from collections.abc import Callable

import pytest

from examples.saas.model import saas
from examples.saas.seed import MEMBERS, seed, service_of
from examples.saas.store import Service
from tablewright import Session

SEEDED = 26


def everything(db: Session) -> list[str]:
    return sorted(map(repr, db.scan_for_maintenance(list(saas.entities.values()))))


def test_seeding_again_changes_nothing(db: Session) -> None:
    assert seed(db) == SEEDED
    before = everything(db)
    assert seed(db) == SEEDED
    assert everything(db) == before


def test_seeding_again_restores_what_was_taken_back_and_keeps_numbers_right(db: Session) -> None:
    seed(db)
    before = everything(db)
    service = service_of(db)
    office = service.enter("ada", "harbour")
    office.remove("ben")
    office.set_role("cleo", "Admin")
    office.withdraw("new@example.org")
    assert everything(db) != before
    seed(db)
    assert everything(db) == before


def accepts(service: Service) -> None:
    service.accept("eva", "mill")
    service.enter("cleo", "mill").set_role("eva", "Admin")
    service.enter("cleo", "mill").add_to_team("flour", "eva")


def founder_leaves(service: Service) -> None:
    service.enter("ada", "harbour").leave()


def hands_over_and_leaves(service: Service) -> None:
    accepts(service)
    service.enter("cleo", "mill").leave()  # what was invited is the only admin now


def moves(service: Service) -> None:
    service.change_email("ben", "ben@example.net")
    service.enter("ada", "harbour").remove("ben")


def stops_paying(service: Service) -> None:
    service.enter("ada", "harbour").cancel()
    service.enter("eva", "studio").cancel()


def closes(service: Service) -> None:
    service.enter("ada", "harbour").close_team("cranes")


@pytest.mark.parametrize("happens", [accepts, founder_leaves, hands_over_and_leaves, moves, stops_paying, closes])
def test_whatever_happened_seeding_again_restores_it(db: Session, happens: Callable[[Service], None]) -> None:
    seed(db)
    before = everything(db)
    happens(service_of(db))
    assert everything(db) != before
    seed(db)
    assert everything(db) == before


def test_it_has_something_of_everything(db: Session) -> None:
    seed(db)
    service = service_of(db)
    for org_id, members in MEMBERS.items():
        office = service.enter(next(iter(members)), org_id)
        assert {m.username: m.role for m in office.people()} == members
        assert office.organization().admins == list(members.values()).count("Admin")
    assert [(c.organization.name, c.role) for c in service.organizations("ada")] == [
        ("Harbour Works", "Admin"),
        ("The Mill", "Member"),
    ]
    assert [i.org_id for i in service.invitations("eva")] == ["harbour", "mill"]
    assert [service.enter("cleo", org_id).plan() for org_id in ("harbour", "mill")] == ["enterprise", "team"]
