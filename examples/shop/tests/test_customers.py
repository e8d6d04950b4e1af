"""Customers register, move, change what the shop knows of them, and are listed page by page."""

from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.shop.customers import ERASED
from examples.shop.model import Address, Customer, shop
from examples.shop.seed import customers
from examples.shop.store import AddressBookFull, ReservedName, Shop, Taken, UnknownCustomer
from tablewright import Session

HOME, OFFICE = Address(street="Quay 1", city="Oslo"), Address(street="Quay 2", city="Oslo")


def test_a_customer_registers_signs_in_and_moves(store: Shop) -> None:
    new = store.register("finn", "Finn@example.com", "Finn", [HOME])
    assert store.sign_in("finn@EXAMPLE.com") == store.profile("finn") == new
    with pytest.raises(Taken):
        store.change_email("finn", "bruno@example.org")
    assert store.change_email("finn", "finn@example.org").username == "finn"
    assert store.sign_in("finn@example.com") is None
    assert store.rename("finn", "Finn Berg").name == "Finn Berg"
    assert store.sign_in("finn@example.org") == store.profile("finn")


def test_names_and_email_addresses_are_taken_once(store: Shop) -> None:
    with pytest.raises(Taken):
        store.register("alice", "other@example.com", "Alice")
    with pytest.raises(Taken):
        store.register("alice2", "ALICE.martin@example.com", "Alice")
    with pytest.raises(ReservedName):
        store.register(f"{ERASED}o1", "other@example.com", "Nobody")
    assert store.sign_in("other@example.com") is None


def test_a_customer_has_at_most_five_addresses(store: Shop) -> None:
    for number in range(5):
        store.add_address("deniz", Address(street=f"Lane {number}", city="Izmir"))
    with pytest.raises(AddressBookFull):
        store.add_address("deniz", HOME)
    assert store.add_address("deniz", Address(street="Lane 4", city="Izmir")) == store.profile("deniz")
    left = store.remove_address("deniz", Address(street="Lane 0", city="Izmir"))
    assert [a.street for a in left.addresses] == ["Lane 1", "Lane 2", "Lane 3", "Lane 4"]
    assert store.remove_address("deniz", HOME) == left
    assert store.add_address("deniz", HOME).addresses[-1] == HOME


def test_five_addresses_stay_five_with_two_windows(store: Shop) -> None:
    refused: list[Address] = []

    def fill(window: int) -> None:
        for number in range(4):
            address = Address(street=f"Lane {window}.{number}", city="Izmir")
            try:
                store.add_address("deniz", address)
            except AddressBookFull:
                refused.append(address)

    windows = [Thread(target=fill, args=(n,)) for n in range(2)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    person = store.profile("deniz")
    assert person is not None
    assert (len(person.addresses), len(refused)) == (5, 3)
    assert not [a for a in refused if a in person.addresses]


def test_nobody_is_made_by_a_change(store: Shop) -> None:
    with pytest.raises(UnknownCustomer):
        store.rename("nobody", "N")
    with pytest.raises(UnknownCustomer):
        store.add_address("nobody", HOME)
    assert store.profile("nobody") is None


def test_changing_a_profile_is_one_write_or_a_read_and_a_write(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        store.rename("alice", "Alice M.")
    assert [r.operation for r in meter.requests] == ["UpdateItem"]
    assert meter.capacity.write == 3  # the customer, GSI1 and GSI2
    with filled.measure() as meter:
        store.add_address("alice", OFFICE)
    assert [r.operation for r in meter.requests] == ["GetItem", "UpdateItem"]
    assert (meter.capacity.read, meter.capacity.write) == (1, 3)


def test_all_customers_come_by_name_page_by_page(store: Shop, filled: Session) -> None:
    for number in range(60):
        store.register(f"c{number:02}", f"c{number:02}@example.com", "C")
    with filled.measure() as meter:
        first = store.customers()
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI2")] * 2
    second = store.customers(cursor=first.cursor)
    assert (len(first), len(second), second.cursor) == (50, 16, None)
    names = [c.username for c in (*first, *second)]
    assert names == sorted([*(c.username for c in customers()), *(f"c{n:02}" for n in range(60))])
    assert [c.username for c in store.customers(from_name="carla")] == ["carla", "deniz", "emil", "zoe"]


@settings(max_examples=15)
@given(
    st.sets(st.text(min_size=1, max_size=8).filter(lambda name: not name.startswith(ERASED)), min_size=2, max_size=4)
)
def test_customers_with_hostile_names_are_kept_apart(names: set[str]) -> None:
    with shop.open("memory:", cursor_keys=[b"sixteen bytes or more"]) as db:
        store = Shop(db)
        try:
            for number, name in enumerate(sorted(names)):
                store.register(name, f"{number}@example.com", name)
        except ValueError:  # what no key can hold, such as half of a character
            return
        for name in names:
            assert store.profile(name) == Customer(
                username=name, email=f"{sorted(names).index(name)}@example.com", name=name
            )
        assert sorted(c.username for c in store.customers()) == sorted(names)
