"""Keys that are not written alike, within an entity and across entities."""

from tablewright import Entity, Keys, Table
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.inconsistent_keys import InconsistentKeys
from tablewright.observe.snapshot import Snapshot


def found(**forms: dict[str, int]) -> list[Recommendation]:
    return list(InconsistentKeys().find(Observed(Snapshot(table="Shop", key_forms=forms))))


def test_two_forms_within_an_entity() -> None:
    (one,) = found(User={"USER#*": 900, "user#*": 100, "USR#*": 2})
    assert (one.severity, one.category, one.subject) == ("warning", "best-practice", "User")
    assert one.message == "Partition keys of User are written in 2 forms: USER#* and user#*."
    assert one.details == (
        "Of 1,002 keys: USER#* 900, user#* 100. 10% are not as most are, and whoever asks for one form does not find the other."
    )
    assert one.evidence == {"forms": 2, "keys": 1002, "other_forms": 102}


def test_entities_that_are_apart() -> None:
    told = found(
        User={"USER#*": 100},
        Order={"ORDER#*": 100},
        Product={"PRODUCT#*#*": 100},
        Cart={"cart:*": 50},
        Mail={"*": 50},
    )
    assert {one.subject: one.severity for one in told} == {"Cart": "info", "Mail": "info"}
    assert told[0].message == "Partition keys of Cart are written as cart:*, unlike those of most entities."
    assert told[0].details == (
        "Of 5 entities, this one is apart: its parts are separated by ':', those of most by '#'; its words are in lower case, "
        "those of most in upper case, such as ORDER#*."
    )
    assert told[1].details == (
        "Of 5 entities, this one is apart: it begins with a value, and most begin with a word that says what they are, "
        "such as ORDER#*."
    )
    assert told[0].impact == 0.125


def test_all_alike() -> None:
    assert not found(User={"USER#*": 100}, Order={"ORDER_LINE#*": 100}, Tenant={"TENANT#*#ORDER#*": 30})


def test_values_are_no_forms() -> None:
    assert not found(Person={f"{name}.*": 10 for name in ("ada", "bob", "eve", "joe", "kim", "liz", "max")})


def test_keys_that_begin_with_a_value_by_the_model() -> None:
    table = Table("Mail")

    class Box(Entity, table=table):
        keys = Keys("{address}", "BOX")
        address: str

    seen = Snapshot(table="Mail", key_forms={"Box": {"info.*": 30, "sales.*": 30}})
    assert list(InconsistentKeys().find(Observed(seen)))
    assert not list(InconsistentKeys().find(Observed(seen, table.plan)))


def test_a_slip_is_no_form() -> None:
    assert not found(User={"USER#*": 1000, "user#*": 4})
    assert not found(User={"USER#*": 10_000, "user#*": 50})


def test_of_two_entities_neither_is_apart() -> None:
    assert not found(User={"USER#*": 100}, Cart={"cart:*": 50})


def test_too_few_keys() -> None:
    assert not found(User={"USER#*": 10, "user#*": 9})


def test_nothing() -> None:
    assert not found()


def test_requests_that_name_no_entity_are_compared_by_their_words() -> None:
    forms = {"USER#*": 50, "user-*": 20, "ORDER#*": 90, "PRODUCT_*": 40, "*": 30}
    seen = Observed(Snapshot(table="Shop", key_forms={"": forms}))
    (found,) = InconsistentKeys().find(seen)
    assert found.message == "Partition keys of user* are written in 2 forms: USER#* and user-*."
