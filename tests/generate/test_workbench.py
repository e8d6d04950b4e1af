"""NoSQL Workbench's data models: what is written there, and what becomes of what is read from there."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.shop import seed
from examples.shop.model import shop
from tablewright import Table
from tablewright.compiler.schema import create_table_request
from tablewright.errors import ArgumentError
from tablewright.generate.documents.wording import docline
from tablewright.generate.material import Material
from tablewright.generate.model_code import EntitySketch, FieldSketch, IndexKeysSketch, ModelSketch, model_code
from tablewright.generate.workbench.export import workbench
from tablewright.generate.workbench.keyforms import from_alias, from_values
from tablewright.generate.workbench.sketching import models_of
from tests.generate.every_feature import school


def stored_items() -> list[dict[str, Any]]:
    with shop.open("memory:") as db:
        seed.seed(db)
        return list(db.send("Scan", {"TableName": db.table_name})["Items"])


def imported(code: str) -> Table:
    space: dict[str, Any] = {"__name__": "imported"}
    exec(compile(code, "model.py", "exec"), space)
    (table,) = (value for value in space.values() if isinstance(value, Table))
    return table


def keys_of(table: Table) -> dict[str, list[str]]:
    found = {}
    for plan in table.plan.entities.values():
        found[plan.name] = [str(key) for key in (plan.pk, plan.sk) if key is not None]
        for binding in plan.bindings:
            if not binding.index.local and not binding.index.multi:
                found[f"{plan.name} on {binding.index.name}"] = [str(key) for key in binding.keys]
    return found


def docs_of(table: Table) -> dict[str, str]:
    return {entity.__name__: docline(entity) for entity in table.plan.entities}


def test_the_file_is_of_the_form_that_is_known_there() -> None:
    items = stored_items()
    file = json.loads(workbench(Material(shop.plan, items=items)))
    assert list(file) == ["ModelName", "ModelMetadata", "DataModel"]
    assert file["ModelMetadata"]["Version"] == "3.0"
    assert file["ModelMetadata"]["AWSService"] == "Amazon DynamoDB"
    (table,) = file["DataModel"]
    assert table["KeyAttributes"] == {
        "PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
        "SortKey": {"AttributeName": "SK", "AttributeType": "S"},
    }
    assert [i["IndexName"] for i in table["GlobalSecondaryIndexes"]] == ["GSI1", "GSI2"]
    assert table["GlobalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "ALL"}
    types = {a["AttributeName"]: a["AttributeType"] for a in table["NonKeyAttributes"]}
    assert (types["total"], types["lines"], types["GSI1PK"], types["Type"]) == ("N", "L", "S", "S")
    assert not {"PK", "SK"} & set(types)
    facets = {f["FacetName"]: f for f in table["TableFacets"]}
    assert facets["Order"]["KeyAttributeAlias"] == {
        "PartitionKeyAlias": "CUSTOMER#{username}",
        "SortKeyAlias": "ORDER#{placed_at}#{order_id}",
    }
    assert set(facets["Order"]["NonKeyAttributes"]) <= set(types)
    for name, facet in facets.items():
        assert facet["TableData"]
        assert all(item["Type"] == {"S": name} for item in facet["TableData"])
    assert table["TableData"] == items


def test_what_it_cannot_hold_is_told() -> None:
    file = json.loads(workbench(Material(school.plan)))
    indexes = {i["IndexName"]: i for i in file["DataModel"][0]["GlobalSecondaryIndexes"]}
    assert list(indexes) == ["GSI1", "GSI2", "ByRank", "Inverted"]
    assert indexes["ByRank"]["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["t", "grade"]}
    assert indexes["ByRank"]["KeyAttributes"]["SortKey"] == {"AttributeName": "rank", "AttributeType": "N"}
    assert "indexes: ByPlace, LSI1." in file["ModelMetadata"]["Description"]


@pytest.mark.parametrize("with_items", [False, True], ids=["bare", "with items"])
def test_a_model_comes_back(with_items: bool) -> None:
    text = workbench(Material(shop.plan, items=stored_items() if with_items else []))
    (code,) = models_of(text).values()
    back = imported(code)
    assert create_table_request(back, "T") == create_table_request(shop, "T")
    assert keys_of(back) == keys_of(shop)
    assert docs_of(back) == docs_of(shop)
    if with_items:
        for item in stored_items():
            if "UniqueOwner" not in item:
                assert back.plan.decode(item)
        assert "placed_at: datetime" in code
        assert "stars: int" in code
    assert json.loads(workbench(Material(back.plan)))["DataModel"][0]["GlobalSecondaryIndexes"]


def test_a_model_with_everything_comes_back_as_far_as_it_goes() -> None:
    (code,) = models_of(workbench(Material(school.plan))).values()
    assert keys_of(imported(code)) == keys_of(school)


@st.composite
def sketches(draw: st.DrawFn) -> ModelSketch:
    """Small models with other names, keys and projections each time."""
    indexes = ['GSI("GSI1")', 'GSI("ByOther", pk="other", sk=None, projection="KEYS_ONLY")'][: draw(st.integers(0, 2))]
    name = st.sampled_from(["order_id", "placed_at", "name", "code", "number"])
    entities = []
    for letter in draw(st.lists(st.sampled_from("ABCD"), min_size=1, max_size=3, unique=True)):
        fields = draw(st.lists(name, min_size=2, max_size=4, unique=True))
        sort = f"{letter}#{{{fields[1]}}}" if draw(st.booleans()) else letter
        keys = {}
        if indexes and draw(st.booleans()):
            keys["GSI1"] = IndexKeysSketch((f"{letter}X#{{{fields[-1]}}}",), (f"{{{fields[0]}}}",))
        if len(indexes) > 1 and draw(st.booleans()):
            keys["ByOther"] = IndexKeysSketch((f"{letter}O#{{{fields[0]}}}#{{{fields[1]}}}",))
        made = tuple(FieldSketch(field, draw(st.sampled_from(["str", "UUID", "date"]))) for field in fields)
        doc = draw(st.sampled_from(["", "Says something."]))
        entities.append(EntitySketch(f"Entity{letter}", made, f"{letter}#{{{fields[0]}}}", sort, keys, doc=doc))
    arguments = draw(st.sampled_from([{}, {"pk": '"id"'}, {"pk": '"id"', "sk": '"range"'}]))
    return ModelSketch("things", "Things", tuple(entities), tuple(indexes), arguments=arguments)


@settings(max_examples=settings().max_examples // 4)
@given(sketches())
def test_any_simple_model_comes_back(sketch: ModelSketch) -> None:
    first = imported(model_code(sketch))
    (code,) = models_of(workbench(Material(first.plan))).values()
    back = imported(code)
    assert create_table_request(back, "T") == create_table_request(first, "T")
    assert keys_of(back) == keys_of(first)
    assert docs_of(back) == docs_of(first)


# ------------------------------------------------------------------------------------------------ files of others


def attribute(name: str, kind: str = "S") -> dict[str, str]:
    return {"AttributeName": name, "AttributeType": kind}


def file(*tables: dict[str, Any], version: str = "3.0", **metadata: Any) -> str:
    about = {"Author": "", "Version": version, "AWSService": "Amazon DynamoDB", **metadata}
    return json.dumps({"ModelName": "My data model", "ModelMetadata": about, "DataModel": list(tables)})


def cards(**more: Any) -> dict[str, Any]:
    """Facets that call the keys as the attributes are called; only the items tell what they are made of."""
    keys = {"PartitionKey": attribute("PK"), "SortKey": attribute("SK")}
    alias = {"PartitionKeyAlias": "PK", "SortKeyAlias": "SK"}
    accounts = [
        {"PK": {"S": f"ACCT#{n}"}, "SK": {"S": f"ACCT#{n}"}, "AccountId": {"N": n}, "GSI1PK": {"S": f"MAIL#{n}@x"}}
        for n in ("17", "23")
    ]
    offers = [{"PK": {"S": "ACCT#17"}, "SK": {"S": "OFFER#5"}, "Open": {"BOOL": True}}]
    return {
        "TableName": "Cards",
        "KeyAttributes": keys,
        "NonKeyAttributes": [attribute("AccountId", "N"), attribute("Open", "BOOL"), attribute("GSI1PK")],
        "TableFacets": [
            {"FacetName": "Accounts", "KeyAttributeAlias": alias, "TableData": accounts},
            {"FacetName": "account offers", "KeyAttributeAlias": alias, "TableData": offers},
        ],
        "GlobalSecondaryIndexes": [{"IndexName": "GSI1", "KeyAttributes": {"PartitionKey": attribute("GSI1PK")}}],
        **more,
    }


def test_keys_are_read_from_samples() -> None:
    table = imported(models_of(file(cards()))["Cards"])
    assert keys_of(table) == {
        "Accounts": ["ACCT#{account_id}", "ACCT#{account_id:2}"],
        "Accounts on GSI1": ["MAIL#{mail_id}"],
        "AccountOffers": ["ACCT#{acct_id}", "OFFER#{offer_id}"],
    }
    (accounts, offers) = table.plan.entities
    assert accounts.__options__.stored == {"account_id": "AccountId"}
    assert list(offers.model_fields) == ["acct_id", "offer_id", "open"]


def test_what_nothing_tells_is_guessed_and_said_so() -> None:
    table = cards()
    for facet in table["TableFacets"]:
        facet["TableData"] = []
    (code,) = models_of(file(table)).values()
    assert code.count("this is a guess") == 4
    assert keys_of(imported(code)) == {
        "Accounts": ["ACCOUNTS#{pk_id}", "ACCOUNTS#{sk_id}"],
        "AccountOffers": ["ACCOUNTOFFERS#{pk_id}", "ACCOUNTOFFERS#{sk_id}"],
    }


def test_a_table_without_facets_is_one_entity_with_its_attributes_as_they_are() -> None:
    table = {
        "TableName": "orders",
        "KeyAttributes": {"PartitionKey": attribute("customerId"), "SortKey": attribute("number", "N")},
        "NonKeyAttributes": [attribute("total", "N"), attribute("tags", "SS"), attribute("state")],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-state",
                "KeyAttributes": {"PartitionKey": attribute("state"), "SortKey": attribute("total", "N")},
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    }
    back = imported(models_of(file(table))["orders"])
    request = create_table_request(back, "orders")
    assert request["KeySchema"] == [
        {"AttributeName": "customerId", "KeyType": "HASH"},
        {"AttributeName": "number", "KeyType": "RANGE"},
    ]
    assert request["GlobalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert keys_of(back) == {"Orders": ["{customer_id}", "{number}"], "Orders on by-state": ["{state}", "{total}"]}


def test_a_table_without_a_sort_key() -> None:
    table = {"TableName": "things", "KeyAttributes": {"PartitionKey": attribute("PK")}}
    back = imported(models_of(file(table))["things"])
    assert back.sk is None


def test_every_table_of_a_file_is_a_model() -> None:
    text = file(cards(), cards(TableName="More"))
    assert list(models_of(text)) == ["Cards", "More"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (file(version="2.0"), "Invalid version"),
        (file(AWSService="Amazon Keyspaces"), "Amazon Keyspaces"),
        ("{", "no JSON of NoSQL Workbench"),
        ("[1]", "no JSON of NoSQL Workbench"),
        (file({"TableName": "x"}), "KeyAttributes"),
        (file(cards(TableFacets=[cards()["TableFacets"][0]] * 2)), "two facets"),
    ],
    ids=["version", "service", "no json", "a list", "no keys", "twice"],
)
def test_what_is_no_data_model_is_refused(text: str, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        models_of(text)


@pytest.mark.parametrize(
    ("alias", "template"),
    [
        ("USER#{id}", "USER#{id}"),
        ("USER#<userId>#<at>", "USER#{user_id}#{at}"),
        ("USER#[User Id]", "USER#{user_id}"),
        ("USER#${id}", "USER#{id}"),
        ("ORDER#{number:6}", "ORDER#{number:6}"),
        ("USER#userId", "USER#{user_id}"),
        ("UserId", None),
    ],
)
def test_aliases_that_spell_a_template_out(alias: str, template: str | None) -> None:
    assert from_alias(alias) == template


@pytest.mark.parametrize(
    ("texts", "sorts", "template"),
    [
        (["A#1", "A#2"], True, "A#{a_id}"),
        (["A#1#x", "A#1"], True, None),
        (["A#9", "A#10"], False, "A#{n}"),
        (["A#9", "A#10"], True, "A#{a_id}"),
        (["A#009", "A#010"], True, "A#{n:3}"),
        (["A#009", "A#010"], False, "A#{n:3}"),
        (["A"], True, "A"),
        (["a"], True, "{key_1}"),
    ],
    ids=["parts", "lengths", "number", "no width", "width", "width in a partition", "literal", "one value"],
)
def test_templates_from_values(texts: list[str], sorts: bool, template: str | None) -> None:
    items = [{"key": {"S": text}, "n": {"N": str(number)}} for number, text in enumerate(texts, 9)]
    found = from_values("key", items, {"n": "n"}, {}, sorts=sorts)
    assert (found and found[0]) == template
