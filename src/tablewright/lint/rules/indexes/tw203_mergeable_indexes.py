"""TW203: two indexes could be one."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import KeyPath, may_meet
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class MergeableIndexes(Rule):
    """Two indexes could be one.

    An index with generic key attributes can serve several entities, each with its own templates. Two indexes that no
    entity is in at once, with the same projection and with keys that never meet, do the work of one. One index per
    pattern or per entity is how tables come to twenty of them.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, NaturalKey, Table

    shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: NaturalKey


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI2=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, NaturalKey, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: NaturalKey


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
    ```
    """

    code = "TW203"
    name = "mergeable-indexes"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        shared = {
            key.name
            for index in design.table.indexes.values()
            for key in index.attributes
            if sum(key in other.attributes for other in design.table.indexes.values()) > 1
            or key in (design.table.pk, design.table.sk)
        }
        free = [
            index
            for index in design.table.indexes.values()
            if not index.local
            and not index.multi
            and len(index.sk) == 1
            and all(key.tag == "S" and key.name not in shared for key in index.attributes)
        ]
        taken: set[str] = set()
        for position, one in enumerate(free):
            for other in free[position + 1 :]:
                if other.name not in taken and (one.projection, one.include) == (other.projection, other.include):
                    mine, theirs = _keys(design, one.name), _keys(design, other.name)
                    if mine and theirs and _apart(mine, theirs):
                        taken.add(other.name)
                        yield Found(
                            design.about_index(other.name),
                            f"{other.name} could be one with {one.name}: no entity is in both, and their keys never meet.",
                            f"Give {', '.join(key.plan.name for key in theirs)} its keys on {one.name}, and take {other.name} out.",
                            also=(one.name,),
                        )


def _keys(design: Design, index: str) -> list[KeyPath]:
    return [path for path in design.every_path() if path.index_name == index]


def _apart(mine: list[KeyPath], theirs: list[KeyPath]) -> bool:
    """Whether these keys could lie in one index: nobody is in both, and no two partitions are the same."""
    for one in mine:
        for other in theirs:
            keys = (one.pk[0], other.pk[0])
            if one.plan.entity is other.plan.entity or not all(isinstance(key, TemplateKey) for key in keys):
                return False
            if any(
                isinstance(a, TemplateKey) and isinstance(b, TemplateKey) and may_meet(a.bound, b.bound)
                for a, b in (keys,)
            ):
                return False
    return True
