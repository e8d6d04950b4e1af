"""What a table that exists tells of itself is in its model: how items expire, its stream, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tablewright import Deployment, KmsKey, OnDemand, Provisioned, Table
from tablewright.infer.inferring import Inferred, infer
from tablewright.infer.sample import layout_of
from tablewright.infer.settings import Settings, settings_of
from tablewright.values.wire import to_wire_item

KEY = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
DESCRIBED: dict[str, Any] = {
    "TableName": "Things",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI2PK")
    ],
    "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
    "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
    "DeletionProtectionEnabled": True,
    "GlobalSecondaryIndexes": [
        {
            "IndexName": name,
            "KeySchema": [{"AttributeName": f"{name}PK", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
            "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        }
        for name in ("GSI1", "GSI2")
    ],
}


def worked_out(settings: Settings | None = None, ttl: str | None = None, **fields: Any) -> Inferred:
    items = [to_wire_item({"PK": f"THING#{n}", "SK": "THING", "Type": "Thing", **fields}) for n in range(5)]
    return infer(layout_of(DESCRIBED, ttl, settings), items)


def table_of(found: Inferred) -> Table:
    names: dict[str, Any] = {}
    exec(found.code, names)
    (table,) = (value for value in names.values() if isinstance(value, Table))
    return table


def units(read: int, write: int) -> dict[str, Any]:
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def limits(read: int, write: int) -> dict[str, Any]:
    return {"OnDemandThroughput": {"MaxReadRequestUnits": read, "MaxWriteRequestUnits": write}}


def with_indexes(own: Mapping[str, Any], *others: Mapping[str, Any]) -> dict[str, Any]:
    indexes = [i | dict(o) for i, o in zip(DESCRIBED["GlobalSecondaryIndexes"], others, strict=True)]
    return {**own, "GlobalSecondaryIndexes": indexes}


PROVISIONED = {"BillingModeSummary": {"BillingMode": "PROVISIONED"}}
CASES: dict[str, tuple[dict[str, Any], Deployment]] = {
    "as it is by itself": ({}, Deployment()),
    "not protected": ({"DeletionProtectionEnabled": False}, Deployment(deletion_protection=False)),
    "provisioned": (
        with_indexes(PROVISIONED | units(10, 5), units(10, 5), units(3, 2)),
        Deployment(billing=Provisioned(read=10, write=5, indexes={"GSI2": Provisioned(read=3, write=2)})),
    ),
    "provisioned since ever": (
        with_indexes({"BillingModeSummary": None} | units(10, 5), units(10, 5), units(10, 5)),
        Deployment(billing=Provisioned(read=10, write=5)),
    ),
    "limited": (
        with_indexes(limits(500, -1), limits(500, -1), limits(-1, -1)),
        Deployment(billing=OnDemand(max_read=500, indexes={"GSI2": OnDemand()})),
    ),
    "limited on an index": (
        with_indexes({}, limits(-1, 40), {}),
        Deployment(billing=OnDemand(indexes={"GSI1": OnDemand(max_write=40)})),
    ),
    "seldom read": (
        {"TableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"}},
        Deployment(table_class="STANDARD_INFREQUENT_ACCESS"),
    ),
    "standard": ({"TableClassSummary": {"TableClass": "STANDARD"}}, Deployment()),
    "a key": (
        {"SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": KEY}},
        Deployment(encryption=KmsKey(KEY)),
    ),
    "a key no longer": (
        {"SSEDescription": {"Status": "DISABLED", "SSEType": "KMS", "KMSMasterKeyArn": KEY}},
        Deployment(),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_how_a_table_is_run_stands_in_its_model(case: str) -> None:
    told, deployment = CASES[case]
    found = worked_out(settings_of(DESCRIBED | told))
    assert table_of(found).deployment == deployment
    assert table_of(found).stream is None
    assert found.misfits == ()


@pytest.mark.parametrize(
    ("described", "recovery"),
    [
        ({"PointInTimeRecoveryStatus": "DISABLED"}, False),
        ({"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 7}, 7),
        ({"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 35}, True),
        ({"PointInTimeRecoveryStatus": "ENABLED"}, True),
    ],
    ids=["off", "a week", "as long as can be", "on"],
)
def test_recovery(described: dict[str, Any], recovery: bool | int) -> None:
    found = worked_out(settings_of(DESCRIBED, backups={"PointInTimeRecoveryDescription": described}))
    assert table_of(found).deployment == Deployment(recovery=recovery)


def test_tags_and_insights() -> None:
    tags = {"team": 'the "first"', "aws:cloudformation:stack-name": "stack"}
    found = worked_out(settings_of(DESCRIBED, tags=tags, insights=True))
    # Quotes are none that AWS takes in a tag.
    assert table_of(found).deployment == Deployment(contributor_insights=True)
    tags["team"] = "the first"
    found = worked_out(settings_of(DESCRIBED, tags=tags, insights=True))
    assert table_of(found).deployment == Deployment(tags={"team": "the first"}, contributor_insights=True)


def test_a_stream() -> None:
    on = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}}
    assert table_of(worked_out(settings_of(DESCRIBED | on))).stream == "NEW_IMAGE"
    off = {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}}
    assert table_of(worked_out(settings_of(DESCRIBED | off))).stream is None


def test_what_a_table_does_not_tell_is_told() -> None:
    key = {"SSEDescription": {"Status": "ENABLED", "KMSMasterKeyArn": KEY}}
    (note,) = worked_out(settings_of(DESCRIBED | key)).notes
    assert 'encryption="aws-managed"' in note
    (note,) = worked_out(settings_of(DESCRIBED | PROVISIONED | units(10, 5))).notes
    assert "Whether its capacity scales is not told" in note
    odd = settings_of(
        DESCRIBED | {"SSEDescription": {"Status": "ENABLED", "KMSMasterKeyArn": "?"}}, tags={"team": "a*b"}
    )
    found = worked_out(odd)
    assert table_of(found).deployment == Deployment()
    assert [word in found.notes[0] for word in ("key", "tags")] == [True, False]
    assert "tags" in found.notes[1]


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (1_800_000_000, 'Annotated[datetime, Epoch("s")]'),
        (4_102_444_800, 'Annotated[datetime, Epoch("s")]'),
        (0, 'Annotated[datetime, Epoch("s")]'),
        (10**15, "int"),
    ],
    ids=["soon", "in 2100", "at once", "never"],
)
def test_items_expire_as_they_do(value: int, annotation: str) -> None:
    found = worked_out(ttl="gone", gone=value)
    assert f"    gone: {annotation}" in found.code
    assert table_of(found).ttl_attribute == "gone"
    assert found.misfits == ()
    # A number that is no time to begin with stays one.
    assert "    gone: int\n" in worked_out(gone=value).code


@pytest.mark.parametrize("value", ["2026-01-31", 1_800_000_000_000], ids=["a text", "milliseconds"])
def test_what_no_item_can_expire_by_is_told(value: str | int) -> None:
    found = worked_out(ttl="expires_at", expires_at=value)
    assert table_of(found).ttl_attribute is None
    assert found.notes == (
        "Items expire by expires_at, which is no number of seconds in the sample: give their entity ttl= by hand.",
    )
