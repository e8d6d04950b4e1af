"""CreateTable, DescribeTable, UpdateTable, DeleteTable and ListTables."""

from typing import Any

import pytest

from tablewright.engine.storage import catalogue

INVALID = "One or more parameter values were invalid: "
ALL = {"ProjectionType": "ALL"}


def attributes(*names: str, tag: str = "S") -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": tag} for name in names]


def keys(*names: str) -> list[dict[str, str]]:
    """Key schemas from names like "h:pk" and "r:sk"."""
    roles = {"h": "HASH", "r": "RANGE"}
    return [{"AttributeName": name[2:], "KeyType": roles[name[0]]} for name in names]


def index(name: str, *names: str, **more: Any) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": keys(*names), "Projection": ALL, **more}


BASE: dict[str, Any] = {
    "TableName": "Made",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": attributes("pk", "sk"),
    "KeySchema": keys("h:pk", "r:sk"),
}


def test_a_described_table(table: Any, call: Any) -> None:
    table.put(pk={"S": "a"}, sk={"N": "1"}, g={"S": "g"}, r={"S": "r"})
    table.put(pk={"S": "a"}, sk={"N": "2"})
    described = call("DescribeTable", TableName="App")["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["TableArn"] == "arn:aws:dynamodb:local:000000000000:table/App"
    assert described["ItemCount"] == 2
    assert described["TableSizeBytes"] == 7 + 7 + 4
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    by_group, by_four = described["GlobalSecondaryIndexes"]
    assert (by_group["IndexName"], by_group["IndexStatus"], by_group["ItemCount"]) == ("ByGroup", "ACTIVE", 1)
    assert by_group["IndexArn"].endswith("table/App/index/ByGroup")
    assert (by_four["ItemCount"], len(by_four["KeySchema"])) == (0, 4)
    assert [i["IndexName"] for i in described["LocalSecondaryIndexes"]] == ["ByLocal", "ByLocalKeys"]
    assert "IndexNumbers" not in described


def test_a_description_belongs_to_the_caller(table: Any, call: Any) -> None:
    first = call("DescribeTable", TableName="App")["Table"]
    first["KeySchema"].clear()
    assert len(call("DescribeTable", TableName="App")["Table"]["KeySchema"]) == 2


def test_creating_twice(call: Any) -> None:
    assert call("CreateTable", **BASE)["TableDescription"]["TableStatus"] == "CREATING"
    assert call("DescribeTable", TableName="Made")["Table"]["TableStatus"] == "ACTIVE"
    assert call.refused("CreateTable", **BASE) == ("ResourceInUseException", "Table already exists: Made")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"BillingMode": None},
            f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        ),
        (
            {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        ),
        ({"KeySchema": keys("r:pk", "h:sk")}, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"),
        ({"KeySchema": keys("h:pk", "h:sk")}, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"),
        (
            {"KeySchema": keys("h:pk", "r:pk")},
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ),
        (
            {"KeySchema": keys("h:pk", "r:zz")},
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, zz], "
            "AttributeDefinitions: [pk, sk]",
        ),
        (
            {"AttributeDefinitions": attributes("pk", "sk", "zz")},
            f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions",
        ),
        (
            {
                "AttributeDefinitions": attributes("pk", "sk", "a", "zz"),
                "GlobalSecondaryIndexes": [index("ByA", "h:a")],
            },
            f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, a, zz], keys used: [a, pk, sk]",
        ),
        ({"GlobalSecondaryIndexes": []}, f"{INVALID}List of GlobalSecondaryIndexes is empty"),
        ({"LocalSecondaryIndexes": []}, f"{INVALID}List of LocalSecondaryIndexes is empty"),
        (
            {"GlobalSecondaryIndexes": [index("Two", "h:sk"), index("Two", "h:sk")]},
            f"{INVALID}Duplicate index name: Two",
        ),
        (
            {
                "GlobalSecondaryIndexes": [index("Mixed", "h:sk", "r:pk", "h:a")],
                "AttributeDefinitions": attributes("pk", "sk", "a"),
            },
            f"{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ),
        (
            {
                "GlobalSecondaryIndexes": [index("Five", "h:a", "h:b", "h:c", "h:d", "h:e")],
                "AttributeDefinitions": attributes("pk", "sk", "a", "b", "c", "d", "e"),
            },
            f"{INVALID}The KeySchema exceeds the maximum allowed number of HASH key attributes",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    {**index("NoAll", "h:sk"), "Projection": {"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}}
                ]
            },
            f"{INVALID}ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            {"GlobalSecondaryIndexes": [{**index("None", "h:sk"), "Projection": {}}]},
            f"{INVALID}Unknown ProjectionType: null",
        ),
        (
            {"GlobalSecondaryIndexes": [{**index("None", "h:sk"), "Projection": {"ProjectionType": "INCLUDE"}}]},
            f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            {"GlobalSecondaryIndexes": [index(f"Index{n}", "h:sk") for n in range(21)]},
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ),
        (
            {"LocalSecondaryIndexes": [index("Local", "h:sk", "r:pk")]},
            f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: Local. "
            "index hash key: sk, table hash key: pk",
        ),
        (
            {"LocalSecondaryIndexes": [index("Local", "h:pk")]},
            f"{INVALID}Index KeySchema does not have a range key for index: Local",
        ),
        (
            {"KeySchema": keys("h:pk"), "LocalSecondaryIndexes": [index("Local", "h:pk", "r:sk")]},
            f"{INVALID}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        ),
        (
            {"LocalSecondaryIndexes": [index(f"Local{n}", "h:pk", "r:sk") for n in range(6)]},
            f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True}},
            f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required",
        ),
        (
            {"KeySchema": []},
            "1 validation error detected: Value '[]' at 'keySchema' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            {"AttributeDefinitions": attributes("pk", tag="X"), "KeySchema": keys("h:pk")},
            "1 validation error detected: Value 'X' at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
            "constraint: Member must satisfy enum value set: [B, N, S]",
        ),
    ],
)
def test_definitions_that_are_refused(call: Any, changes: dict[str, Any], message: str) -> None:
    assert call.refused("CreateTable", **{**BASE, **changes}) == ("ValidationException", message)
    assert call("ListTables") == {"TableNames": []}


