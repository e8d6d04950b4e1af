"""The store's own words do what they say; those who come second are refused, and nobody's items are lost."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from examples.orders import seed
from examples.orders.model import AppSettings, main_table
from examples.orders.seed import TODAY
from examples.orders.store import MOST_LINES, ActivitySummary, BadBasket, Store, UnknownProduct
from tablewright import Entity, Session, stored
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    NotFoundError,
    UniqueViolationError,
)


def at(moment: datetime) -> Callable[[], datetime]:
    """A clock that stands still."""
    return lambda: moment


# ----------------------------------------------------------------------------------------------------- users


def test_an_email_address_belongs_to_one_user(store: Store) -> None:
    gil = store.register("Gil@example.com", "Gil", user_id="u-gil")
    assert store.user("u-gil") == gil
    assert store.user_with_email("gil@EXAMPLE.com ") == gil
    with pytest.raises(UniqueViolationError):
        store.register("GIL@example.com", "Another Gil")
    with pytest.raises(AlreadyExistsError):
        store.register("other@example.com", "Gil", user_id="u-gil")
    assert store.user_with_email("other@example.com") is None
    assert store.user_with_email("nobody@example.com") is None


def test_of_many_who_register_with_one_address_one_succeeds(store: Store) -> None:
    def register(number: int) -> bool:
        try:
            store.register("same@example.com", "Somebody", user_id=f"u-{number}")
        except UniqueViolationError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(register, range(8)))
    assert done.count(True) == 1
    assert list(store.users(f"u-{number}" for number in range(8))) == [f"u-{done.index(True)}"]


def test_users_are_read_by_a_list_of_ids(store: Store, db: Session, place: str) -> None:
    with db.measure() as meter:
        found = store.users(["u-dan", "u-nobody", "u-ada", "u-dan"])
    assert found == {u.user_id: u for u in seed.users() if u.user_id in ("u-ada", "u-dan")}
    assert [s.operation for s in meter.requests] == ["BatchGetItem"]
    if place == "memory":  # DynamoDB Local takes nothing for what is not there; DynamoDB does
        assert meter.capacity.read == 1.5
    assert store.users([]) == {}


def test_more_than_a_hundred_users_are_read_in_parts(store: Store, db: Session) -> None:
    for number in range(101):
        store.register(f"{number}@example.com", "N", user_id=f"n{number}")
    with db.measure() as meter:
        found = store.users(f"n{number}" for number in range(101))
    assert list(found) == [f"n{number}" for number in range(101)]
    assert [s.operation for s in meter.requests] == ["BatchGetItem", "BatchGetItem"]


def test_a_saved_profile_keeps_everything_and_the_second_to_save_is_refused(store: Store, db: Session) -> None:
    mine, yours = store.user("u-ada"), store.user("u-ada")
    assert mine is not None
    assert yours is not None
    mine.name = "Ada King"
    with db.measure() as meter:
        saved = store.save_user(mine)
    assert [s.operation for s in meter.requests] == ["GetItem", "UpdateItem"]  # the address may have changed: it looks
    yours.name = "A. Byron"
    with pytest.raises(ConcurrentModificationError):
        store.save_user(yours)

    again = store.user("u-ada")
    assert again == saved
    assert again == next(u for u in seed.users() if u.user_id == "u-ada").model_copy(update={"name": "Ada King"})
    assert store.user_with_email("ada.byron@example.com") == saved
    assert "u-ada" in [u.user_id for u in store.active_users()]
    before, after = stored(yours), stored(saved)
    assert before is not None
    assert after is not None
    assert (before.version, after.version) == (1, 2)


def test_a_saved_profile_may_move_to_another_address(store: Store) -> None:
    ada = store.user("u-ada")
    assert ada is not None
    ada.email = "ada@lovelace.example"
    store.save_user(ada)
    assert store.user_with_email("ada.byron@example.com") is None
    assert store.user_with_email("Ada@Lovelace.example") == ada
    ada.email = "ben@example.org"
    with pytest.raises(UniqueViolationError):
        store.save_user(ada)


def test_logins_are_counted_whoever_counts(store: Store, db: Session) -> None:
    with db.measure() as meter:
        assert store.sign_in("u-ben") == 1
    assert [(s.operation, s.capacity.write) for s in meter.requests] == [("UpdateItem", 3.0)]  # with gsi1 and gsi2
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: store.sign_in("u-ben"), range(20)))
    assert sorted(counts) == list(range(2, 22))


def test_only_active_users_sign_in_and_nobody_is_made_by_it(store: Store) -> None:
    with pytest.raises(ConditionalCheckError):
        store.sign_in("u-cleo")
    with pytest.raises(NotFoundError):
        store.sign_in("u-ghost")
    assert store.user("u-ghost") is None


def test_active_users_come_newest_first_and_leave_with_their_status(store: Store, db: Session) -> None:
    def listed() -> list[str]:
        return [u.user_id for u in store.active_users()]

    assert listed() == ["u-fay", "u-dan", "u-ben", "u-ada"]
    assert store.suspend("u-dan").status == "suspended"
    assert listed() == ["u-fay", "u-ben", "u-ada"]
    with pytest.raises(ConditionalCheckError):
        store.suspend("u-dan")
    in_index = db.send("Scan", {"TableName": db.table_name, "IndexName": "gsi2"})["Items"]
    assert sorted(i["user_id"]["S"] for i in in_index if i["entity_type"]["S"] == "user") == ["u-ada", "u-ben", "u-fay"]
    store.reinstate("u-dan")
    assert listed() == ["u-fay", "u-dan", "u-ben", "u-ada"]


def test_fifty_active_users_are_a_page(db: Session) -> None:
    for number in range(53):
        Store(db, at(TODAY + timedelta(minutes=number))).register(f"{number}@example.com", "N", user_id=f"n{number:02}")
    first = Store(db).active_users()
    with db.measure() as meter:
        second = Store(db).active_users(first.cursor)
    assert [u.user_id for u in first] == [f"n{number:02}" for number in range(52, 2, -1)]
    assert [u.user_id for u in second] == ["n02", "n01", "n00", "u-fay", "u-dan", "u-ben", "u-ada"]
    assert second.cursor is None
    assert {(s.operation, s.index) for s in meter.requests} == {("Query", "gsi2")}


# ------------------------------------------------------------------------------------ what belongs to one user


def test_settings_are_changed_by_who_saw_the_last_change(store: Store, db: Session) -> None:
    seen = stored(store.settings("u-ben"))
    assert seen is not None
    assert seen.updated_at is not None
    with db.measure() as meter:
        changed = store.change_settings("u-ben", {"language": "de"}, last_modified=seen.updated_at)
    assert (changed.language, changed.time_zone) == ("de", "Europe/Paris")
    assert [s.operation for s in meter.requests] == ["UpdateItem"]
    with pytest.raises(ConcurrentModificationError):
        store.change_settings("u-ben", {"language": "it"}, last_modified=seen.updated_at)
    assert store.settings("u-ben") == changed


def test_equal_moments_are_told_apart_and_zones_are_not() -> None:
    with main_table.open("memory:", clock=at(TODAY)) as db:
        store = Store(db)
        store.register("u-1@example.com", "U", user_id="u-1")
        first = stored(store.set_up("u-1"))
        assert first is not None
        assert first.updated_at == TODAY
        store.change_settings("u-1", {"language": "fr"}, last_modified=TODAY.astimezone())
        with pytest.raises(ConcurrentModificationError):
            store.change_settings("u-1", {"language": "it"}, last_modified=TODAY)
        assert store.settings("u-1").language == "fr"


def test_settings_have_usual_values_until_they_are_set_up(store: Store) -> None:
    assert store.settings("u-fay").time_zone == "UTC"
    assert store.set_up("u-fay", time_zone="Asia/Tokyo") == store.settings("u-fay")
    with pytest.raises(AlreadyExistsError):
        store.set_up("u-fay")


def test_subscriptions_need_their_user(store: Store) -> None:
    made = store.subscribe("u-fay", "catalogue", TODAY)
    assert store.subscriptions("u-fay") == [made]
    assert [s.plan for s in store.subscriptions("u-ada")] == ["catalogue", "workshop"]


def test_nothing_is_written_for_whom_there_is_not(store: Store, db: Session) -> None:
    kinds = list(main_table.entities.values())
    before = len(list(db.scan_for_maintenance(kinds)))
    writes: list[Callable[[], object]] = [
        lambda: store.set_up("u-ghost"),
        lambda: store.subscribe("u-ghost", "catalogue", TODAY),
        lambda: store.record("u-ghost", "login"),
        lambda: store.review("jigsaw", "u-ghost", 5),
        lambda: store.place_order("u-ghost", {"jigsaw": 1}),
    ]
    for write in writes:
        with pytest.raises(NotFoundError) as refused:
            write()
        assert refused.value.entity == "User"
    assert len(list(db.scan_for_maintenance(kinds))) == before


def test_a_summary_is_two_ranges_and_counts_no_cancelled_money(store: Store, db: Session) -> None:
    with db.measure() as meter:
        summary = store.activity_summary("u-ada")
    assert summary == ActivitySummary(TODAY - timedelta(days=30), 2, Decimal("171.40"), {"login": 2, "search": 1})
    assert [(s.operation, s.index, s.capacity.read) for s in meter.requests] == [("Query", None, 0.5)] * 2
    assert store.activity_summary("u-dan").orders == 1
    assert store.activity_summary("u-dan").spent == 0
    store.record("u-ada", "search")
    assert store.activity_summary("u-ada").activities == {"login": 2, "search": 2}
    assert store.activity_summary("u-ada", timedelta(days=365)).orders == 5


# ---------------------------------------------------------------------------------------------------- orders


def test_an_order_is_written_and_read_as_a_whole(store: Store, db: Session, place: str) -> None:
    with db.measure() as meter:
        placed = store.place_order("u-fay", {"wood-screws": 3, "jigsaw": 1})
    assert [(s.operation, s.capacity.read) for s in meter.requests] == [
        ("BatchGetItem", 1.0),
        ("TransactWriteItems", 0),
    ]
    if place == "memory":  # DynamoDB Local takes nothing for the check; DynamoDB does
        # Two units each for the check, the order, two lines and the activity; one for each of four entries in indexes.
        assert meter.capacity.write == 5 * 2 + 4
    assert placed.order is not None
    assert (placed.order.total_amount, placed.order.status) == (Decimal("133.10"), "pending")
    with db.measure() as meter:
        assert store.order(placed.order.order_id) == placed
    assert [(s.operation, s.index, s.capacity.read) for s in meter.requests] == [("Query", "gsi1", 0.5)]
    assert [(line.line, line.product_id) for line in placed.lines] == [(1, "wood-screws"), (2, "jigsaw")]
    assert store.activity_summary("u-fay").activities == {"login": 1, "order": 1}
    assert store.order("o-nothing") is None


def test_an_order_is_all_or_nothing(store: Store, db: Session) -> None:
    def count() -> int:
        return int(db.send("Scan", {"TableName": db.table_name, "Select": "COUNT"})["Count"])

    before = count()
    with pytest.raises(ConditionalCheckError):
        store.place_order("u-cleo", {"jigsaw": 1})
    with pytest.raises(NotFoundError):
        store.place_order("u-ghost", {"jigsaw": 1})
    with pytest.raises(UnknownProduct, match="saw-jig"):
        store.place_order("u-ada", {"jigsaw": 1, "saw-jig": 1})
    with pytest.raises(ValueError, match="quantity"):
        store.place_order("u-ada", {"jigsaw": 0})
    for basket in ({}, {f"p{number}": 1 for number in range(MOST_LINES + 1)}):
        with pytest.raises(BadBasket):
            store.place_order("u-ada", basket)
    assert count() == before


def test_the_largest_order_fits(store: Store) -> None:
    basket = {f"p{number:02}": 1 for number in range(MOST_LINES)}
    for product_id in basket:
        store.offer(product_id, "bits", product_id, Decimal("0.10"))
    placed = store.place_order("u-ada", basket)
    assert placed.order is not None
    assert placed.order.total_amount == Decimal(5)
    assert store.order(placed.order.order_id) == placed


def test_an_order_is_paid_or_cancelled_once(store: Store) -> None:
    def pending() -> list[str]:
        return [o.order_id for o in store.orders_with_status("pending")]

    assert pending() == ["o-0111", "o-0112"]
    assert store.pay("o-0111").status == "paid"
    assert pending() == ["o-0112"]
    with pytest.raises(ConditionalCheckError):
        store.cancel("o-0111")
    assert store.cancel("o-0112").status == "cancelled"
    assert pending() == []
    assert [o.order_id for o in store.orders_with_status("paid", TODAY - timedelta(days=7))] == ["o-0111"]
    with pytest.raises(NotFoundError):
        store.pay("o-nothing")


def test_orders_come_newest_first_and_lines_are_not_among_them(store: Store, db: Session) -> None:
    assert [o.order_id for o in store.orders("u-ada")] == ["o-0111", "o-0108", "o-0107", "o-0103", "o-0101"]
    for number in range(20):
        Store(db, at(TODAY + timedelta(hours=number))).place_order("u-fay", {"jigsaw": 1})
    first = store.orders("u-fay")
    assert (len(first), [o.order_id for o in store.orders("u-fay", first.cursor)]) == (20, ["o-0110"])


def test_recent_orders_are_those_of_thirty_days(store: Store, db: Session) -> None:
    with db.measure() as meter:
        recent = store.recent_orders("u-ada")
    assert [o.order_id for o in recent] == ["o-0111", "o-0108"]
    assert [(s.operation, s.index, s.capacity.read) for s in meter.requests] == [("Query", None, 0.5)]
    earlier = Store(db, at(recent[-1].placed_at + timedelta(days=30)))
    assert [o.order_id for o in earlier.recent_orders("u-ada")] == ["o-0111", "o-0108"], "the end belongs to it"
    later = Store(db, at(recent[-1].placed_at + timedelta(days=30, microseconds=1)))
    assert [o.order_id for o in later.recent_orders("u-ada")] == ["o-0111"]


# ---------------------------------------------------------------------------------- products and configuration


def test_a_product_page_shows_stock_and_reviews(store: Store, db: Session) -> None:
    assert store.store_away("jigsaw", "north", 5) == 5
    assert store.store_away("jigsaw", "north", 2) == 7
    said = store.review("jigsaw", "u-ben", 4, "Quiet.")
    with db.measure() as meter:
        page = store.product_page("jigsaw")
    assert page is not None
    assert ([(i.location, i.stock) for i in page.stock], page.reviews) == ([("north", 7), ("south", 4)], [said])
    assert [(s.operation, s.index, s.capacity.read) for s in meter.requests] == [("Query", None, 0.5)]
    assert store.product_page("jig") is None
    with pytest.raises(NotFoundError):
        store.review("jig", "u-ben", 1)


def test_stock_never_goes_below_nothing(store: Store) -> None:
    def take(_: int) -> bool:
        try:
            store.take_out("wood-glue", "north", 5)
        except ConditionalCheckError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(take, range(10)))
    assert taken.count(True) == 6
    page = store.product_page("wood-glue")
    assert page is not None
    assert [i.stock for i in page.stock] == [3]
    for quantity in (0, -1):
        with pytest.raises(ValueError, match="cannot be taken out"):
            store.take_out("wood-glue", "north", quantity)
    with pytest.raises(NotFoundError):
        store.take_out("wood-glue", "moon", 1)


def test_a_product_moves_to_another_category(store: Store) -> None:
    assert [p.product_id for p in store.products_in("supplies")] == ["wood-glue", "wood-screws"]
    store.offer("wood-glue", "adhesives", "Wood glue", Decimal(9))
    assert [p.product_id for p in store.products_in("supplies")] == ["wood-screws"]
    assert [p.price for p in store.products_in("adhesives")] == [Decimal(9)]


def test_features_are_switched_one_by_one(store: Store) -> None:
    assert store.features() == {"reviews", "search"}
    assert store.switch("wishes", on=True) == {"reviews", "search", "wishes"}
    for feature in ("reviews", "search", "wishes", "never"):
        store.switch(feature, on=False)
    assert store.features() == set()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: store.switch(f"f{number}", on=True), range(8)))
    assert store.features() == {f"f{number}" for number in range(8)}


def test_the_configuration_is_one_item_each(store: Store) -> None:
    assert store.app_settings() == AppSettings(page_size=25)
    store.configure(AppSettings(maintenance=True))
    assert store.app_settings() == AppSettings(maintenance=True, page_size=20)


def test_without_configuration_everything_is_as_usual() -> None:
    with main_table.open("memory:") as empty:
        store = Store(empty)
        assert (store.app_settings(), store.features()) == (AppSettings(), set())
        assert store.switch("search", on=False) == set()
        assert store.switch("search", on=True) == {"search"}


# ----------------------------------------------------------------------------------------------------- seed


def test_seeding_again_restores_everything(store: Store, db: Session) -> None:
    def everything() -> list[Entity]:
        kinds = list(main_table.entities.values())
        return sorted(db.scan_for_maintenance(kinds), key=repr)

    def stored_items() -> int:
        return int(db.send("Scan", {"TableName": db.table_name, "Select": "COUNT"})["Count"])

    before = everything()
    assert len(before) == len(seed.entities())
    assert [entity for entity in seed.entities() if entity not in before] == []
    assert stored_items() == len(before) + len(seed.users()), "each user has a marker for the email address"
    store.suspend("u-ada")
    ben = store.user("u-ben")
    assert ben is not None
    ben.email = "somewhere@example.com"
    store.save_user(ben)
    store.pay("o-0111")
    assert everything() != before
    assert seed.seed(db) == len(before)
    assert everything() == before
    assert stored_items() == len(before) + len(seed.users())


def test_totals_of_the_seed_are_those_of_its_lines() -> None:
    for order in seed.orders():
        lines = [line for line in seed.lines() if line.order_id == order.order_id]
        assert order.total_amount == sum(line.price * line.quantity for line in lines)
        assert {line.user_id for line in lines} == {order.user_id}
