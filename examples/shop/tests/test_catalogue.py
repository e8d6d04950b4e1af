"""Products stand on shelves, are found by the words of their names, and are talked about."""

from decimal import Decimal
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.shop.catalogue import LONGEST_WORD, MOST_WORDS, product_words, words
from examples.shop.model import Product, ProductWord, shop
from examples.shop.seed import products, reviews
from examples.shop.store import BelowNothing, Shop, Taken, UnknownCategory, UnknownCustomer, UnknownProduct
from tablewright import Session
from tablewright.errors import CursorError


def found(store: Shop, text: str, category_id: str | None = None) -> list[str]:
    page = store.search(text, category_id)
    assert page.cursor is None
    return [item.product_id for item in page.products]


def all_words(db: Session) -> list[tuple[str, str, str]]:
    return sorted((w.word, w.category_id, w.product_id) for w in db.scan_for_maintenance(ProductWord))


def expected_words(db: Session) -> list[tuple[str, str, str]]:
    entries = [entry for item in db.scan_for_maintenance(Product) for entry in product_words(item)]
    return sorted((w.word, w.category_id, w.product_id) for w in entries)


# ------------------------------------------------------------------------------------------------------ shelves


def test_a_category_is_made_once(store: Shop) -> None:
    tea = store.add_category("tea", "Tea")
    assert store.category("tea") == tea
    assert store.category("te") is None
    with pytest.raises(Taken):
        store.add_category("tea", "Another tea")


