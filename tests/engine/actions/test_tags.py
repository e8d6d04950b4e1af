"""TagResource, UntagResource and ListTagsOfResource, and tags of new tables."""

from typing import Any

import pytest

ARN = "arn:aws:dynamodb:local:000000000000:table/App"
NOBODY = "arn:aws:dynamodb:local:000000000000:table/Nobody"


def tags(**values: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in values.items()]


def listed(call: Any, arn: str = ARN) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in call("ListTagsOfResource", ResourceArn=arn)["Tags"]}


def test_tags_come_change_and_go(table: Any, call: Any) -> None:
    assert call("ListTagsOfResource", ResourceArn=ARN) == {"Tags": []}
    assert call("TagResource", ResourceArn=ARN, Tags=tags(team="a", stage="dev", empty="")) == {}
    call("TagResource", ResourceArn=ARN, Tags=tags(stage="live"))
    assert listed(call) == {"team": "a", "stage": "live", "empty": ""}
    assert call("UntagResource", ResourceArn=ARN, TagKeys=["team", "never"]) == {}
    assert listed(call) == {"stage": "live", "empty": ""}


def test_a_table_can_be_born_with_tags_and_takes_them_along(call: Any, table_definition: Any) -> None:
    call("CreateTable", **table_definition("App"), Tags=tags(team="a"))
    assert listed(call) == {"team": "a"}
    call("DeleteTable", TableName="App")
    call("CreateTable", **table_definition("App"))
    assert listed(call) == {}


def test_a_table_with_wrong_tags_is_not_created(call: Any, table_definition: Any) -> None:
    many = tags(**{f"k{n}": "v" for n in range(51)})
    assert call.refused("CreateTable", **table_definition("App"), Tags=many)[0] == "ValidationException"
    assert call("ListTables")["TableNames"] == []


def test_a_table_has_fifty_tags_at_most(table: Any, call: Any) -> None:
    call("TagResource", ResourceArn=ARN, Tags=tags(**{f"k{n}": "v" for n in range(50)}))
    call("TagResource", ResourceArn=ARN, Tags=tags(k1="w"))
    refused = call.refused("TagResource", ResourceArn=ARN, Tags=tags(more="v"))
    assert refused == ("ValidationException", "Number of Tags exceed the current limit for the provided ResourceArn")
    assert len(listed(call)) == 50


def test_a_page_starts_behind_its_token(table: Any, call: Any) -> None:
    call("TagResource", ResourceArn=ARN, Tags=tags(a="1", b="2", c="3"))
    assert call("ListTagsOfResource", ResourceArn=ARN, NextToken="b")["Tags"] == tags(c="3")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (tags(**{"aws:team": "a"}), "Tag Key cannot be prefixed with aws:, Key: aws:team"),
        (tags(**{"AWS:x": "a"}), "Tag Key cannot be prefixed with aws:, Key: AWS:x"),
        (tags(team="<a>"), "The Tag Value provided is invalid, Value: <a>"),
        (tags(**{"a;b": "c"}), "The Tag Key provided is invalid, Key: a;b"),
        (tags(**{"": "c"}), "The Tag Key provided is invalid, Key: "),
        (tags(**{"k" * 129: "c"}), f"The Tag Key provided is invalid, Key: {'k' * 129}"),
        (tags(a="v" * 257), f"The Tag Value provided is invalid, Value: {'v' * 257}"),
        (tags(a="1") + tags(a="2"), "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"),
        ([{}], "The Tag Key provided is invalid, Key: null"),
        ([{"Key": "a"}], "The Tag Value provided is invalid, Value: null"),
    ],
    ids=["reserved", "capitals", "value", "key", "empty", "long-key", "long-value", "twice", "nothing", "key-only"],
)
def test_tags_that_are_refused(
    table: Any, call: Any, table_definition: Any, wrong: list[dict[str, str]], message: str
) -> None:
    assert call.refused("TagResource", ResourceArn=ARN, Tags=wrong) == ("ValidationException", message)
    assert listed(call) == {}
    refused = call.refused("CreateTable", **table_definition("Other"), Tags=wrong)
    assert refused == ("ValidationException", message)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([""], "The Tag Key provided is invalid, Key: "),
        (["k" * 129], f"The Tag Key provided is invalid, Key: {'k' * 129}"),
        ([f"k{n}" for n in range(51)], "Number of Tags exceed the current limit for the provided ResourceArn"),
    ],
    ids=["empty", "long", "many"],
)
def test_keys_that_nothing_is_untagged_by(table: Any, call: Any, keys: list[str], message: str) -> None:
    call("TagResource", ResourceArn=ARN, Tags=tags(k1="v"))
    assert call.refused("UntagResource", ResourceArn=ARN, TagKeys=keys) == ("ValidationException", message)
    assert listed(call) == {"k1": "v"}


def test_letters_of_any_script_are_allowed(table: Any, call: Any) -> None:
    call("TagResource", ResourceArn=ARN, Tags=tags(**{"Größe 1": "ѮѮ/a=b+c-d.e_f:g@h"}))
    assert listed(call) == {"Größe 1": "ѮѮ/a=b+c-d.e_f:g@h"}


@pytest.mark.parametrize(
    ("operation", "more"), [("TagResource", {"Tags": tags(a="b")}), ("UntagResource", {"TagKeys": ["a"]})]
)
def test_what_cannot_be_tagged(call: Any, table: Any, operation: str, more: dict[str, Any]) -> None:
    assert call.refused(operation, ResourceArn="App", **more) == (
        "ValidationException",
        "One or more parameter values were invalid: ARNs must start with 'arn:': App",
    )
    for wrong in ("arn:aws:dynamodb:local:000000000000:table/ab", f"{ARN}/index/ByGroup"):
        assert call.refused(operation, ResourceArn=wrong, **more) == (
            "ValidationException",
            f"Invalid TableArn: Invalid ResourceArn provided as input {wrong}",
        )
    assert call.refused(operation, **more) == ("ValidationException", "Invalid TableArn")
    assert call.refused(operation, ResourceArn=NOBODY, **more)[0] == "ResourceNotFoundException"


def test_nothing_to_do_is_refused(call: Any) -> None:
    assert call.refused("TagResource", ResourceArn=NOBODY, Tags=[]) == (
        "ValidationException",
        "Atleast one Tag needs to be provided as Input.",
    )
    assert call.refused("UntagResource", ResourceArn=NOBODY, TagKeys=[]) == (
        "ValidationException",
        "Atleast one Tag Key needs to be provided as Input.",
    )


def test_tags_of_no_table_are_not_for_everybody(call: Any) -> None:
    name, message = call.refused("ListTagsOfResource", ResourceArn=NOBODY)
    assert name == "AccessDeniedException"
    assert f"dynamodb:ListTagsOfResource on resource: {NOBODY}" in message
