"""What each method takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable

import pytest

from examples.places import CURSOR_KEYS
from examples.saas.model import saas
from examples.saas.office import Office
from examples.saas.seed import PAID, seed, service_of
from examples.saas.store import Service
from examples.trial import methods_of, taken

METHODS: dict[str, tuple[Callable[[Service], object], str]] = {
    "accept": (lambda s: s.accept("eva", "mill"), "GetItem 0.5, GetItem 1, TransactWriteItems 8"),
    "change_email": (lambda s: s.change_email("eva", "eva@example.net"), "GetItem 1, TransactWriteItems 8, GetItem 1"),
    "decline": (lambda s: s.decline("eva", "mill"), "GetItem 0.5, DeleteItem 2"),
    "enter": (lambda s: s.enter("ada", "harbour"), "GetItem 1"),
    "found": (lambda s: s.found("eva", "New"), "TransactWriteItems 9"),
    "invitations": (lambda s: s.invitations("eva"), "GetItem 0.5, Query/GSI1 0.5"),
    "organizations": (lambda s: s.organizations("ada"), "Query/GSI1 0.5, BatchGetItem 1"),
    "person": (lambda s: s.person("ada"), "GetItem 0.5"),
    "sign_in": (lambda s: s.sign_in("ada@example.com"), "Query/GSI1 0.5"),
    "sign_up": (lambda s: s.sign_up("fay", "fay@example.com", "Fay"), "TransactWriteItems 5"),
}

IN_AN_OFFICE: dict[str, tuple[Callable[[Office], object], str]] = {
    "account": (lambda s: s.account(), "Query 0.5"),
    "add_to_team": (lambda s: s.add_to_team("cranes", "dov"), "TransactWriteItems 10"),
    "cancel": (lambda s: s.cancel(), "TransactWriteItems 4"),
    "choose_plan": (lambda s: s.choose_plan("team", PAID), "TransactWriteItems 4"),
    "close_team": (
        lambda s: s.close_team("cranes"),
        "TransactWriteItems 4, Query 1, TransactWriteItems 6, TransactWriteItems 6",
    ),
    "create_team": (lambda s: s.create_team("New"), "TransactWriteItems 4"),
    "invitations": (lambda s: s.invitations(), "Query 0.5"),
    "invite": (lambda s: s.invite("gus@example.com"), "Query/GSI1 0.5, TransactWriteItems 5"),
    "leave": (lambda s: s.leave(), "GetItem 1, Query/GSI1 0.5, TransactWriteItems 8"),
    "organization": (lambda s: s.organization(), "GetItem 0.5"),
    "people": (lambda s: s.people(), "Query 0.5"),
    "plan": (lambda s: s.plan(), "GetItem 0.5"),
    "remove": (lambda s: s.remove("cleo"), "GetItem 1, Query/GSI1 0.5, TransactWriteItems 8"),
    "set_role": (lambda s: s.set_role("cleo", "Admin"), "GetItem 1, TransactWriteItems 7"),
    "take_from_team": (lambda s: s.take_from_team("cranes", "cleo"), "TransactWriteItems 8"),
    "team_members": (lambda s: s.team_members("cranes"), "Query 0.5"),
    "teams": (lambda s: s.teams(), "Query 0.5"),
    "teams_of": (lambda s: s.teams_of("ben"), "Query/GSI1 0.5"),
    "withdraw": (lambda s: s.withdraw("eva@example.com"), "TransactWriteItems 5"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(name: str) -> None:
    call, expected = METHODS[name]
    with saas.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        seed(db)
        store = service_of(db)
        assert taken(db, lambda: call(store)) == expected


@pytest.mark.parametrize("name", IN_AN_OFFICE)
def test_a_method_of_an_office_takes_what_it_should(name: str) -> None:
    call, expected = IN_AN_OFFICE[name]
    with saas.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        seed(db)
        store = service_of(db).enter("ada", "harbour")
        assert taken(db, lambda: call(store)) == expected


def test_every_method_is_measured() -> None:
    assert {name.split("-")[0] for name in METHODS} == methods_of(Service)
    assert {name.split("-")[0] for name in IN_AN_OFFICE} == methods_of(Office)
