"""The catalogue: categories, products, the words by which they are found, and what customers say of them.

A product's words are written in the transaction of the product, so that a search never lags behind the shelves. They are
few, and nobody but the shop itself changes a name: no other write waits for them.
"""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tablewright import Page, key, ulid
from tablewright.errors import ConcurrentModificationError, ConditionalCheckError, NotFoundError

from .department import ATTEMPTS, Department
from .errors import BelowNothing, UnknownProduct, in_our_words
from .model import (
    Category,
    Product,
    ProductPage,
    ProductWord,
    Review,
    product,
    product_page,
    products_in,
    products_named,
    reviews_of,
)

_WORD = re.compile(r"\w\w+")
MOST_WORDS, LONGEST_WORD = 40, 64
"""A product that gets another name takes at most twice as many actions, and one; a transaction has room for a hundred."""


def words(text: str) -> list[str]:
    """The words by which a text is found: two letters or digits at least, whatever their capitals, each once."""
    folded = unicodedata.normalize("NFKC", text).casefold().lower()
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(folded)))[:MOST_WORDS]


def product_words(item: Product) -> list[ProductWord]:
    """The items by which a search finds a product."""
    return [
        ProductWord(word=word, category_id=item.category_id, product_id=item.product_id) for word in words(item.name)
    ]


@dataclass(frozen=True)
class Found:
    """A page of what a search found. With a cursor there may be more, even if this page is short."""

    products: list[Product]
    cursor: str | None


class Catalogue(Department):
    """What the shop has."""

    # --------------------------------------------------------------------------------------------- categories

    @in_our_words()
    def add_category(self, category_id: str, name: str) -> Category:
        """A new shelf. Fails if there is one with this id."""
        return self._db.create(Category(category_id=category_id, name=name))

    def category(self, category_id: str) -> Category | None:
        """A shelf by its id."""
        return self._db.get(key(Category, category_id=category_id))

    def products_in(self, category_id: str, cursor: str | None = None) -> Page[Product]:
        """The products of a category, twenty a page."""
        return self._db.run(products_in, category_id).page(cursor=cursor)

    # ----------------------------------------------------------------------------------------------- products

    @in_our_words()
    def add_product(self, product_id: str, category_id: str, name: str, price: Decimal, *, stock: int = 0) -> Product:
        """A new product on a shelf, to be found by the words of its name at once."""
        new = Product(product_id=product_id, category_id=category_id, name=name, price=price, stock=stock)
        with self._db.transaction() as tx:
            tx.create(new)
            tx.check(key(Category, category_id=category_id))
            for word in product_words(new):
                tx.put(word)
        return new

    def product(self, product_id: str) -> Product | None:
        """A product by its number."""
        return self._db.run(product, product_id)

    @in_our_words()
    def change_product(
        self,
        product_id: str,
        *,
        name: str | None = None,
        category_id: str | None = None,
        price: Decimal | None = None,
    ) -> Product:
        """Another name, shelf or price. The words for the search change with it, in one transaction."""
        given: dict[str, Any] = {"name": name, "category_id": category_id, "price": price}
        changes = {field: value for field, value in given.items() if value is not None}
        for _ in range(ATTEMPTS):
            before = self._db.get(product(product_id), consistent=True)
            if before is None:
                raise UnknownProduct(product_id)
            after = before.model_copy(update=changes)
            try:
                if changes:
                    self._change(before, after, changes)
            except NotFoundError:
                raise
            except ConditionalCheckError:
                continue  # another change was faster: which words are to go must be worked out anew
            return after
        raise ConcurrentModificationError("The product was changed by others all the time.")

    def _change(self, before: Product, after: Product, changes: dict[str, Any]) -> None:
        old = {(w.word, w.category_id): w for w in product_words(before)}
        new = {(w.word, w.category_id): w for w in product_words(after)}
        as_before = [Product.name == before.name, Product.category_id == before.category_id]
        with self._db.transaction() as tx:
            tx.update(key(Product, product_id=before.product_id), set=changes, when=as_before)
            if after.category_id != before.category_id:
                tx.check(key(Category, category_id=after.category_id))
            for place in old.keys() - new.keys():
                tx.delete(old[place])
            for place in new.keys() - old.keys():
                tx.put(new[place])

    @in_our_words()
    def restock(self, product_id: str, pieces: int) -> Product:
        """More of a product, or less, but not below nothing."""
        try:
            return self._db.update(product(product_id), add={"stock": pieces})
        except NotFoundError:
            raise
        except ConditionalCheckError as error:
            raise BelowNothing(f"There are not {-pieces} of {product_id} on the shelf.") from error

    @in_our_words()
    def remove_product(self, product_id: str) -> None:
        """Takes a product from its shelf, with its words and what was said of it. What was sold of it stays in the books.

        It can be repeated; what a stop left undone is then done."""
        for _ in range(ATTEMPTS):
            gone = self._db.get(product(product_id), consistent=True)
            if gone is None:
                self._db.delete_collection(reviews_of(product_id))
                return
            try:
                with self._db.transaction() as tx:
                    tx.delete(gone, when=[Product.name == gone.name, Product.category_id == gone.category_id])
                    for word in product_words(gone):
                        tx.delete(word)
            except ConditionalCheckError:
                continue
        raise ConcurrentModificationError("The product was changed by others all the time.")

    # ------------------------------------------------------------------------------------------------- search

    def search(self, text: str, category_id: str | None = None, cursor: str | None = None) -> Found:
        """Products whose names have all words of a text, in all categories or in one: the entries of its longest word, twenty
        a page, without those that lack another word."""
        wanted = sorted(words(text), key=len, reverse=True)
        if not wanted:
            return Found([], None)
        page = self._db.run(products_named, wanted[0], category_id).page(20, cursor=cursor)
        hits = list(page)
        for word in wanted[1:]:
            others = [key(ProductWord, word=word, category_id=h.category_id, product_id=h.product_id) for h in hits]
            hits = [hit for hit, other in zip(hits, self._db.get_many(others), strict=True) if other is not None]
        found = self._db.get_many([key(Product, product_id=hit.product_id) for hit in hits])
        return Found([item for item in found if item is not None], page.cursor)

    # ------------------------------------------------------------------------------------------------ reviews

    def page_of(self, product_id: str) -> ProductPage | None:
        """A product with its reviews; None if the shop does not have it."""
        page = self._db.run(product_page, product_id)
        return page if page.product is not None else None

    @in_our_words()
    def write_review(self, username: str, product_id: str, stars: int, text: str = "") -> Review:
        """What a customer says of a product that the shop has."""
        review = Review(
            product_id=product_id,
            review_id=ulid(),
            written_at=self._now(),
            username=username,
            stars=stars,
            text=text,
        )
        with self._db.transaction() as tx:
            self._for(tx, username)
            tx.check(product(product_id))
            tx.create(review)
        return review

    def reviews(self, product_id: str, cursor: str | None = None) -> Page[Review]:
        """What customers say of a product, newest first, twenty a page."""
        return self._db.run(reviews_of, product_id).page(20, cursor=cursor)

    @in_our_words()
    def withdraw_review(self, review: Review) -> None:
        """The customer thought better of it."""
        self._db.delete(review)
