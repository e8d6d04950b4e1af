"""What the tests of PartiQL share: an engine with a few tables and items, and short calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError, TransactionCanceled

Item = dict[str, Any]


def s(text: str) -> Item:
    return {"S": text}


def n(number: object) -> Item:
    return {"N": str(number)}


class Sql:
    """Runs statements: `sql(…)` for the items, `sql.refused(…)` for an error's name and message."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def answer(self, statement: str, *parameters: Item, **more: Any) -> dict[str, Any]:
        request: dict[str, Any] = {"Statement": statement, **more}
        if parameters:
            request["Parameters"] = list(parameters)
        return self.engine.execute("ExecuteStatement", request)

    def __call__(self, statement: str, *parameters: Item, **more: Any) -> list[Item]:
        items: list[Item] = self.answer(statement, *parameters, **more)["Items"]
        return items

    def keys(self, statement: str, *parameters: Item, **more: Any) -> list[str]:
        """The keys of the items, as pk and sk in one word."""
        return [item["pk"]["S"] + item["sk"]["N"] for item in self(statement, *parameters, **more)]

    def refused(self, statement: str, *parameters: Item, **more: Any) -> tuple[str, str]:
        with pytest.raises(ServiceError) as caught:
            self(statement, *parameters, **more)
        return caught.value.wire_name, caught.value.message

    def wrong(self, statement: str, *parameters: Item, **more: Any) -> str:
        """The message of a statement that is refused as not valid."""
        name, message = self.refused(statement, *parameters, **more)
        assert name == "ValidationException"
        return message

    def get(self, pk: str, sk: int, table: str = "App") -> Item | None:
        found: Item | None = self.engine.execute(
            "GetItem", {"TableName": table, "Key": {"pk": s(pk), "sk": n(sk)}}
        ).get("Item")
        return found

    def batch(self, *statements: str | dict[str, Any], **more: Any) -> dict[str, Any]:
        return self.engine.execute("BatchExecuteStatement", {"Statements": _parts(statements), **more})

    def transaction(self, *statements: str | dict[str, Any], **more: Any) -> dict[str, Any]:
        return self.engine.execute("ExecuteTransaction", {"TransactStatements": _parts(statements), **more})

    def cancelled(self, *statements: str | dict[str, Any], **more: Any) -> list[tuple[str, str | None]]:
        """The codes and messages of a transaction that is cancelled."""
        with pytest.raises(TransactionCanceled) as caught:
            self.transaction(*statements, **more)
        return [(reason.code, reason.message) for reason in caught.value.reasons]


def _parts(statements: tuple[str | dict[str, Any], ...]) -> list[dict[str, Any]]:
    return [{"Statement": one} if isinstance(one, str) else one for one in statements]


@pytest.fixture
def app(table_definition: Callable[[str], Item]) -> Iterator[Engine]:
    """An engine with the table App and, under a and b, three items each; and a table Plain without sort key."""
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", table_definition("App"))
        engine.execute(
            "CreateTable",
            {
                "TableName": "Plain",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            },
        )
        for pk in "ab":
            for sk in (1, 2, 3):
                item = {
                    "pk": s(pk),
                    "sk": n(sk),
                    "v": n(sk * 10),
                    "t": s(f"t{sk}"),
                    "g": s("x"),
                    "r": s(f"r{sk}"),
                    "l": s(f"l{4 - sk}"),
                    "inc": s("in"),
                    "m": {"M": {"a": s("in"), "b": {"L": [n(1), {"M": {"c": s("deep")}}]}}},
                    "ss": {"SS": ["p", "q"]},
                    "nil": {"NULL": True},
                    "yes": {"BOOL": True},
                    "lst": {"L": [n(1), s("two")]},
                }
                engine.execute("PutItem", {"TableName": "App", "Item": item})
        yield engine
        assert engine.verify() == []


@pytest.fixture
def sql(app: Engine) -> Sql:
    """Runs statements on App."""
    return Sql(app)
