"""TW407: a collection reads items that it does not want."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.reads import CollectionPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class OverReading(Rule):
    """A collection reads items that it does not want.

    A collection is one range of keys, from the first of its entities to the last. Others whose keys sort in between are
    read, paid for and dropped. Literals that sort side by side keep a collection together, and others out of it.

    Bad:

    ```python
    from dataclasses import dataclass
    from datetime import datetime

    from tablewright import Collection, Entity, Keys, Table, collect, many, one, query

    table = Table("Surveys")


    class Survey(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "A")
        survey_id: str


    class Snapshot(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "CONFIG#{taken_at}")
        survey_id: str
        taken_at: datetime


    class Section(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
        survey_id: str
        section_id: str


    @dataclass
    class Whole:
        survey: Survey | None
        sections: list[Section]


    @table.pattern
    def whole_survey(survey_id: str) -> Collection[Whole]:
        return collect(
            Whole,
            survey=one(query(Survey, Survey.survey_id == survey_id)),
            sections=many(query(Section, Section.survey_id == survey_id)),
        )
    ```

    Good:

    ```python
    from dataclasses import dataclass
    from datetime import datetime

    from tablewright import Collection, Entity, Keys, Table, collect, many, one, query

    table = Table("Surveys")


    class Survey(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "A")
        survey_id: str


    class Snapshot(Entity, table=table):
        keys = Keys("CONFIG#{survey_id}", "CONFIG#{taken_at}")
        survey_id: str
        taken_at: datetime


    class Section(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
        survey_id: str
        section_id: str


    @dataclass
    class Whole:
        survey: Survey | None
        sections: list[Section]


    @table.pattern
    def whole_survey(survey_id: str) -> Collection[Whole]:
        return collect(
            Whole,
            survey=one(query(Survey, Survey.survey_id == survey_id)),
            sections=many(query(Section, Section.survey_id == survey_id)),
        )
    ```
    """

    code = "TW407"
    name = "over-reading"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            if isinstance(read.whole, CollectionPlan) and read.whole.over_reads:
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() also reads {', '.join(read.whole.over_reads)}, whose keys lie between those it wants.",
                    "Choose literals that sort side by side for what is read together, or give the others a partition of their own.",
                    also=tuple(plan.entity for plan in design.entities if plan.name in read.whole.over_reads),
                )