def test_projected_attributes_are_limited_over_all_indexes(call: Any) -> None:
    def including(name: str, count: int) -> dict[str, Any]:
        included = [f"{name}{n}" for n in range(count)]
        return {**index(name, "h:sk"), "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": included}}

    five = [including(f"Index{n}", 20) for n in range(5)]
    refused = call.refused("CreateTable", **BASE, GlobalSecondaryIndexes=[*five, including("More", 1)])
    assert refused[1].endswith("exceeds the per-table limit of 100")
    refused = call.refused("CreateTable", **BASE, GlobalSecondaryIndexes=[including("Large", 21)])
    assert refused[1].endswith("Member must have length less than or equal to 20")
    call("CreateTable", **BASE, GlobalSecondaryIndexes=five)
    assert call.refused("UpdateTable", **create(including("Three", 1)))[0] == "ValidationException"


def test_names_are_listed_in_order_and_in_pages(call: Any) -> None:
    names = ["Beta", "Alpha", "gamma", "Delta"]
    for name in names:
        call("CreateTable", **{**BASE, "TableName": name})
    assert call("ListTables") == {"TableNames": sorted(names)}
    first = call("ListTables", Limit=3)
    assert first["LastEvaluatedTableName"] == "Delta"
    assert call("ListTables", ExclusiveStartTableName="Delta") == {"TableNames": ["gamma"]}
    assert call.refused("ListTables", Limit=101)[0] == "ValidationException"


def test_a_deleted_table_is_gone_and_its_name_free(table: Any, call: Any, table_definition: Any) -> None:
    table.put(pk={"S": "a"}, sk={"N": "1"})
    assert call("DeleteTable", TableName="App")["TableDescription"]["TableStatus"] == "DELETING"
    assert call.refused("DescribeTable", TableName="App") == (
        "ResourceNotFoundException",
        "Requested resource not found: Table: App not found",
    )
    assert call.refused("DeleteTable", TableName="App")[0] == "ResourceNotFoundException"
    call("CreateTable", **table_definition("App"))
    assert table("Scan")["Count"] == 0


def test_deletion_protection(call: Any) -> None:
    call("CreateTable", **BASE, DeletionProtectionEnabled=True)
    name, message = call.refused("DeleteTable", TableName="Made")
    assert (name, "protected against deletion" in message) == ("ValidationException", True)
    call("UpdateTable", TableName="Made", DeletionProtectionEnabled=False)
    call("DeleteTable", TableName="Made")


