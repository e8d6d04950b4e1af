"""Entities: class keywords are checked, fields are offered for conditions, and a refused class leaves the table alone."""

from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr

from tablewright import Entity, Keys, Table, stored
from tablewright.errors import ModelError
from tablewright.model.entity import STORED, EntityMeta, Stored, with_article


@pytest.fixture
def table() -> Table:
    return Table("Entities")


def define(table: Table, name: str = "Thing", /, *, annotations: dict[str, Any] | None = None, **keywords: Any) -> Any:
    """A class statement with these keywords."""
    body = {
        "__annotations__": annotations or {"id": str, "note": str},
        "__module__": __name__,
        "__qualname__": name,
        "keys": Keys("T#{id}", "T#{id}"),
    }
    return EntityMeta(name, (Entity,), body, table=table, **keywords)


def test_keywords_become_options(table: Table) -> None:
    thing = define(
        table,
        type="t",
        version=True,
        schema_version=3,
        nested="thing",
        flat=["note"],
        stored={"note": "n"},
        timestamps=False,
    )
    options = thing.__options__
    assert (options.type, options.version, options.schema_version, options.timestamps) == ("t", True, 3, False)
    assert (options.nested, options.flat, dict(options.stored)) == ("thing", ("note",), {"note": "n"})
    assert table.entities == {"t": thing}


def test_defaults(table: Table) -> None:
    options = define(table).__options__
    assert (options.type, options.version, options.schema_version, options.ttl) == ("Thing", False, None, None)
    assert options.timestamps is True


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"verson": True}, "Thing has the unknown class keyword 'verson'. Did you mean 'version'"),
        ({"type": ""}, "the class keyword type must be a non-empty text"),
        ({"type": 3}, "the class keyword type must be a non-empty text"),
        ({"version": 1}, "the class keyword version must be True or False"),
        ({"timestamps": "no"}, "the class keyword timestamps must be True or False"),
        ({"schema_version": 0}, "the class keyword schema_version must be a whole number from 1 on"),
        ({"schema_version": True}, "the class keyword schema_version must be a whole number from 1 on"),
        ({"ttl": "expires"}, "ttl names field 'expires', which Thing does not have"),
        ({"nested": ""}, "the class keyword nested must be the name of a map attribute"),
        ({"nested": "m", "flat": ["nope"]}, "flat names field 'nope', which Thing does not have"),
        ({"nested": "m", "flat": "note"}, "the class keyword flat must be a list of field names"),
        ({"flat": ["note"]}, "flat= only means something together with nested="),
        ({"stored": {"nots": "n"}}, "stored names field 'nots', which Thing does not have. Did you mean 'note'"),
        ({"stored": {"note": ""}}, "the class keyword stored must be a mapping from field names to attribute names"),
        ({"stored": ["note"]}, "the class keyword stored must be a mapping from field names to attribute names"),
    ],
)
def test_wrong_keywords_are_refused_and_leave_the_table_alone(
    table: Table, keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        define(table, **keywords)
    assert table.entities == {}
    assert table.plan.entities == {}


def test_keywords_without_a_table() -> None:
    with pytest.raises(ModelError, match=r"Loose has the keywords version, but no table"):

        class Loose(Entity, version=True):
            id: str


def test_pydantic_s_own_keywords_are_still_taken(table: Table) -> None:
    class Frozen(Entity, table=table, frozen=True):
        keys = Keys("F#{id}", "F#{id}")
        id: str

    assert Frozen.model_config["frozen"] is True


def test_an_entity_needs_keys(table: Table) -> None:
    with pytest.raises(ModelError, match="Keyless has no keys"):

        class Keyless(Entity, table=table):
            id: str


def test_two_entities_cannot_have_one_type(table: Table) -> None:
    define(table, "One", type="x")
    with pytest.raises(ModelError, match=r"already has an entity of type 'x' \(One\)"):
        define(table, "Two", type="x")
    assert list(table.entities) == ["x"]


def test_fields_can_be_inherited(table: Table) -> None:
    class Base(Entity):
        tenant: str

    class Child(Base, table=table):
        keys = Keys("T#{tenant}", "C#{id}")
        id: str

    assert repr(Child.tenant) == "Child.tenant"
    assert repr(Base.tenant) == "Base.tenant"
    assert Child(tenant="t", id="i").tenant == "t"


def test_class_attributes_and_methods_stay_what_they_are(table: Table) -> None:
    class Rich(Entity, table=table):
        keys = Keys("R#{id}", "R#{id}")
        limit: ClassVar[int] = 5
        id: str
        _cache: dict[str, int] = PrivateAttr(default_factory=dict)

        @property
        def shout(self) -> str:
            return self.id.upper()

    assert Rich.limit == 5
    assert Rich(id="a").shout == "A"
    assert Rich(id="a")._cache == {}


def test_domain_objects_hold_domain_fields_only(table: Table) -> None:
    thing = define(table)(id="a", note="b")
    assert thing.model_dump() == {"id": "a", "note": "b"}
    assert stored(thing) is None
    thing.__dict__[STORED] = Stored(version=2, created="2025-01-01T00:00:00.000000Z")
    known = stored(thing)
    assert known is not None
    assert known.version == 2
    assert known.created_at is not None
    assert known.created_at.year == 2025
    assert known.updated_at is None
    assert thing.model_dump() == {"id": "a", "note": "b"}
    assert "stored" not in repr(thing)
    assert thing == type(thing)(id="a", note="b")


def test_a_model_local_to_a_function_may_use_text_annotations(table: Table) -> None:
    class Inner(BaseModel):
        x: int

    class Outer(Entity, table=table):
        keys = Keys("O#{id}", "O#{id}")
        id: str
        inner: "Inner"

    assert Outer(id="a", inner=Inner(x=1)).inner.x == 1


def test_a_class_that_is_not_defined_yet_is_refused(table: Table) -> None:
    with pytest.raises(ModelError, match="Early refers to a class that is not defined yet"):

        class Early(Entity, table=table):
            keys = Keys("E#{id}", "E#{id}")
            id: str
            later: "Later"  # type: ignore[name-defined]  # noqa: F821

    assert table.entities == {}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ConfigDict(extra="allow"), "extra='allow' cannot be stored and read back"),
        (ConfigDict(use_enum_values=True), "use_enum_values=True cannot be stored and read back"),
    ],
)
def test_settings_that_would_lose_data_are_refused(table: Table, config: ConfigDict, message: str) -> None:
    with pytest.raises(ModelError, match=message):

        class Lossy(Entity, table=table):
            model_config = config
            keys = Keys("L#{id}", "L#{id}")
            id: str


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Agent", "an Agent"),
        ("Invoice", "an Invoice"),
        ("Ticket", "a Ticket"),
        ("User", "a User"),
        ("Unit", "a Unit"),
        ("Upload", "an Upload"),
    ],
)
def test_names_in_messages_have_their_article(name: str, said: str) -> None:
    assert with_article(name) == said
