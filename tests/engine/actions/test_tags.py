"""TagResource, UntagResource and ListTagsOfResource, and tags of new tables."""

from typing import Any

import pytest

INVALID = "One or more parameter values were invalid: "
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
    assert refused == ("ValidationException", f"{INVALID}The number of tags exceeds the limit of 50 per resource")
    assert len(listed(call)) == 50


def test_a_page_starts_behind_its_token(table: Any, call: Any) -> None:
    call("TagResource", ResourceArn=ARN, Tags=tags(a="1", b="2", c="3"))
    assert call("ListTagsOfResource", ResourceArn=ARN, NextToken="b")["Tags"] == tags(c="3")


@pytest.mark.parametrize(
    "wrong",
    [
        tags(**{"aws:team": "a"}),
        tags(**{"AWS:x": "a"}),
        tags(team="<a>"),
        tags(**{"a;b": "c"}),
        tags(a="1") + tags(a="2"),
    ],
    ids=["reserved", "reserved-in-capitals", "value", "key", "twice"],
)
def test_tags_that_are_refused(table: Any, call: Any, wrong: list[dict[str, str]]) -> None:
    name, message = call.refused("TagResource", ResourceArn=ARN, Tags=wrong)
    assert (name, message.startswith(INVALID)) == ("ValidationException", True)
    assert listed(call) == {}


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
