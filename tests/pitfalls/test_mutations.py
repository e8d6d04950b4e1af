"""Small slips in good models are caught: each is put into a copy of an example, and something new is found in it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.pitfalls.catalogue import found_in

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


class Slip(NamedTuple):
    """What somebody got wrong in a file of an example, and what must find it."""

    what: str
    file: str
    right: str
    wrong: str
    found: str

    def __str__(self) -> str:
        return self.what.replace(" ", "-")


SLIPS = [
    Slip(
        "a separator is dropped",
        "blog/model.py",
        '"POST#{posted_at}#{post_id}"',
        '"POST#{posted_at}{post_id}"',
        "refused KEY_TEMPLATE_ERROR",
    ),
    Slip(
        "the tie-breaker is dropped",
        "blog/model.py",
        '"POST#{posted_at}#{post_id}"',
        '"POST#{posted_at}"',
        "rule TW112",
    ),
    Slip(
        "time and id are swapped",
        "blog/model.py",
        '"POST#{posted_at}#{post_id}"',
        '"POST#{post_id}#{posted_at}"',
        "unserved gap",
    ),
    Slip("an address is not unique", "blog/model.py", '        unique=["email"],\n', "", "rule TW702"),
    Slip("an address is stored as typed", "blog/model.py", "email: NaturalKey", "email: str", "rule TW114"),
    Slip(
        "an index key is forgotten",
        "blog/model.py",
        '        GSI1=("POST#{post_id}", "POST#{post_id}"),\n',
        "",
        "unserved no-partition-value",
    ),
    Slip(
        "a prefix in an index is dropped",
        "saas/model.py",
        'GSI1=("EMAIL#{email}", "INVITATION#{org_id}")',
        'GSI1=("EMAIL#{email}", "{org_id}")',
        "unserved neighbours",
    ),
    Slip(
        "one prefix goes on from another",
        "saas/model.py",
        '"TEAMMEMBER#{team_id}#{username}"',
        '"TEAM#{team_id}#{username}"',
        "unserved neighbours",
    ),
    Slip(
        "two entities get one key",
        "saas/model.py",
        '"SUBSCRIPTION#{org_id}"',
        '"ORG#{org_id}"',
        "refused KEY_COLLISION",
    ),
    Slip(
        "a link loses its other direction",
        "saas/model.py",
        'Keys("ORG#{org_id}", "USER#{username}", GSI1=("USER#{username}", "ORG#{org_id}"))',
        'Keys("ORG#{org_id}", "USER#{username}")',
        "refused MODEL_ERROR",
    ),
    Slip(
        "an index repeats the table's key",
        "social/model.py",
        'GSI1=("USER#{following}", "FOLLOWER#{follower}")',
        'GSI1=("USER#{follower}", "FOLLOW#{following}")',
        "rule TW209",
    ),
    Slip(
        "a key holds too little of its item",
        "social/model.py",
        'Keys("POST#{post_id}", "LIKE#{username}")',
        'Keys("POST#{post_id}", "LIKE")',
        "unserved unused-condition",
    ),
    Slip(
        "lines lie among orders",
        "orders/model.py",
        '"orderline#{order_id}#{line:4}"',
        '"order#{order_id}#item#{line:4}"',
        "unserved neighbours",
    ),
    Slip("a number has no width", "orders/model.py", '"item#{line:4}"', '"item#{line}"', "refused KEY_TEMPLATE_ERROR"),
    Slip(
        "an index is no longer sparse",
        "orders/model.py",
        'gsi2=sparse("user#active#{shard}", "{joined_at}#user#{user_id}", when=attr("status") == "active")',
        'gsi2=("user#active#{shard}", "{joined_at}#user#{user_id}")',
        "unserved unused-condition",
    ),
    Slip("money becomes a float", "orders/model.py", "total_amount: Money", "total_amount: float", "rule TW507"),
    Slip(
        "events lose their prefix",
        "kefir/model.py",
        '"EVENT#{at}#{event_id}"',
        '"{at}#{event_id}"',
        "unserved neighbours",
    ),
    Slip(
        "the status stands behind the id",
        "kefir/model.py",
        'GSI1=("BATCH#{batch_id}", "BATCH#{batch_id}")',
        'GSI1=("BATCH#{batch_id}", "STATUS#{status}")',
        "unserved not-unique",
    ),
    Slip(
        "a shard is declared and not used",
        "kefir/model.py",
        '"REMINDER#PENDING#{shard}"',
        '"REMINDER#PENDING#{batch_id}"',
        "refused MODEL_ERROR",
    ),
    Slip(
        "a range is turned round",
        "kefir/model.py",
        '"DUE#{due_at}#{reminder_id}"',
        '"DUE#{reminder_id}#{due_at}"',
        "unserved gap",
    ),
    Slip(
        "a change assigns a key",
        "kefir/model.py",
        "    b.status = status\n",
        '    b.status, b.user_id = status, "nobody"\n',
        "refused CHANGE_ERROR",
    ),
    Slip(
        "the tenant is left out of an index",
        "surveyor/surveys.py",
        'GSI2=("TENANT#{tenant_id}#SURVEY#{survey_id}", "SECTION#{position:6}#{section_id}")',
        'GSI2=("SURVEY#{survey_id}", "SECTION#{position:6}#{section_id}")',
        "unserved unused-condition",
    ),
    Slip(
        "the tenant is left out of an index beside one where that is meant",
        "surveyor/surveys.py",
        'GSI1=("TENANT#{tenant_id}#SURVEYS", "SURVEY#{survey_id}")',
        'GSI1=("TENANT#SURVEYS", "SURVEY#{survey_id}")',
        "rule TW701",
    ),
    Slip(
        "a history lies in the middle of a list",
        "surveyor/library.py",
        '"SURVEYCONFIG#{survey_id}#{taken_at}"',
        '"SURVEY#{survey_id}#CONFIG#{taken_at}"',
        "rule TW407",
    ),
    Slip(
        "one kind of item is among another",
        "surveyor/library.py",
        '"PHRASEFOR#{subject}#{subject_id}#{kind}#{phrase_id}"',
        '"PHRASE#{kind}#{subject}#{subject_id}#{phrase_id}"',
        "unserved neighbours",
    ),
    Slip(
        "a feed loses its tie-breaker",
        "surveyor/surveys.py",
        '"{updated_at}#SURVEY#{survey_id}"),\n',
        '"{updated_at}"),\n',
        "rule TW113",
    ),
    Slip(
        "a link loses one of its ends",
        "saas/model.py",
        '"TEAMMEMBER#{team_id}#{username}"',
        '"TEAMMEMBER#{username}"',
        "unserved unused-condition",
    ),
    Slip(
        "a kind is missing in the queue",
        "surveyor/library.py",
        '        GSI3=sparse("TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#LIBSECTION#{section_id}", when=UNSYNCED),\n',
        "",
        "unserved unused-condition",
    ),
    Slip(
        "deletions no longer show in the feed",
        "surveyor/surveys.py",
        'type="SurveyMeta", version=True, soft_delete=IN_FEED',
        'type="SurveyMeta", version=True',
        "rule TW805",
    ),
    Slip(
        "the newest are sorted by id",
        "shop/model.py",
        '"REVIEW#{written_at}#{review_id}"',
        '"REVIEW#{review_id}#{written_at}"',
        "rule TW408",
    ),
    Slip(
        "the newest have no time in their key",
        "shop/model.py",
        '"REVIEW#{written_at}#{review_id}"',
        '"REVIEW#{review_id}"',
        "rule TW408",
    ),
    Slip(
        "a partition of an index loses its prefix",
        "shop/model.py",
        '"STATUS#{status}"',
        '"{status}"',
        "rule TW115",
    ),
    Slip(
        "entries of a feed are told apart by time alone",
        "social/model.py",
        '"{posted_at}#{post_id}"',
        '"{posted_at}"',
        "rule TW112",
    ),
    Slip(
        "a time stands behind the id",
        "social/model.py",
        '"COMMENT#{written_at}#{comment_id}"',
        '"COMMENT#{comment_id}#{written_at}"',
        "rule TW408",
    ),
    Slip("a key has room for one of many", "saas/model.py", '"TEAM#{team_id}")', '"TEAM")', "rule TW117"),
    Slip("a link has room for one end", "saas/model.py", '"INVITATION#{email}"', '"INVITATION"', "rule TW117"),
    Slip(
        "the members of a team are one item",
        "saas/model.py",
        '"TEAMMEMBER#{team_id}#{username}"',
        '"TEAMMEMBER#{team_id}"',
        "rule TW117",
    ),
    Slip(
        "an expiry is no number",
        "surveyor/others.py",
        'Expiry = Annotated[datetime, Epoch("s")]',
        "Expiry = datetime",
        "refused MODEL_ERROR",
    ),
]


@pytest.fixture(scope="module")
def found_before() -> dict[str, set[str]]:
    """What is found in each example as it is."""
    return {}


@pytest.mark.parametrize("slip", SLIPS, ids=str)
def test_a_slip_is_caught(
    slip: Slip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found_before: dict[str, set[str]]
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    app = slip.file.partition("/")[0]
    if app not in found_before:
        found_before[app] = set(found_in(EXAMPLES / app / "model.py"))
    shutil.copytree(EXAMPLES / app, tmp_path / app, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    file = tmp_path / slip.file
    text = file.read_text(encoding="utf-8")
    assert slip.right in text
    file.write_text(text.replace(slip.right, slip.wrong), encoding="utf-8")
    for name in [name for name in sys.modules if name.partition(".")[0] == app]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    new = found_in(tmp_path / app / "model.py").keys() - found_before[app]
    assert slip.found in new, sorted(new)
