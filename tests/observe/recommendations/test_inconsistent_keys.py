"""Keys that are not written alike, within an entity and across entities."""

from tablewright import Collector, Entity, Keys, Table, Unique
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


members = Table("Members")


class Member(Entity, table=members):
    keys = Keys("ORG#{org}#{name}", "MEMBER", unique=["handle", Unique("email", key="MAIL#{email}")])
    org: str
    name: str
    handle: str
    email: str


def test_markers_of_unique_values_are_written_with_their_items() -> None:
    collector = Collector()
    with members.open("memory:", observe=collector) as db:
        for n in range(40):
            db.create(Member(org=f"o{n % 10}", name=f"m{n}", handle=f"h{n}", email=f"{n}@example.org"))
    seen = collector.snapshot()
    assert seen.key_forms == {"Member": {"ORG#*": 40, "UNIQUE#*": 40, "MAIL#*": 40}}
    assert not list(InconsistentKeys().find(Observed(seen, members.plan)))


def test_markers_are_known_without_a_model_by_their_usual_name() -> None:
    assert not found(User={"USER#*": 40, "UNIQUE#*": 80}, Order={"ORDER#*": 50}, Mail={"MAIL#*": 50})


def test_another_form_is_told_beside_markers() -> None:
    seen = Snapshot(table="Members", key_forms={"Member": {"ORG#*": 40, "UNIQUE#*": 40, "MAIL#*": 40, "org#*": 20}})
    (one,) = InconsistentKeys().find(Observed(seen, members.plan))
    assert one.message == "Partition keys of Member are written in 2 forms: ORG#* and org#*."
    assert one.evidence["keys"] == 60


def test_an_entity_may_be_called_like_a_marker() -> None:
    table = Table("Odd")

    class Odd(Entity, table=table):
        keys = Keys("UNIQUE#{number}", "ODD")
        number: str

    seen = Snapshot(table="Odd", key_forms={"Odd": {"UNIQUE#*": 40, "unique#*": 20}})
    assert list(InconsistentKeys().find(Observed(seen, table.plan)))
