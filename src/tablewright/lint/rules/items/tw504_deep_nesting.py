"""TW504: an attribute nests more than three levels deep."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import ENDLESS, depth

_DEEPEST = 3


class DeepNesting(Rule):
    """An attribute nests more than three levels deep.

    Paths into lists within maps within lists are long, updates of them need every level to exist, and two writers of
    one branch meet. Deep trees are aggregates: let the lower levels be items of their own.

    Bad:

    ```python
    from pydantic import BaseModel, Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Room(BaseModel):
        items: list[str] = Field(default_factory=list, max_length=9)


    class Floor(BaseModel):
        rooms: list[Room] = Field(default_factory=list, max_length=9)


    class House(Entity, table=shop):
        keys = Keys("HOUSE#{house_id}", "HOUSE#{house_id}")
        house_id: str
        floors: list[Floor] = Field(default_factory=list, max_length=3)
    ```

    Good:

    ```python
    from pydantic import BaseModel, Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Room(BaseModel):
        items: list[str] = Field(default_factory=list, max_length=9)


    class Floor(Entity, table=shop):
        keys = Keys("HOUSE#{house_id}", "FLOOR#{level:3}")
        house_id: str
        level: int
        rooms: list[Room] = Field(default_factory=list, max_length=9)
    ```
    """

    code = "TW504"
    name = "deep-nesting"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            for name, field in plan.fields.items():
                levels = depth(field.annotation) + len(field.path) - 1 if field.sealing is None else 0
                if levels > _DEEPEST:
                    told = "without end" if levels >= ENDLESS else f"{levels} levels deep"
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} nests lists and maps {told}.",
                        "Make the lower levels items of their own, in the same partition; an Aggregate reads them as a tree.",
                    )
