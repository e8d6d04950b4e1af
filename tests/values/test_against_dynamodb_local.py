"""Numbers, checks, sizes and order side by side with AWS's own DynamoDB Local."""

import random
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tablewright.errors import ValidationError
from tablewright.values import MAX_ITEM_SIZE, canonical_number, check_value, from_wire, item_size, sort_bytes

pytestmark = pytest.mark.dynamodb_local


@pytest.fixture(scope="module")
def table(dynamodb_local: Any) -> Iterator[str]:
    """A table with a string partition key and a number sort key."""
    name = f"values-{uuid.uuid4().hex}"
    dynamodb_local.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "k", "AttributeType": "S"},
            {"AttributeName": "n", "AttributeType": "N"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    yield name
    dynamodb_local.delete_table(TableName=name)


def put(client: Any, table: str, **attributes: Any) -> str | None:
    """The error message of a put, or None."""
    try:
        client.put_item(TableName=table, Item={"k": {"S": "x"}, "n": {"N": "0"}, **attributes})
    except ClientError as error:
        return str(error.response["Error"]["Message"])
    return None


def stored(client: Any, table: str) -> Any:
    return client.get_item(TableName=table, Key={"k": {"S": "x"}, "n": {"N": "0"}})["Item"]["v"]


def number_texts() -> list[str]:
    draw = random.Random(20250131)
    texts = ["0", "-0", "1", "1e125", "1e126", "-1e126", "1e-130", "1e-131", ".5", "5.", "abc", "", "1_0", "+5", "--1"]
    texts += ["1" * 38, "1" * 39, "1" * 38 + "0", "0." + "1" * 38, "0." + "1" * 39, "9" * 38 + "e88", "9.9e-131"]
    for _ in range(60):
        digits = "".join(draw.choice("0123456789") for _ in range(draw.randint(1, 40)))
        point = draw.randint(0, len(digits))
        exponent = draw.choice(("", f"e{draw.randint(-140, 130)}", f"E+{draw.randint(0, 90)}"))
        texts.append(f"{draw.choice(('', '-'))}{digits[:point]}.{digits[point:]}{exponent}")
    return texts


def refusal(check: Callable[[Any], object], value: Any) -> str | None:
    """The message of our own check, or None."""
    try:
        check(value)
    except ValidationError as error:
        return error.message
    return None


def same_words(ours: str | None, theirs: str | None) -> bool:
    """Whether both refuse for one reason; DynamoDB Local words two of them other than the service does."""
    if ours is None or theirs is None:
        return ours is theirs
    for word, local_word in (("38 significant digits", "38 digits"), ("cannot be converted", "cannot be converted")):
        if word in ours:
            return local_word in theirs
    return ours.rstrip(".") == theirs.rstrip(".")


def test_numbers_are_stored_and_refused_alike(dynamodb_local: Any, table: str) -> None:
    for text in number_texts():
        theirs = put(dynamodb_local, table, v={"N": text})
        ours = refusal(canonical_number, text)
        assert same_words(ours, theirs), (text, ours, theirs)
        if ours is None:
            assert stored(dynamodb_local, table) == {"N": canonical_number(text)}


def test_values_are_accepted_and_refused_alike(dynamodb_local: Any, table: str) -> None:
    deep: dict[str, Any] = {"S": "x"}
    for _ in range(31):
        deep = {"M": {"a": deep}}
    values: list[dict[str, Any]] = [
        {"S": ""},
        {"SS": ["a", "b"]},
        {"SS": [""]},
        {"NS": ["1", "2.50"]},
        {"L": []},
        {"M": {}},
        {"L": [{"M": {"a": {"NULL": True}}}]},
        deep,
        {"L": [deep]},
        {"NULL": False},
        {"SS": []},
        {"NS": []},
        {"BS": []},
        {"SS": ["a", "a"]},
        {"NS": ["1", "1.0"]},
        {"M": {"": {"S": "x"}}},
        {"L": [{"N": "1e126"}]},
    ]
    for value in values:
        theirs = put(dynamodb_local, table, v=value)
        ours = refusal(check_value, value)
        assert same_words(ours, theirs), (value, ours, theirs)
        if ours is None:
            assert from_wire(stored(dynamodb_local, table)) == from_wire(check_value(value))


@pytest.mark.parametrize(
    "value",
    [
        {"N": "0"},
        {"N": "21000"},
        {"N": "2100"},
        {"N": "0.015"},
        {"N": "-1.5"},
        {"N": "3.14159"},
        {"N": "-1." + "2" * 37},
        {"N": "-" + "9" * 38},
        {"S": "é😀"},
        {"B": b"abc"},
        {"BOOL": True},
        {"NULL": True},
        {"L": [{"S": "a"}, {"N": "12"}]},
        {"M": {"né": {"L": []}}},
        {"SS": ["a", "bc"]},
        {"NS": ["1", "-2"]},
        {"BS": [b"a", b"bcd"]},
    ],
    ids=repr,
)
def test_items_fit_or_not_to_the_byte(dynamodb_local: Any, table: str, value: dict[str, Any]) -> None:
    raw = {tag: _as_wire(tag, content) for tag, content in value.items()}
    size = item_size({"k": {"S": "x"}, "n": {"N": "0"}, "v": raw, "pad": {"S": ""}})
    room = MAX_ITEM_SIZE - size
    assert put(dynamodb_local, table, v=value, pad={"S": "x" * room}) is None
    assert put(dynamodb_local, table, v=value, pad={"S": "x" * (room + 1)}) is not None


def _as_wire(tag: str, content: Any) -> Any:
    """boto3 takes raw bytes where the wire has base64."""
    if tag == "B":
        return b64encode(content).decode()
    return [b64encode(member).decode() for member in content] if tag == "BS" else content


def test_number_keys_sort_alike(dynamodb_local: Any, table: str) -> None:
    draw = random.Random(7)
    texts = {"0", "-1", "1", "10", "9.99", "-9.99", "1e125", "-1e125", "1e-130", "-1e-130"}
    while len(texts) < 60:
        number = Decimal(draw.randint(-(10**6), 10**6)).scaleb(draw.choice((-9, -2, 0, 0, 3, 40, -60)))
        texts.add(canonical_number(str(number)))
    for text in texts:
        dynamodb_local.put_item(TableName=table, Item={"k": {"S": "sorted"}, "n": {"N": text}})
    answer = dynamodb_local.query(
        TableName=table, KeyConditionExpression="k = :k", ExpressionAttributeValues={":k": {"S": "sorted"}}
    )
    in_order = [item["n"]["N"] for item in answer["Items"]]
    assert in_order == sorted(map(canonical_number, texts), key=lambda text: sort_bytes({"N": text}))
