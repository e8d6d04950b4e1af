"""TW107: one thing has two prefixes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import literals, pieces, snake, whole
from tablewright.lint.rule import Rule


class InconsistentPrefix(Rule):
    """One thing has two prefixes.

    The prefix of a key says what the id after it is. If an order is ORDER#7 here and ORD#7 or order#7 there, one half
    of the code builds keys that the other half never finds, and items that belong together lie apart. Compared are
    fields with a prefix before them that stands for them, and the spelling of all prefixes. Something else about the
    same thing, such as CHANGES#7, is no second prefix.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}")
        customer_id: str


    class Ticket(Entity, table=shop):
        keys = Keys("TICKET#{ticket_id}", "TICKET#{ticket_id}", GSI1=("CUST#{customer_id}", "TICKET#{ticket_id}"))
        ticket_id: str
        customer_id: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}")
        customer_id: str


    class Ticket(Entity, table=shop):
        keys = Keys("TICKET#{ticket_id}", "TICKET#{ticket_id}", GSI1=("CUSTOMER#{customer_id}", "TICKET#{ticket_id}"))
        ticket_id: str
        customer_id: str
    ```
    """

    code = "TW107"
    name = "inconsistent-prefix"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        spelt: dict[str, tuple[str, EntityPlan]] = {}
        prefixes: dict[tuple[str, str], tuple[str, KeyPath]] = {}
        for path in design.every_path():
            for text in literals(whole(path)):
                known, owner = spelt.setdefault(text.lower(), (text, path.plan))
                if known != text:
                    yield Found(
                        design.about_entity(path.plan),
                        f"{path.plan.name} writes {text!r} in its keys on {key_of(path)}, and {owner.name} writes {known!r}.",
                        "Spell a prefix in one way.",
                        also=(owner.entity,),
                    )
            for side in (path.pk, path.sk):
                for before, after in pairwise(pieces(side)):
                    if before.text is None or after.field is None or after.derived is not None:
                        continue
                    text, name = before.text, after.field
                    stem = snake(name).removesuffix("_id").replace("_", "")
                    if not stem or not any(_stands_for(text, word) for word in (stem, *_named(design, stem))):
                        continue  # what is said of the thing, such as its changes, not the thing
                    # A field called `id` is another one in every entity; `order_id` is the same everywhere.
                    whose = "" if re.search(r".[_a-z](id|Id|ID)$", name) else path.plan.name
                    known, first = prefixes.setdefault((whose, name), (text, path))
                    if known.lower() != text.lower():
                        yield Found(
                            design.about_entity(path.plan),
                            f"{name!r} has the prefix {text!r} in the keys of {path.plan.name} on {key_of(path)}, and {known!r} in "
                            f"those of {first.plan.name} on {key_of(first)}.",
                            f"Use one prefix for it: {known}#{{{name}}}.",
                            also=(first.plan.entity,),
                        )


def _stands_for(prefix: str, word: str) -> bool:
    """Whether a prefix is this word, its plural, or short for it: CUST for customer."""
    letters, text = iter(word), prefix.lower()
    return text[0] == word[0] and (text == f"{word}s" or all(letter in letters for letter in text))


def _named(design: Design, stem: str) -> list[str]:
    """Entities that a field's name is short for: Organization for org_id, unless there is an entity Org."""
    names = [plan.name.lower() for plan in design.entities]
    return [] if stem in names else [name for name in names if _stands_for(stem, name)]
