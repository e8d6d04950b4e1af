"""How a table is to be run: kept as it is said, refused where AWS would refuse it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import GSI, LSI, Alarms, Deployment, KmsKey, OnDemand, Provisioned, Table, Warm
from tablewright.errors import ModelError


def test_a_table_is_safe_unless_something_else_is_said() -> None:
    deployment = Table("AppTable").deployment
    assert deployment == Deployment()
    assert deployment.billing == "on-demand"
    assert deployment.recovery
    assert deployment.deletion_protection
    assert deployment.retain
    assert deployment.encryption == "aws-owned"
    assert not deployment.contributor_insights
    assert deployment.alarms == Alarms(throttles=1, system_errors=1, user_errors=None, latency_ms="expected")


def test_what_is_said_is_kept() -> None:
    said = Deployment(encryption=KmsKey("alias/orders"), tags={"team": "shop"}, alarms=None)
    assert Table("AppTable", deployment=said).deployment is said


def test_an_index_has_the_capacity_of_the_table_or_its_own() -> None:
    small = Provisioned(read=1, write=1)
    billing = Provisioned(read=10, write=5, max_read=100, indexes={"GSI1": small})
    table = Table("AppTable", indexes=[GSI("GSI1"), GSI("GSI2")], deployment=Deployment(billing=billing))
    assert isinstance(table.deployment.billing, Provisioned)
    assert table.deployment.billing.of("GSI1") == small
    assert table.deployment.billing.of("GSI2") == billing


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "no units": (lambda: Provisioned(read=0, write=1), "read is a whole number"),
    "half a unit": (lambda: Provisioned(read=1, write=1.5), "write is a whole number"),  # type: ignore[arg-type]
    "most below least": (lambda: Provisioned(read=1, write=5, max_write=4), "max_write is less"),
    "target": (lambda: Provisioned(read=1, write=1, target=95), "from 20 to 90"),
    "index of an index": (
        lambda: Provisioned(
            read=1,
            write=1,
            indexes={"GSI1": Provisioned(read=1, write=1, indexes={"A": Provisioned(read=1, write=1)})},
        ),
        "'GSI1' has indexes itself",
    ),
    "indexes": (lambda: Provisioned(read=1, write=1, indexes={"GSI1": 5}), "mapping from names to Provisioned"),  # type: ignore[dict-item]
    "billing": (lambda: Deployment(billing="PAY_PER_REQUEST"), "billing is"),  # type: ignore[arg-type]
    "switch": (lambda: Deployment(retain="yes"), "retain is True or False"),  # type: ignore[arg-type]
    "recovery": (lambda: Deployment(recovery="yes"), "recovery is True, False, or"),  # type: ignore[arg-type]
    "too many days": (lambda: Deployment(recovery=36), "from 1 to 35"),
    "no days": (lambda: Deployment(recovery=0), "from 1 to 35"),
    "no limit": (lambda: OnDemand(max_read=0), "OnDemand: max_read is a whole number"),
    "limits of an index": (
        lambda: OnDemand(indexes={"GSI1": OnDemand(indexes={"A": OnDemand(max_read=1)})}),
        "'GSI1' have indexes themselves",
    ),
    "cold": (lambda: Deployment(warm=Warm(read=11_000, write=4_000)), "12,000 read and 4,000 write"),
    "cold index": (
        lambda: Deployment(warm=Warm(read=12_000, write=4_000, indexes={"A": Warm(read=1, write=1)})),
        "12,000 read and 4,000 write",
    ),
    "warm": (lambda: Deployment(warm=5), "warm is Warm"),  # type: ignore[arg-type]
    "warm index of an index": (
        lambda: Warm(read=1, write=1, indexes={"A": Warm(read=1, write=1, indexes={"B": Warm(read=1, write=1)})}),
        "'A' has indexes itself",
    ),
    "warm at no index": (
        lambda: Table(
            "AppTable",
            deployment=Deployment(
                billing=Provisioned(read=1, write=1),
                warm=Warm(read=1, write=1, indexes={"GSI1": Warm(read=1, write=1)}),
            ),
        ),
        "no global index",
    ),
    "breaching": (lambda: Alarms(minutes=3, breaching=4), "breaching is"),
    "encryption": (lambda: Deployment(encryption="kms"), "encryption is"),  # type: ignore[arg-type]
    "key": (lambda: KmsKey("my key"), "no name of a key"),
    "class": (lambda: Deployment(table_class="COLD"), "table_class is one of"),  # type: ignore[arg-type]
    "alarms": (lambda: Deployment(alarms=True), "alarms is"),  # type: ignore[arg-type]
    "threshold": (lambda: Alarms(throttles=0), "throttles is"),
    "latency": (lambda: Alarms(latency_ms=0), "latency_ms is"),
    "latency word": (lambda: Alarms(latency_ms="usual"), "latency_ms is"),  # type: ignore[arg-type]
    "minutes": (lambda: Alarms(minutes=0), "minutes is"),
    "topic": (lambda: Alarms(topic="me@example.com"), "no ARN"),
    "tags": (lambda: Deployment(tags={"n": 1}), "tags is a mapping"),  # type: ignore[dict-item]
    "tag": (lambda: Deployment(tags={"a*": "b"}), "the tag 'a\\*'"),
    "own tag": (lambda: Deployment(tags={"aws:x": "b"}), "begins with aws:"),
    "many tags": (lambda: Deployment(tags={f"t{n}": "" for n in range(51)}), "51 tags"),
    "no deployment": (lambda: Table("AppTable", deployment="prod"), "not str"),  # type: ignore[arg-type]
    "unknown index": (
        lambda: Table(
            "AppTable",
            indexes=[GSI("GSI1"), LSI("LSI1")],
            deployment=Deployment(billing=Provisioned(read=1, write=1, indexes={"LSI1": Provisioned(read=1, write=1)})),
        ),
        "no global index",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused(case: str) -> None:
    make, message = WRONG[case]
    with pytest.raises(ModelError, match=message):
        make()
