"""TW602: a link can be followed in one direction only."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, roots
from tablewright.lint.rule import Rule


class OneWayLink(Rule):
    """A link can be followed in one direction only.

    An entity whose key is made of the keys of two others links them, many to many. By its key it is found from one end;
    from the other only an index with the key turned round, or a mirrored item, finds it. Sooner or later somebody asks
    from the other end.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    app = Table("App")


    class User(Entity, table=app):
        keys = Keys("USER#{user_id}", "USER#{user_id}")
        user_id: str


    class Team(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "TEAM#{team_id}")
        team_id: str


    class Membership(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "USER#{user_id}")
        team_id: str
        user_id: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class User(Entity, table=app):
        keys = Keys("USER#{user_id}", "USER#{user_id}")
        user_id: str


    class Team(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "TEAM#{team_id}")
        team_id: str


    class Membership(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "USER#{user_id}", GSI1=("USER#{user_id}", "TEAM#{team_id}"))
        team_id: str
        user_id: str
    ```
    """

    code = "TW602"
    name = "one-way-link"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        ends = roots(design)
        for plan in design.entities:
            if plan.mirrored or plan.sk is None:
                continue
            linked = [name for name in fields((plan.pk, plan.sk)) if name in ends and ends[name] is not plan]
            if len(set(linked)) != 2 or set(linked) != plan.key_fields:
                continue
            for name in linked:
                if not any(name in fields(path.pk) and len(fields(path.pk)) == 1 for path in design.paths(plan)):
                    yield Found(
                        design.about_entity(plan),
                        f"{plan.name} links {' and '.join(ends[each].name for each in linked)}, and cannot be found by {name!r}.",
                        f'Turn its key round on an index: GSI1=("{ends[name].name.upper()}#{{{name}}}", ...), or give it a mirror.',
                    )
