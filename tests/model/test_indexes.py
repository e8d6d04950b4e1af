"""Indexes and attribute names: what DynamoDB would refuse is refused when they are declared."""

from typing import Any

import pytest

from tablewright import GSI, LSI, AttributeNames, Table, binary, number
from tablewright.errors import ModelError
from tablewright.model.indexes import KeyAttribute


def test_default_names_follow_the_table() -> None:
    upper = Table("Upper", indexes=[GSI("GSI1"), LSI("LSI1")])
    assert [a.name for a in upper.indexes["GSI1"].attributes] == ["GSI1PK", "GSI1SK"]
    assert [a.name for a in upper.indexes["LSI1"].attributes] == ["PK", "LSI1SK"]
    lower = Table("Lower", indexes=[GSI("GSI1"), LSI("LSI1")], names=AttributeNames.lower())
    assert [a.name for a in lower.indexes["GSI1"].attributes] == ["gsi1pk", "gsi1sk"]
    assert [a.name for a in lower.indexes["LSI1"].attributes] == ["pk", "lsi1sk"]
    assert lower.names.own() == ("entity_type", "created_at", "updated_at", "version", "schema_version")


def test_own_names_types_and_several_attributes() -> None:
    index = GSI("ByPlace", pk=["tenant", number("year")], sk=["country", binary("hash"), "a", "b"])
    assert index.multi
    assert index.attributes[:3] == (KeyAttribute("tenant"), KeyAttribute("year", "N"), KeyAttribute("country"))
    assert index.sk[1] == KeyAttribute("hash", "B")
    assert GSI("Bare1", pk="p", sk=None).sk == ()
    assert not GSI("Bare1", pk="p", sk="s").multi


def test_projections() -> None:
    assert GSI("GSI1").projection == "ALL"
    assert GSI("GSI1", projection="KEYS_ONLY").projection == "KEYS_ONLY"
    included = GSI("GSI1", projection=["name", "total"])
    assert (included.projection, included.include) == ("INCLUDE", ("name", "total"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GSI("no"), "'no' cannot be the name of an index"),
        (lambda: LSI("with space"), "'with space' cannot be the name of an index"),
        (lambda: GSI("GSI1", pk=[]), "has 0 attributes on its pk side"),
        (lambda: GSI("GSI1", pk=list("abcde")), "has 5 attributes on its pk side"),
        (lambda: GSI("GSI1", sk=list("abcde")), "has 5 attributes on its sk side"),
        (lambda: GSI("GSI1", pk=["a", ""]), "has an empty attribute name on its pk side"),
        (lambda: GSI("GSI1", projection="SOME"), "has projection 'SOME'"),
        (lambda: GSI("GSI1", projection=[]), "includes no attribute"),
        (lambda: GSI("GSI1", projection=["a", "a"]), "includes 2 attributes"),
        (lambda: GSI("GSI1", projection=[f"a{n}" for n in range(21)]), "includes 21 attributes"),
        (lambda: AttributeNames(type=""), "AttributeNames has an empty name"),
        (lambda: AttributeNames(type="PK"), "AttributeNames uses 'PK' twice"),
        (lambda: AttributeNames(index_pk="IPK"), "must give each index two names of its own"),
        (lambda: AttributeNames(index_pk="{index}", index_sk="{index}"), "must give each index two names of its own"),
        (lambda: AttributeNames(index_pk="{nope}PK"), "must give each index two names of its own"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
