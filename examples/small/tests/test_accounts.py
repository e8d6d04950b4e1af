"""Money is neither made nor lost, nobody owes any, and a transfer happens once, whoever else transfers meanwhile."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.small.accounts import Account, Refused, Transfer, account, balances, bank, transfer, transfer_made
from tablewright import Session
from tablewright.testing import Faults, LostReply, OpenTable

NAMES: tuple[str, ...] = ("ann", "bob", "eve")


def fill(db: Session) -> None:
    for name in NAMES:
        db.create(Account(account_id=name, balance=Decimal(100)))


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    session = opened(bank)
    fill(session)
    return session


def test_a_transfer_moves_money_with_one_request(db: Session, place: str) -> None:
    with db.measure() as meter:
        made = transfer(db, "t1", "ann", "bob", Decimal("30.50"))
    assert [sent.operation for sent in meter.requests] == ["TransactWriteItems"]
    if (
        place == "memory"
    ):  # DynamoDB Local takes nothing for updates in a transaction; DynamoDB two units, as for creates
        assert meter.capacity.write == 6.0
    with db.measure() as meter:
        assert balances(db, NAMES) == {"ann": Decimal("69.50"), "bob": Decimal("130.50"), "eve": Decimal(100)}
    assert [sent.operation for sent in meter.requests] == ["TransactGetItems"]
    assert db.run(transfer_made, "t1") == made
    assert db.run(account, "bob") == Account(account_id="bob", balance=Decimal("130.50"))


@pytest.mark.parametrize(
    ("payer", "payee", "amount", "said"),
    [
        ("ann", "bob", "100.01", "ann has less than 100.01"),
        ("ann", "zoe", "1", "there is no account zoe"),
        ("zoe", "ann", "1", "there is no account zoe"),
        ("ann", "ann", "1", "both accounts are the same"),
        ("ann", "bob", "0", "greater than 0"),
        ("ann", "bob", "-1", "greater than 0"),
        ("ann", "bob", "0.001", "no more than 2 decimal places"),
        ("ann", "bob", "NaN", "finite"),
    ],
    ids=["uncovered", "no-payee", "no-payer", "same", "nothing", "backwards", "fraction", "no-number"],
)
def test_what_cannot_be_moved_moves_nothing(db: Session, payer: str, payee: str, amount: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        transfer(db, "t1", payer, payee, Decimal(amount))
    assert balances(db, NAMES) == dict.fromkeys(NAMES, Decimal(100))
    assert db.run(transfer_made, "t1") is None
    assert db.run(account, "zoe") is None


def test_it_is_told_whose_balance_has_no_room(db: Session) -> None:
    most = Decimal("9999999999.99")
    db.create(Account(account_id="rich", balance=most))
    with pytest.raises(Refused, match=r"^rich has no room for 0\.01$"):
        transfer(db, "t1", "ann", "rich", Decimal("0.01"))
    with pytest.raises(Refused, match="ann has less than 200"):  # of two reasons the first
        transfer(db, "t1", "ann", "rich", Decimal(200))
    assert balances(db, ["ann", "rich"]) == {"ann": Decimal(100), "rich": most}
    assert db.run(transfer_made, "t1") is None
    transfer(db, "t1", "rich", "ann", Decimal(1))
    transfer(db, "t2", "ann", "rich", Decimal(1))


def test_everything_can_be_moved(db: Session) -> None:
    transfer(db, "t1", "ann", "bob", Decimal(100))
    assert balances(db, NAMES)["ann"] == 0


def test_a_repeated_transfer_does_nothing_even_if_it_is_no_longer_covered(db: Session) -> None:
    for _ in range(3):
        assert transfer(db, "t1", "ann", "bob", Decimal(80)).amount == 80
    assert balances(db, NAMES) == {"ann": Decimal(20), "bob": Decimal(180), "eve": Decimal(100)}
    with pytest.raises(Refused, match="t1 is the number of another transfer"):
        transfer(db, "t1", "ann", "bob", Decimal(81))


def test_a_lost_reply_does_not_move_money_twice(tablewright_table: OpenTable, tablewright_faults: Faults) -> None:
    db = tablewright_table(bank)
    fill(db)
    with tablewright_faults.inject(LostReply(operations="TransactWriteItems", times=1)) as lost:
        transfer(db, "t1", "ann", "bob", Decimal(30))  # the library repeats it, with the same token
    assert lost.fired == 1
    after = {"ann": Decimal(70), "bob": Decimal(130), "eve": Decimal(100)}
    assert balances(db, NAMES) == after
    transfer(db, "t1", "ann", "bob", Decimal(30))  # so may whoever did not hear of it, at any time
    assert balances(db, NAMES) == after


def test_nothing_is_lost_or_made_when_many_transfer_at_once(db: Session) -> None:
    pairs = list(permutations(NAMES, 2))
    plan = [(f"t{n}", *pairs[n * 7 % 6], Decimal(1 + n * 31 % 60)) for n in range(60)]

    def move(step: tuple[str, str, str, Decimal]) -> Transfer | None:
        try:
            return transfer(db, *step)
        except Refused:
            return None

    with ThreadPoolExecutor(4) as pool:
        done = [made for made in pool.map(move, [*plan, *plan[:10]]) if made is not None]
        seen = list(pool.map(lambda _: balances(db, NAMES), range(3)))
    after = balances(db, NAMES)
    assert {frozenset(each.items()) for each in seen} == {frozenset(after.items())}
    assert sum(after.values()) == 300
    assert min(after.values()) >= 0
    moved = {made.transfer_id: made for made in done}
    expected = dict.fromkeys(NAMES, Decimal(100))
    for made in moved.values():
        expected[made.payer] -= made.amount
        expected[made.payee] += made.amount
    assert after == expected
    assert 0 < len(moved) < 60, "some were covered, and some were not"


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 150)),
        max_size=12,
    )
)
def test_any_sequence_of_transfers_is_a_plain_calculation(steps: list[tuple[str, str, str, int]]) -> None:
    expected = dict.fromkeys(NAMES, 100)
    made: dict[str, tuple[str, str, int]] = {}
    with bank.open("memory:") as db:
        fill(db)
        for number, payer, payee, amount in steps:
            again = made.get(number) == (payer, payee, amount)
            fine = payer != payee and (again or (number not in made and expected[payer] >= amount))
            if not fine:
                with pytest.raises(Refused):
                    transfer(db, number, payer, payee, Decimal(amount))
                continue
            transfer(db, number, payer, payee, Decimal(amount))
            if not again:
                made[number] = (payer, payee, amount)
                expected[payer] -= amount
                expected[payee] += amount
        assert balances(db, NAMES) == expected
