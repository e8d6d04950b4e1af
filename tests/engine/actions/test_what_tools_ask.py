"""Operations that tools call on every refresh, about features that the engine has not."""

from typing import Any

import pytest


def test_a_table_without_them(table: Any, call: Any) -> None:
    assert table("DescribeContributorInsights") == {"TableName": "App", "ContributorInsightsStatus": "DISABLED"}
    assert table("DescribeContributorInsights", IndexName="ByGroup")["IndexName"] == "ByGroup"
    assert table("ListContributorInsights") == {"ContributorInsightsSummaries": []}
    assert table("DescribeKinesisStreamingDestination") == {"TableName": "App", "KinesisDataStreamDestinations": []}
    assert table("DescribeTableReplicaAutoScaling")["TableAutoScalingDescription"]["Replicas"] == []
    assert call("ListGlobalTables") == {"GlobalTables": []}
    assert call.refused("DescribeGlobalTable", GlobalTableName="App")[0] == "GlobalTableNotFoundException"


def test_quotas_and_addresses(call: Any) -> None:
    limits = call("DescribeLimits")
    assert limits["AccountMaxReadCapacityUnits"] >= limits["TableMaxReadCapacityUnits"] > 0
    (endpoint,) = call("DescribeEndpoints")["Endpoints"]
    assert "amazonaws" not in endpoint["Address"]


@pytest.mark.parametrize(
    "operation",
    [
        "DescribeContributorInsights",
        "ListContributorInsights",
        "DescribeKinesisStreamingDestination",
        "DescribeTableReplicaAutoScaling",
    ],
)
def test_of_no_table(call: Any, operation: str) -> None:
    assert call.refused(operation, TableName="Nobody") == (
        "ResourceNotFoundException",
        "Requested resource not found: Table: Nobody not found",
    )


def test_what_no_engine_knows(call: Any) -> None:
    assert call.refused("MakeCoffee")[0] == "UnknownOperationException"
