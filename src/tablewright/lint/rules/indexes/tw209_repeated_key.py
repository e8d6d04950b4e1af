"""TW209: an entity has the same key twice."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reads import CollectionPlan
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class RepeatedKey(Rule):
    """An entity has the same key twice.

    An index holds an entity under the key that the table or another index already has. Nothing can be read through it
    that could not be read before, and each write pays for it.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE", GSI1=("CUSTOMER#{customer_id}", "PROFILE"))
        customer_id: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, NaturalKey, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE", GSI1=("EMAIL#{email}", "PROFILE"))
        customer_id: str
        email: NaturalKey
    ```
    """

    code = "TW209"
    name = "repeated-key"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            seen: dict[tuple[str, ...], KeyPath] = {}
            for path in design.paths(plan):
                binding = path.binding
                if binding is not None and binding.condition is not None:
                    continue  # some of the items under a key are not what all of them are
                shown = (*map(str, path.pk), "|", *map(str, path.sk))
                first = seen.setdefault(shown, path)
                if binding is None or not binding.made:
                    continue  # what shares its attributes with another key cannot be left out
                if first is not path and binding.index.projection == "ALL":
                    together = {
                        r.pattern.name for r in design.readers(path.index_name) if isinstance(r.whole, CollectionPlan)
                    }
                    if not together:
                        yield Found(
                            design.about_entity(plan),
                            f"{plan.name} has the key of {key_of(first)} on {path.index_name} once more.",
                            f"Leave {path.index_name} out of its keys.",
                            also=(path.index_name,),
                        )
