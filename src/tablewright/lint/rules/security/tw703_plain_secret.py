"""TW703: a secret is stored as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import kinds
from tablewright.lint.rule import Rule

_SECRET = re.compile(
    r"(.*_)?(password|passwd|secret|api_?key|private_?key|access_?token|refresh_?token|client_secret|ssn|social_security_number|card_number|cvv|pin_code)",
    re.IGNORECASE,
).fullmatch


class PlainSecret(Rule):
    """A secret is stored as it is.

    Whoever may read the table, its backups or its stream reads the secret too. `Encrypted` stores it sealed, bound to
    its item. Hashes of passwords are made to be stored, and not meant.

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
            for name, field in plan.fields.items():
                if field.sealing is None and _SECRET(name) and kinds(plan, name) & {str, bytes}:
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} is called like a secret, and is stored as it is.",
                        f"Seal it: {name}: Annotated[str, Encrypted(...)]; or store a hash, and call it one.",
                    )
