"""TW110: a number without a width stands in an adopted sort key."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.keys import TemplateKey
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class UnpaddedNumber(Rule):
    """A number without a width stands in an adopted sort key.

    As text, 10 comes before 9. Lists come in the wrong order, and a range misses items. In the library's own style such
    a key is refused.

    Bad:

    ```python
    from tablewright import Entity, KeyStyle, Keys, Table

    table = Table("Legacy", key_style=KeyStyle.adopted("#"))


    class Page(Entity, table=table):
        keys = Keys("BOOK#{book_id}", "PAGE#{page}")
        book_id: str
        page: int
    ```

    Good:

    ```python
    from tablewright import Entity, KeyStyle, Keys, Table

    table = Table("Legacy", key_style=KeyStyle.adopted("#"))


    class Page(Entity, table=table):
        keys = Keys("BOOK#{book_id}", "PAGE#{page:6}")
        book_id: str
        page: int
    ```
    """

    code = "TW110"
    name = "unpadded-number"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            for key in path.sk:
                if isinstance(key, TemplateKey):
                    for segment in key.bound.segments:
                        for field in segment.fields:
                            if not field.codec.ordered:
                                yield Found(
                                    design.about_field(path.plan, field.name),
                                    f"{path.plan.name}'s sort key on {key_of(path)} holds the number {field.name!r} without a width, so "
                                    "that 10 comes before 9.",
                                    f"Pad it: {{{field.name}:6}}. Keys that exist already have to be written again.",
                                    also=(path.index_name,) if path.index_name else (),
                                )
