"""TW901: dynamoDB is called outside the data layer."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Place, Subject
from tablewright.lint.rule import Rule
from tablewright.lint.sourcecode import dynamodb_calls, files


class CallOutside(Rule):
    """DynamoDB is called outside the data layer.

    Where code of an application makes requests to DynamoDB itself, keys are built by hand once more, conditions are
    forgotten, and a change of the model does not reach it. `tablewright lint --source app --access app/store` looks at
    the files of `app`, and lets only those of the data layer call DynamoDB: through boto3, aioboto3, aiobotocore,
    botocore or aiodynamo.

    Bad:

    ```python
    import boto3


    def orders_of(username: str) -> list:
        client = boto3.client("dynamodb")
        return client.query(TableName="Shop", KeyConditionExpression="PK = :p")["Items"]
    ```

    Good:

    ```python
    from store import Store


    def orders_of(store: Store, username: str) -> list:
        return list(store.orders_of(username))
    ```
    """

    code = "TW901"
    name = "call-outside"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for file in files(design):
            if not file.inside(design.access):
                for line, what in dynamodb_calls(file.tree):
                    yield Found(
                        Subject(file.name, None),
                        f"{what} is used outside the data layer.",
                        "Move it into the data layer, and let the application call functions of it; or name its folder with --access.",
                        place=Place(file.name, line),
                    )
