"""A small model, and a little code for boto3 as it is written without a thought of tests."""

from __future__ import annotations

from typing import Any

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

accounts = Table("Accounts", indexes=[GSI("GSI1")])


class Account(Entity, table=accounts):
    keys = Keys("ACCOUNT#{number}", "ACCOUNT#{number}", GSI1=("BRANCH#{branch}", "ACCOUNT#{number}"))
    number: str
    branch: str = "main"
    balance: int = 0


@accounts.pattern
def account(number: str) -> Get[Account]:
    """One account."""
    return get(Account, Account.number == number)


@accounts.pattern
def accounts_of(branch: str) -> Query[Account]:
    """The accounts of a branch."""
    return query(Account, Account.branch == branch)


NOTES: dict[str, Any] = {
    "TableName": "Notes",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
