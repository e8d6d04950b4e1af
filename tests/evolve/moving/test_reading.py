"""Shadow reads: what differs is counted, what fails hurts nobody, and both sides are measured."""

from __future__ import annotations

import pytest

from tablewright.errors import ArgumentError, DecodeError, Throttled
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.merchants import IN_CATEGORY, ONE, REVIEWS, a_review


@pytest.fixture
def shadow(ground: Ground) -> Ground:
    ground.fill(3, 2)
    ground.into("dual", "shadow")
    return ground


def spoil(ground: Ground, update: str, names: dict[str, str], values: dict[str, dict[str, str]]) -> None:
    request = {
        "TableName": "Market",
        "Key": {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "MERCHANT#m1"}},
        "UpdateExpression": update,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    ground.new.execute("UpdateItem", request)


def test_a_difference_is_counted_and_the_legacy_answer_given(shadow: Ground) -> None:
    spoil(shadow, "SET #n = :v", {"#n": "name"}, {":v": {"S": "secret"}})
    found = shadow.session.read_one(ONE, "m1", subject="u")
    assert found is not None
    assert found.name == "Shop 1"
    report = shadow.session.shadow_report()
    assert report.differences == {("merchant", "field name"): 1}
    assert "merchant: field name, 1 time" in report.text()
    assert "secret" not in report.text()
    progress = shadow.session.tell()
    assert (progress.compared, progress.differed) == (1, 1)
    shadow.session.tell()  # nothing is told twice
    assert shadow.session.progress().compared == 1
    with pytest.raises(ArgumentError, match="shadow reads differ"):
        shadow.session.advance("switched")


def test_missing_and_extra(shadow: Ground) -> None:
    spoil(shadow, "SET #n = :v", {"#n": "GSI1PK"}, {":v": {"S": "CATEGORY#c2"}})
    shadow.session.read(IN_CATEGORY, "c1", subject="u")
    shadow.session.read(IN_CATEGORY, "c2", subject="u")
    kinds = shadow.session.shadow_report().differences
    assert kinds == {("merchants_in", "missing"): 1, ("merchants_in", "extra"): 1}


def test_a_new_side_that_fails_hurts_nobody(shadow: Ground) -> None:
    shadow.session.read(REVIEWS, "m1", subject="u")
    start = len(shadow.wire.sent)
    shadow.wire.refuse = {n: Throttled("slow down") for n in range(start + 1, start + 9)}
    assert len(shadow.session.read(REVIEWS, "m1", subject="u")) == 2
    report = shadow.session.shadow_report()
    assert (report.new.errors, report.legacy.errors) == (1, 0)
    assert report.new.error_rate == 0.5
    shadow.wire.refuse.clear()
    assert shadow.session.tell().differed == 1


def test_a_write_in_between_is_no_difference(shadow: Ground) -> None:
    other = shadow.open()
    other.update("MerchantsTable", {"merchantId": "m2"}, set={"name": "warm"})
    shadow.session.read_one(ONE, "m1", subject="u")

    def write() -> None:
        shadow.wire.before.clear()
        other.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "Just now"})

    shadow.wire.before[len(shadow.wire.sent) + 1] = write
    shadow.session.read_one(ONE, "m1", subject="u")
    assert shadow.session.shadow_report().differed == 0


def test_both_sides_are_measured(shadow: Ground) -> None:
    ticks = iter([0.0, 0.010, 0.010, 0.011])
    shadow.session._meanwhile.timer = lambda: next(ticks)
    shadow.session.read_one(ONE, "m1", subject="u")
    report = shadow.session.shadow_report()
    assert report.legacy.seconds == pytest.approx(0.010)
    assert report.new.seconds == pytest.approx(0.001)
    assert report.new.slow < report.legacy.slow


def test_a_legacy_item_that_cannot_be_mapped_is_told_by_its_table_and_key(ground: Ground) -> None:
    ground.put_legacy("ReviewsTable", a_review(1, 0))
    ground.put_legacy("ReviewsTable", a_review(2, 0, stars="secret"))
    ground.into("dual")
    assert len(ground.session.read(REVIEWS, "m1", subject="u")) == 1
    with pytest.raises(DecodeError, match="An item of ReviewsTable cannot become what its move says") as failed:
        ground.session.read(REVIEWS, "m2", subject="u")
    assert failed.value.context["table"] == "ReviewsTable"
    assert failed.value.context["key"] == {"merchantId": {"S": "m2"}, "reviewId": {"S": "r0"}}
    assert "secret" not in f"{failed.value} {failed.value.context}"
