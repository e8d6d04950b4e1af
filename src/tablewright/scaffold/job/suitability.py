"""Whether one table suits an application, from the answers in its overview; and what is gained and lost by it."""

from __future__ import annotations

from msgspec import Struct

from tablewright.scaffold.job.overview import Overview

ADVANTAGES = (
    "Items that are read together lie together, so that a screen needs one request where several tables need one after another.",
    "One table, its alarms, backups and rights to look after; patterns share capacity and smooth each other's peaks.",
    "Reads take the same few milliseconds at any size, because every one of them is a key lookup.",
)
DISADVANTAGES = (
    "Access patterns must be known early: a new question may need a new index and a backfill.",
    "The table cannot be read without its model: keys hold several things, and analysts need an export.",
    "It must be learned, and mistakes in keys are costly to undo.",
)


class Advice(Struct, frozen=True):
    """What is recommended, and what speaks for and against it."""

    single_table: bool | None
    """None where nothing was answered yet."""
    for_one_table: tuple[str, ...]
    for_several: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """In one sentence."""
        if self.single_table is None:
            return "Nothing can be recommended yet: answer the questions in the overview."
        if self.single_table:
            return "One table suits."
        return "A table for each entity, as one would do in SQL, suits better for now."


def advise(overview: Overview) -> Advice:
    """Weighs the answers."""
    scale, needs, situation = overview.scale, overview.needs, overview.situation
    one: list[str] = []
    several: list[str] = []
    if 0 < needs.p99_ms <= 10 or 0 < needs.p50_ms < 10:
        one.append("Reads must take less than 10 ms.")
    if scale.requests_per_second >= 1_000:
        one.append("Thousands of requests arrive in a second.")
    if scale.items >= 1_000_000:
        one.append("There will be millions of items.")
    if situation.relationships == "complex":
        one.append("Relationships are many, or many to many.")
    if situation.experience == "much":
        one.append("The team knows DynamoDB.")
    if situation.first_priority == "speed of development":
        several.append("Speed of development comes first.")
    if situation.experience == "none":
        several.append("The team is learning DynamoDB.")
    if situation.requirements == "changing":
        several.append("Requirements still change.")
    if situation.relationships == "simple":
        several.append("Entities are read one by one, by their ids.")
    notes = []
    if situation.questions_of_all_kinds:
        notes.append(
            "Questions of all kinds, such as reports and search, belong elsewhere: export, or follow the stream."
        )
    if needs.consistency == "strong":
        notes.append("Global indexes answer with a delay: what must be up to date has to be read by the primary key.")
    suits = None if not one and not several else len(one) >= len(several)
    return Advice(suits, tuple(one), tuple(several), tuple(notes))
