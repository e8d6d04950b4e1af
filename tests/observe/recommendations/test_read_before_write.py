"""Reads that a write follows at once."""

from tablewright import Entity, Keys, Table
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.read_before_write import ReadBeforeWrite
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Snapshot, Traffic


def taking(seconds: float, times: int = 100) -> Quantiles:
    made = Quantiles()
    made.add([seconds] * times)
    return made


def found(after_read: int, requests: int = 200, *, reads: bool = True) -> list[Recommendation]:
    traffic = [
        Traffic(operation="PutItem", entity="Cart", requests=requests, after_read=after_read, latency=taking(0.006))
    ]
    if reads:
        traffic.append(
            Traffic(operation="GetItem", entity="Cart", requests=200, read_units=100.0, latency=taking(0.003))
        )
    traffic.append(Traffic(operation="Query", requests=600))
    return list(ReadBeforeWrite().find(Observed(Snapshot(table="Shop", spans=[(0.0, 50.0)], traffic=traffic))))


def test_what_was_read_is_written_back() -> None:
    (one,) = found(150)
    assert (one.severity, one.category, one.subject) == ("warning", "best-practice", "PutItem of Cart")
    assert one.message == "PutItem of Cart writes back what was just read, without a condition: 150 times."
    assert one.details == (
        "150 of 200 writes (75%) had no condition and followed a read of the same item by the same caller within 100 ms. "
        "What somebody else wrote in between is undone unseen. The read takes 3 ms and 0.5 read units on average, beside 6 ms "
        "for the write; a change that needs no reading saves both."
    )
    assert (
        "db.edit() or db.revise() write only if nobody else was faster; they read as well, and save no time."
        in one.action
    )
    assert one.code == 'db.update(target, set={"field": ...}, when=...)'
    assert round(one.faster or 0.0, 3) == 0.333
    assert (one.impact, one.frequency) == (0.3, 3.0)


def test_the_update_names_fields_of_the_model() -> None:
    shop = Table("Shop")

    class Cart(Entity, table=shop):
        keys = Keys("CART#{cart_id}", "CART")
        cart_id: str
        note: str = ""
        visits: int = 0

    class Page(Entity, table=shop):
        keys = Keys("PAGE#{name}", "PAGE")
        name: str
        text: str = ""

    traffic = [Traffic(operation="UpdateItem", entity=name, requests=50, after_read=50) for name in ("Cart", "Page")]
    found = ReadBeforeWrite().find(Observed(Snapshot(table="Shop", traffic=traffic), shop.plan))
    assert [one.code for one in found] == [
        'db.update(key(Cart, cart_id=...), add={"visits": 1})',
        'db.update(key(Page, name=...), set={"text": ...}, when=Page.text == ...)',
    ]


def test_reads_that_nobody_timed() -> None:
    (one,) = found(150, reads=False)
    assert one.faster is None
    assert one.details.endswith("is undone unseen.")


def test_writes_that_nothing_was_read_for() -> None:
    assert not found(0)


def test_a_few_of_many_are_chance() -> None:
    assert not found(90, 1000)


def test_too_few() -> None:
    assert not found(19, 19)
