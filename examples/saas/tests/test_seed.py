"""The seed data can be written again and again, and holds something of everything."""

from examples.saas.model import saas
from examples.saas.seed import MEMBERS, seed, service_of
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