def test_a_product_is_added_to_a_shelf_and_found_at_once(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        new = store.add_product("sencha", "beans", "Sencha, loose, 100 g", Decimal("9.90"), stock=3)
    assert [r.operation for r in meter.requests] == ["TransactWriteItems"]
    assert store.product("sencha") == new
    assert new in list(store.products_in("beans"))
    assert found(store, "sencha") == ["sencha"]
    with pytest.raises(Taken):
        store.add_product("sencha", "beans", "Another", Decimal(1))
    with pytest.raises(UnknownCategory):
        store.add_product("pot", "pots", "Pot", Decimal(1))
    assert (store.product("pot"), found(store, "pot")) == (None, ["moka-pot"])
    assert all_words(filled) == expected_words(filled)


def test_the_products_of_a_shelf_come_in_pages(store: Shop) -> None:
    for number in range(22):
        store.add_product(f"x{number:02}", "cups", "A cup", Decimal(3))
    first = store.products_in("cups")
    second = store.products_in("cups", first.cursor)
    assert (len(first), len(second), second.cursor) == (20, 7, None)


def test_another_name_or_shelf_is_found_in_place_of_the_old_one(store: Shop, filled: Session) -> None:
    assert found(store, "aeropress") == ["aeropress"]
    changed = store.change_product("aeropress", name="Air press", price=Decimal("30.00"))
    assert (changed.name, changed.price) == ("Air press", Decimal("30.00"))
    assert store.product("aeropress") == changed
    assert (found(store, "aeropress"), found(store, "air press")) == ([], ["aeropress"])
    store.change_product("aeropress", category_id="cups")
    assert (found(store, "air", "brewing"), found(store, "air", "cups")) == ([], ["aeropress"])
    assert "aeropress" in [p.product_id for p in store.products_in("cups")]
    assert "aeropress" not in [p.product_id for p in store.products_in("brewing")]
    assert all_words(filled) == expected_words(filled)
    with pytest.raises(UnknownProduct):
        store.change_product("nothing", name="Something")
    with pytest.raises(UnknownCategory):
        store.change_product("aeropress", category_id="nowhere")
    assert store.change_product("aeropress") == store.product("aeropress")


def test_another_price_is_one_write_of_one_item(store: Shop, filled: Session, kept_in: str) -> None:
    with filled.measure() as meter:
        store.change_product("kenya-aa", price=Decimal("18.00"))
    assert [r.operation for r in meter.requests] == ["GetItem", "TransactWriteItems"]
    if kept_in == "memory":  # DynamoDB Local has rules of its own for transactions
        assert meter.capacity.write == 3  # the product, twice, and its entry in GSI1


def test_names_that_are_changed_at_once_leave_no_words_behind(store: Shop, filled: Session) -> None:
    def change(name: str) -> None:
        for number in range(5):
            store.change_product("kenya-aa", name=f"{name} number{number} coffee")

    threads = [Thread(target=change, args=(name,)) for name in ("nyeri", "embu", "meru")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all_words(filled) == expected_words(filled)


def test_stock_is_never_less_than_nothing(store: Shop) -> None:
    assert store.restock("kenya-aa", 5).stock == 45
    assert store.restock("kenya-aa", -45).stock == 0
    with pytest.raises(BelowNothing):
        store.restock("kenya-aa", -1)
    with pytest.raises(UnknownProduct):
        store.restock("nothing", 1)


def test_a_product_goes_with_its_words_and_reviews(store: Shop, filled: Session) -> None:
    store.remove_product("espresso-roma")
    assert store.product("espresso-roma") is None
    assert store.reviews("espresso-roma").items == ()
    assert found(store, "roma") == []
    assert all_words(filled) == expected_words(filled)
    assert [i.order_id for i in store.orders_with_product("espresso-roma")]  # the books keep what was sold
    store.remove_product("espresso-roma")


# ------------------------------------------------------------------------------------------------------- search


def test_a_search_is_a_query_and_a_read_of_what_it_found(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        results = found(store, "grinder")
    assert results == ["burr-electric", "cleaning-brush", "hand-grinder", "single-dose", "travel-grinder"]
    assert [(r.operation, r.pattern) for r in meter.requests] == [("Query", "products_named"), ("BatchGetItem", None)]
    assert meter.capacity.read == 3  # five products, half a unit each


@pytest.mark.parametrize("text", ["espresso", "ESPRESSO", " Espresso! ", "ｅｓｐｒｅｓｓｏ"])
def test_capitals_signs_and_widths_do_not_matter(store: Shop, text: str) -> None:
    assert sorted(found(store, text)) == ["espresso-cup", "espresso-roma"]


def test_all_words_must_be_there(store: Shop) -> None:
    assert found(store, "cup espresso") == ["espresso-cup"]
    assert found(store, "espresso grinder") == []
    assert found(store, "travel", "cups") == ["travel-mug"]
    assert (found(store, ""), found(store, "a !"), found(store, "espres")) == ([], [], [])


def test_a_search_comes_in_pages(store: Shop) -> None:
    for number in range(25):
        store.add_product(f"k{number:02}", "cups", f"Kettle {'steel' if number % 5 == 0 else ''}", Decimal(9))
    first = store.search("kettle")
    second = store.search("kettle", cursor=first.cursor)
    assert [p.product_id for p in (*first.products, *second.products)] == [f"k{n:02}" for n in range(25)]
    assert (len(first.products), second.cursor) == (20, None)
    steel = store.search("steel kettle")
    rest = store.search("steel kettle", cursor=steel.cursor)
    assert [p.product_id for p in (*steel.products, *rest.products)] == ["k00", "k05", "k10", "k15", "k20"]
    with pytest.raises(CursorError):
        store.search("kettle", "cups", first.cursor)


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_a_product_is_found_by_each_word_of_its_name(name: str) -> None:
    with shop.open("memory:", cursor_keys=[b"sixteen bytes or more"]) as db:
        store = Shop(db)
        store.add_category("c", "C")
        try:
            store.add_product("p", "c", name, Decimal(1))
        except ValueError:  # half of a character is no text
            return
        for word in words(name):
            assert words(word) == [word]
            assert found(store, word) == found(store, word.upper()) == ["p"]
        store.change_product("p", name="other")
        assert all_words(db) == [("other", "c", "p")]


def test_a_name_of_many_and_long_words_fits_into_a_transaction(store: Shop, filled: Session) -> None:
    names = [" ".join(f"{letter * 80}{number}{letter}" for number in range(60)) for letter in "xy"]
    store.add_product("long", "cups", " ".join(f"w{n}" for n in range(200)), Decimal(1))
    store.change_product("long", name=" ".join(f"v{n}" for n in range(200)))
    assert all_words(filled) == expected_words(filled)
    assert (len(words("w1 " * 200)), len(words(" ".join(f"w{n}" for n in range(200))))) == (1, MOST_WORDS)
    assert {len(word) for name in names for word in words(name)} == {LONGEST_WORD}


# ------------------------------------------------------------------------------------------------------ reviews


def test_a_product_has_a_page(store: Shop) -> None:
    page = store.page_of("kenya-aa")
    assert page is not None
    assert page.product is not None
    assert (page.product.name, [r.stars for r in page.reviews]) == ("Kenya AA, 500 g", [5, 3])
    assert store.page_of("nothing") is None


def test_a_review_is_written_by_a_customer_of_a_product(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        written = store.write_review("deniz", "kenya-aa", 4, "Good.")
    assert [r.operation for r in meter.requests] == ["TransactWriteItems"]
    assert store.reviews("kenya-aa").items[0] == written
    with pytest.raises(UnknownCustomer):
        store.write_review("nobody", "kenya-aa", 1)
    with pytest.raises(UnknownProduct):
        store.write_review("deniz", "nothing", 1)
    with pytest.raises(ValueError, match="stars"):
        store.write_review("deniz", "kenya-aa", 6)
    store.withdraw_review(written)
    assert written not in list(store.reviews("kenya-aa"))


def test_reviews_come_in_pages_newest_first(store: Shop, clock: Any) -> None:
    for number in range(25):
        clock.move(minutes=1)
        store.write_review("deniz", "chemex-6", 5, f"number {number}")
    first = store.reviews("chemex-6")
    second = store.reviews("chemex-6", first.cursor)
    texts = [r.text for r in (*first, *second)]
    known = [r.text for r in reversed(reviews()) if r.product_id == "chemex-6"]
    assert texts == [*(f"number {n}" for n in reversed(range(25))), *known]


def test_the_seed_can_be_found_by_each_of_its_words(store: Shop) -> None:
    for item in products():
        for word in words(item.name):
            assert item.product_id in found(store, word)
