"""Accounts and transfers: money moves all of it or not at all, once, and no balance goes below nothing.

`python -m examples.small.accounts` shows it.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tablewright import Entity, Get, Keys, Session, Table, get
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, NotFoundError

bank = Table("Bank")

Id = Annotated[str, Field(min_length=1, max_length=40)]
Money = Annotated[Decimal, Field(max_digits=12, decimal_places=2)]


class Account(Entity, table=bank):
    """Somebody's money. The bounds of the balance, nothing and twelve digits, are a condition of every write."""

    keys = Keys("ACCOUNT#{account_id}", "ACCOUNT#{account_id}")
    account_id: Id
    balance: Annotated[Money, Field(ge=0)] = Decimal(0)


class Transfer(Entity, table=bank):
    """That money was moved. Its number can be used once, so a transfer that is repeated does nothing."""

    keys = Keys("TRANSFER#{transfer_id}", "TRANSFER#{transfer_id}")
    transfer_id: Id
    payer: Id
    payee: Id
    amount: Annotated[Money, Field(gt=0)]


class Refused(ValueError):
    """A transfer that cannot be made. Nothing was moved."""


@bank.pattern
def account(account_id: str) -> Get[Account]:
    "An account by its number."
    return get(Account, Account.account_id == account_id)


@bank.pattern
def transfer_made(transfer_id: str) -> Get[Transfer]:
    "A transfer by its number."
    return get(Transfer, Transfer.transfer_id == transfer_id).consistent()


def transfer(db: Session, transfer_id: str, payer: str, payee: str, amount: Decimal) -> Transfer:
    """Moves an amount, of more than nothing. With a number that was used, for the same transfer, it does nothing."""
    made = Transfer(transfer_id=transfer_id, payer=payer, payee=payee, amount=amount)
    if payer == payee:
        raise Refused("both accounts are the same")
    try:
        with db.transaction() as tx:
            tx.create(made)  # first, because of several failures the first one is told
            tx.update(account(payer), add={"balance": -amount})
            tx.update(account(payee), add={"balance": amount})
    except AlreadyExistsError:
        if db.run(transfer_made, transfer_id) != made:
            raise Refused(f"{transfer_id} is the number of another transfer") from None
    except NotFoundError as error:
        raise Refused(f"there is no account {(payer, payee)[error.context['action'] - 1]}") from None
    except ConditionalCheckError as error:
        uncovered = error.context["action"] == 1  # else it is the payee's, whose balance has a bound above too
        raise Refused(f"{payer} has less than {amount}" if uncovered else f"{payee} has no room for {amount}") from None
    return made


def balances(db: Session, account_ids: Iterable[str]) -> dict[str, Decimal]:
    """What is on these accounts, all as of one moment."""
    found = db.get_many([account(account_id) for account_id in account_ids], together=True)
    return {each.account_id: each.balance for each in found if each is not None}


def main() -> None:
    """Two accounts, a transfer, its repetition, and one that is not covered."""
    with bank.open("memory:") as db:
        db.create(Account(account_id="ann", balance=Decimal(100)))
        db.create(Account(account_id="bob"))
        for _ in range(2):  # the second time does nothing
            transfer(db, "t1", "ann", "bob", Decimal("30.50"))
        try:
            transfer(db, "t2", "bob", "ann", Decimal(31))
        except Refused as error:
            print(f"refused: {error}")
        print({name: str(balance) for name, balance in balances(db, ["ann", "bob"]).items()})


if __name__ == "__main__":
    main()