def test_billing_can_change(call: Any) -> None:
    call("CreateTable", **BASE)
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    described = call("UpdateTable", TableName="Made", BillingMode="PROVISIONED", ProvisionedThroughput=units)
    assert described["TableDescription"]["TableStatus"] == "UPDATING"
    assert described["TableDescription"]["ProvisionedThroughput"].items() >= units.items()
    assert described["TableDescription"]["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert "equals the current value" in call.refused("UpdateTable", TableName="Made", ProvisionedThroughput=units)[1]
    back = call("UpdateTable", TableName="Made", BillingMode="PAY_PER_REQUEST")["TableDescription"]
    assert back["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert call.refused("UpdateTable", TableName="Made", BillingMode="PROVISIONED")[0] == "ValidationException"
    assert call.refused("UpdateTable", TableName="Made")[0] == "ValidationException"


def test_a_stream_is_described(call: Any) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    described = call("CreateTable", **BASE, StreamSpecification=stream)["TableDescription"]
    assert described["StreamSpecification"] == stream
    assert described["LatestStreamArn"] == f"{described['TableArn']}/stream/{described['LatestStreamLabel']}"
    off = call("UpdateTable", TableName="Made", StreamSpecification={"StreamEnabled": False})["TableDescription"]
    assert "StreamSpecification" not in off
    assert off["LatestStreamArn"] == described["LatestStreamArn"]


def test_an_attribute_is_defined_once(call: Any) -> None:
    twice = [*attributes("pk", "sk"), *attributes("sk", tag="N")]
    assert call.refused("CreateTable", **{**BASE, "AttributeDefinitions": twice}) == (
        "ValidationException",
        "Attribute Name is duplicated: sk",
    )


def test_there_are_so_many_tables_and_no_more(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert catalogue.MAX_TABLES == 2500
    monkeypatch.setattr(catalogue, "MAX_TABLES", 2)
    call("CreateTable", **BASE)
    backup = call("CreateBackup", TableName="Made", BackupName="one")["BackupDetails"]["BackupArn"]
    call("RestoreTableFromBackup", TargetTableName="Second", BackupArn=backup)
    limit = ("LimitExceededException", "Subscriber limit exceeded: There is a limit of 2 tables per subscriber")
    assert call.refused("CreateTable", **{**BASE, "TableName": "Third"}) == limit
    assert call.refused("RestoreTableFromBackup", TargetTableName="Third", BackupArn=backup) == limit
    assert call.refused("CreateTable", **BASE) == ("ResourceInUseException", "Table already exists: Made")
    call("DeleteTable", TableName="Second")
    call("CreateTable", **{**BASE, "TableName": "Third"})
    assert call("ListTables")["TableNames"] == ["Made", "Third"]


# ------------------------------------------------------------------------------------------ indexes of UpdateTable


def create(*definitions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"TableName": "Made", "GlobalSecondaryIndexUpdates": [{"Create": one} for one in definitions], **more}


def test_a_new_index_is_filled_from_the_items_that_fit(call: Any) -> None:
    call("CreateTable", **BASE)
    values = [{"S": "x"}, {"S": "x"}, {"N": "1"}, {"S": ""}, None]
    for number, value in enumerate(values):
        item = {"pk": {"S": "a"}, "sk": {"S": str(number)}, **({} if value is None else {"color": value})}
        call("PutItem", TableName="Made", Item=item)
    described = call("UpdateTable", **create(index("ByColor", "h:color"), AttributeDefinitions=attributes("color")))
    (found,) = described["TableDescription"]["GlobalSecondaryIndexes"]
    assert (found["ItemCount"], found["IndexStatus"], found["Backfilling"]) == (0, "CREATING", False)
    assert {d["AttributeName"] for d in described["TableDescription"]["AttributeDefinitions"]} == {"pk", "sk", "color"}
    (found,) = call("DescribeTable", TableName="Made")["Table"]["GlobalSecondaryIndexes"]
    assert (found["ItemCount"], found["IndexStatus"], "Backfilling" in found) == (2, "ACTIVE", False)
    query = {
        "IndexName": "ByColor",
        "KeyConditionExpression": "color = :c",
        "ExpressionAttributeValues": {":c": {"S": "x"}},
    }
    assert call("Query", TableName="Made", **query)["Count"] == 2
    call("PutItem", TableName="Made", Item={"pk": {"S": "b"}, "sk": {"S": "1"}, "color": {"S": "x"}})
    assert call("Query", TableName="Made", **query)["Count"] == 3


def test_items_that_do_not_fit_a_new_index_can_still_be_updated(call: Any) -> None:
    call("CreateTable", **BASE)
    key = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    call("PutItem", TableName="Made", Item={**key, "color": {"L": []}})
    two = index("ByTwo", "h:color", "h:shape")
    call("UpdateTable", **create(two, AttributeDefinitions=attributes("color", "shape")))
    update = {"UpdateExpression": "SET shape = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}
    call("UpdateItem", TableName="Made", Key=key, **update)
    assert call("Scan", TableName="Made", IndexName="ByTwo")["Count"] == 0
    fit = {"UpdateExpression": "SET color = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}
    call("UpdateItem", TableName="Made", Key=key, **fit)
    assert call("Scan", TableName="Made", IndexName="ByTwo")["Count"] == 1


def test_a_deleted_index_is_gone_and_can_come_back(table: Any, call: Any) -> None:
    table.put(pk={"S": "a"}, sk={"N": "1"}, g={"S": "g"}, r={"S": "r"}, h={"N": "1"})
    table("UpdateTable", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByFour"}}])
    described = call("DescribeTable", TableName="App")["Table"]
    assert [i["IndexName"] for i in described["GlobalSecondaryIndexes"]] == ["ByGroup"]
    assert "h" not in {d["AttributeName"] for d in described["AttributeDefinitions"]}
    assert table.refused("Scan", IndexName="ByFour")[1] == "The table does not have the specified index: ByFour"
    table.put(pk={"S": "a"}, sk={"N": "2"}, g={"S": "g"}, r={"S": "r"}, h={"N": "1"})
    table(
        "UpdateTable",
        AttributeDefinitions=[{"AttributeName": "h", "AttributeType": "N"}, *attributes("g", "r")],
        GlobalSecondaryIndexUpdates=[{"Create": index("ByFour", "h:g", "h:h", "r:r")}],
    )
    assert table("Scan", IndexName="ByFour")["Count"] == 2


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        (
            create(index("One", "h:a"), index("Two", "h:a"), AttributeDefinitions=attributes("a")),
            "LimitExceededException",
        ),
        (create(index("One", "h:a")), "ValidationException"),
        (create(index("One", "h:pk"), AttributeDefinitions=attributes("pk", tag="N")), "ValidationException"),
        (
            {"TableName": "Made", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "Missing"}}]},
            "ResourceNotFoundException",
        ),
        ({"TableName": "Made", "GlobalSecondaryIndexUpdates": [{}]}, "ValidationException"),
    ],
)
def test_index_updates_that_are_refused(call: Any, request_: dict[str, Any], name: str) -> None:
    call("CreateTable", **BASE)
    assert call.refused("UpdateTable", **request_)[0] == name


def test_a_new_index_cannot_give_an_attribute_another_type(call: Any) -> None:
    call("CreateTable", **BASE)
    given = [*attributes("pk", tag="N"), *attributes("a", "unused")]
    described = call("UpdateTable", **create(index("One", "h:a"), AttributeDefinitions=given))["TableDescription"]
    assert described["AttributeDefinitions"] == attributes("pk", "sk", "a")


def test_both_schemas_are_told_where_a_type_is_redefined(call: Any) -> None:
    call("CreateTable", **BASE)
    one = index("One", "h:pk", "r:other")
    types = [*attributes("pk", tag="N"), *attributes("other")]
    assert call.refused("UpdateTable", **create(one, AttributeDefinitions=types)) == (
        "ValidationException",
        f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        "defined. Existing schema: Schema:[SchemaElement: key{pk:S:HASH}, SchemaElement: key{other:S:RANGE}] "
        "New schema: Schema:[SchemaElement: key{pk:N:HASH}, SchemaElement: key{other:S:RANGE}]",
    )


def test_items_with_keys_that_are_too_long_stay_out_of_a_new_index(call: Any) -> None:
    call("CreateTable", **BASE)
    lengths = [1024, 1025, 2048, 2049]
    for length in lengths:
        call("PutItem", TableName="Made", Item={"pk": {"S": "a"}, "sk": {"S": str(length)}, "x": {"S": "v" * length}})
    call("UpdateTable", **create(index("ByHash", "h:x"), AttributeDefinitions=attributes("x")))
    call("UpdateTable", **create(index("ByRange", "h:pk", "r:x"), AttributeDefinitions=attributes("pk", "x")))
    found = {name: call("Scan", TableName="Made", IndexName=name)["Items"] for name in ("ByHash", "ByRange")}
    assert {len(item["x"]["S"]) for item in found["ByHash"]} == {1024, 1025, 2048}
    assert {len(item["x"]["S"]) for item in found["ByRange"]} == {1024}
    for length in lengths:
        call("DeleteItem", TableName="Made", Key={"pk": {"S": "a"}, "sk": {"S": str(length)}})
    assert call("Scan", TableName="Made", IndexName="ByHash")["Count"] == 0


def test_an_index_weighs_what_it_carries(table: Any, call: Any) -> None:
    table.put(
        pk={"S": "a"}, sk={"N": "1"}, g={"S": "g"}, r={"S": "r"}, h={"N": "1"}, inc={"S": "x"}, more={"S": "y" * 50}
    )
    described = call("DescribeTable", TableName="App")["Table"]
    sizes = {i["IndexName"]: i["IndexSizeBytes"] for i in described["GlobalSecondaryIndexes"]}
    keys = len("pk" + "a" + "sk" + "g" + "g" + "r" + "r") + 2
    assert sizes == {"ByGroup": keys + len("inc" + "x"), "ByFour": keys + len("h") + 2}
    assert described["TableSizeBytes"] == keys + len("h") + 2 + len("inc" + "x" + "more") + 50
