"""TW002: a pattern that no key serves."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.proofs.unserved import explain_unserved
from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Place, Subject
from tablewright.lint.rule import Rule


class UnservedPattern(Rule):
    """No key serves an access pattern.

    Only a scan of the whole table would answer it, or the read is one that DynamoDB refuses. The message says for every key
    why it does not serve; `tablewright check` shows what would.

    Bad:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}")
        product_id: str
        category: str


    @shop.pattern
    def products_in(category: str) -> Query[Product]:
        return query(Product, Product.category == category)
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str


    @shop.pattern
    def products_in(category: str) -> Query[Product]:
        return query(Product, Product.category == category)
    ```
    """

    code = "TW002"
    name = "unserved-pattern"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        told = set()
        for one in design.refused:
            if one.kind == "pattern":
                told.add(one.name)
                if not one.follows:
                    subject = Subject(f"{one.name}()", design.table.unserved.get(one.name, one.subject))
                    proof = explain_unserved(design.plan, one)
                    edit = f"This would serve it: {proof.edits[0].text}." if proof.edits else one.error.hint or ""
                    place = None if one.line is None else Place(*one.line)
                    yield Found(subject, one.error.message.removeprefix(f"{place}: "), edit, place=place)
        for name, pattern in design.table.unserved.items():
            if name not in told:
                yield Found(
                    design.about_pattern(pattern),
                    f"No key serves the pattern {name}().",
                    "See `tablewright check` for the reasons.",
                )
