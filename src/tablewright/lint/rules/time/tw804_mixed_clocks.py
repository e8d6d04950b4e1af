"""TW804: times are stored in several forms."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import clock, is_moment
from tablewright.lint.rule import Rule

_CHOOSE = "Choose one for the table: datetime, or the same Epoch everywhere."


class MixedClocks(Rule):
    """Times are stored in several forms.

    A field is an ISO text in one entity, and a field of the same name, or another time of the same entity, is a number of
    seconds or a text of any form.
    What is compared or sorted across entities then goes wrong, and every reader of the table has to know which is
    which. The field that items expire by is a number of seconds in any case, and not meant.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("EVENT#{event_id}", "EVENT#{event_id}")
        event_id: str
        created_on: datetime


    class Report(Entity, table=log):
        keys = Keys("REPORT#{report_id}", "REPORT#{report_id}")
        report_id: str
        created_on: str
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("EVENT#{event_id}", "EVENT#{event_id}")
        event_id: str
        created_on: datetime


    class Report(Entity, table=log):
        keys = Keys("REPORT#{report_id}", "REPORT#{report_id}")
        report_id: str
        created_on: datetime
    ```
    """

    code = "TW804"
    name = "mixed-clocks"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        seen: dict[str, dict[str, EntityPlan]] = {}
        for plan in design.entities:
            own: dict[str, str] = {}
            for name in plan.fields:
                form = clock(plan, name)
                if form is not None and name != plan.options.ttl:
                    seen.setdefault(name, {}).setdefault(form, plan)
                    if is_moment(plan, name):
                        own.setdefault(form, name)
            if len(own) > 1:
                told = ", ".join(f"{name!r} as {form}" for form, name in own.items())
                yield Found(design.about_entity(plan), f"{plan.name} stores times in several forms: {told}.", _CHOOSE)
        for name, forms in seen.items():
            if len(forms) > 1:
                told = ", ".join(f"{form} in {plan.name}" for form, plan in forms.items())
                last = list(forms.values())[-1]
                yield Found(
                    design.about_field(last, name),
                    f"{name!r} is stored in several forms: {told}.",
                    _CHOOSE,
                    also=tuple(plan.entity for plan in forms.values()),
                )
