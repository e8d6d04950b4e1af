"""A read that cannot be served is told what would serve it, by the key that came closest."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tablewright import GSI, Bucket, Entity, Get, Keys, Query, Table, attr, get, is_in, query, sparse
from tablewright.errors import PatternError

table = Table(
    "Advice",
    indexes=[GSI("Due"), GSI("ByMail", sk=None), GSI("ByDay"), GSI("Mixed"), GSI("Slim", projection="KEYS_ONLY")],
)


class Job(Entity, table=table):
    """Something to do."""

    keys = Keys(
        "JOB#{job_id}",
        "JOB#{part}",
        Due=sparse("DUE", "{at}", when=attr("status") == "open"),
        ByMail="MAIL#{mail}",
        ByDay=("DAY#{day}", "{at}"),
        Mixed=("ALL#{mail}", "{at}"),
        Slim=("STATUS#{status}", "{at}"),
        derive={"day": Bucket("at", "day")},
    )
    job_id: str
    part: str
    mail: str
    at: datetime
    status: str = "open"
    cost: int = 0


class Note(Entity, table=table):
    """Shares an index with jobs."""

    keys = Keys("NOTE#{note_id}", "NOTE", Mixed=("ALL#{mail}", "{text}"))
    note_id: str
    mail: str
    text: str


def sparse_without_its_condition(at: datetime) -> Query[Job]:
    return query(Job, Job.at >= at)


def one_of_many(job_id: str) -> Get[Job]:
    return get(Job, Job.job_id == job_id)


def consistent_on_an_index(mail: str) -> Query[Job]:
    return query(Job, Job.mail == mail).via("ByMail").consistent()


def open_ended_bucket(at: datetime) -> Query[Job]:
    return query(Job, Job.at >= at).via("ByDay")


def neighbour(mail: str) -> Query[Note]:
    return query(Note, Note.mail == mail)


def narrow_projection(status: str) -> Query[Job]:
    return query(Job, Job.status == status)


def only_a_range(cost: int) -> Query[Job]:
    return query(Job, Job.cost >= cost)


def some_of_a_sort_key(job_id: str, parts: list[str]) -> Query[Job]:
    return query(Job, Job.job_id == job_id, is_in(Job.part, parts))


@pytest.mark.parametrize(
    ("function", "advice"),
    [
        (sparse_without_its_condition, '.via("Due")'),
        (one_of_many, "Use query()"),
        (consistent_on_an_index, "Leave .consistent() out"),
        (open_ended_bucket, "Give both ends of at"),
        (neighbour, "collect()"),
        (some_of_a_sort_key, "a partition key only, not part."),
        (
            narrow_projection,
            'Read fewer fields with .only(...), or let Slim hold the whole item: GSI("Slim", projection="ALL")',
        ),
        (only_a_range, "A range alone cannot choose a partition"),
    ],
)
def test_the_hint_fits(function: Callable[..., Any], advice: str) -> None:
    with pytest.raises(PatternError) as refused:
        table.pattern(function)
    assert refused.value.hint is not None
    assert advice in refused.value.hint
    assert str(refused.value).endswith(f"\n{refused.value.hint}")


def test_one_template_is_enough_for_an_index_without_a_sort_key() -> None:
    def by_mail(mail: str) -> Query[Job]:
        return query(Job, Job.mail == mail).via("ByMail")

    by_mail.__annotations__ = {"mail": str, "return": Query[Job]}
    (request,) = table.explain(table.pattern(by_mail))
    assert request.key == "ByMailPK = MAIL#{mail}"
