"""TW109: a prefix of an adopted key reaches its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.keys import TemplateKey
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.values.keycodec import closed_below


class OpenPrefix(Rule):
    """A prefix of an adopted key reaches its neighbours.

    In keys with raw values, a value can begin like another one and go on with a character that sorts before the
    separator. Then no single range holds an item and what lies below it, and a prefix without its separator reads 10
    together with 1.

    Bad:

    ```python
    from tablewright import Entity, KeyStyle, Keys, Table

    table = Table("Legacy", key_style=KeyStyle.adopted("-"))


    class Stay(Entity, table=table):
        keys = Keys("GUEST-{guest}", "{city}-{stay_id}")
        guest: str
        city: str
        stay_id: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Legacy")


    class Stay(Entity, table=table):
        keys = Keys("GUEST#{guest}", "{city}#{stay_id}")
        guest: str
        city: str
        stay_id: str
    ```
    """

    code = "TW109"
    name = "open-prefix"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            for key in path.sk:
                if not isinstance(key, TemplateKey):
                    continue
                segments = key.bound.segments
                for cut in range(1, len(segments)):
                    if not closed_below(segments[:cut], key.bound.style):
                        name = segments[cut - 1].fields[-1].name
                        yield Found(
                            design.about_field(path.plan, name),
                            f"In {path.plan.name}'s sort key on {key_of(path)}, no single range holds one {name!r} and what lies below "
                            "it: raw values can begin alike.",
                            "Let values of it hold no characters that sort before the separator, or give it a fixed width.",
                            also=(path.index_name,) if path.index_name else (),
                        )
