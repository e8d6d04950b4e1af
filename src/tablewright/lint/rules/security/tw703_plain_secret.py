"""TW703: a secret is stored as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import snake
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import parts
from tablewright.model.annotations import members

_SECRET = re.compile(
    r"(.*_)?(passwords?|passwd|pwd|passphrase|secrets?|(api|private|secret|signing|encryption)_?keys?"
    r"|(access|refresh|auth|bearer|session|api)_?tokens?|ssn|social_security_number|credit_?card(_?number)?|card_?number"
    r"|cvv|cvc|pin_code)"
).fullmatch
_PERHAPS = re.compile(r"token|iban").fullmatch
"""What is a secret in one application, and none in another."""


class PlainSecret(Rule):
    """A secret is stored as it is.

    Whoever may read the table, its backups or its stream reads the secret too. `Encrypted` stores it sealed, bound to
    its item. Hashes of passwords are made to be stored, and not meant. What may be a secret or something else, such as
    a token, is only noted.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    app = Table("App")


    class Integration(Entity, table=app):
        keys = Keys("INTEGRATION#{integration_id}", "INTEGRATION#{integration_id}")
        integration_id: str
        api_key: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    app = Table("App")


    class Integration(Entity, table=app):
        keys = Keys("INTEGRATION#{integration_id}", "INTEGRATION#{integration_id}")
        integration_id: str
        api_key_hash: str
    ```
    """

    code = "TW703"
    name = "plain-secret"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            keys = plan.key_fields.union(*(binding.sources for binding in plan.bindings))
            for name, field in plan.fields.items():
                for path in _secrets(field.annotation, name, ()) if field.sealing is None else ():
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{path} is called like a secret, and is stored as it is.",
                        "Put a hash of it into the key, and call it one."
                        if name in keys
                        else f"Seal it: {name}: Annotated[..., Encrypted(...)]; or store a hash, and call it one.",
                        "info" if _PERHAPS(path) else None,
                    )


def _secrets(annotation: Any, path: str, above: tuple[Any, ...]) -> Iterator[str]:
    """The texts in a field that are called like secrets: the field, its members, and parts of models within it."""
    last = snake(path.rpartition(".")[2])
    for kind in members(annotation):
        inner = parts(kind)
        if kind in (str, bytes) or {str, bytes} & set(get_args(kind)):
            if _SECRET(last) or _PERHAPS(last):
                yield path
        elif inner is not None and kind not in above:
            for name, held in inner.items():
                yield from _secrets(held, f"{path}.{name}", (*above, kind))
