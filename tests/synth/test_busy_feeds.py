"""Feeds over several entities that one partition could not bear: spread over shards, or refused with what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright import Table
from tablewright.errors import PatternError
from tablewright.synth.proposal import Proposal, propose_for
from tablewright.synth.running import run
from tests.synth.answers import check, items

DESIGN = """
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from pydantic import Field
from tablewright import Collection, Design, Entity, Mixed, Query, collect, many, query

news = Design("News")
Region = Literal["eu", "us"]


class Post(Entity, table=news, identity=["post_id"]):
    post_id: str
    region: Region = Field(frozen=True)
    author: str = Field(frozen=True)
    at: datetime = Field(frozen=True)


class Photo(Entity, table=news, identity=["photo_id"]):
    photo_id: str
    region: Region = Field(frozen=True)
    author: str = Field(frozen=True)
    at: datetime = Field(frozen=True)
"""
FEED = """
@news.pattern
def latest(region: Region, since: datetime | None = None) -> Mixed[Post | Photo]:
    return (
        query(Post, Post.region == region).sorted_by(Post.at).when(since, lambda s: Post.at >= s)
        | query(Photo, Photo.region == region).sorted_by(Photo.at).when(since, lambda s: Photo.at >= s)
    )
"""
PAGE = """
@dataclass
class Page:
    posts: list[Post]
    photos: list[Photo]


@news.pattern
def page(region: Region) -> Collection[Page]:
    return collect(
        Page, posts=many(query(Post, Post.region == region)), photos=many(query(Photo, Photo.region == region))
    )
"""


def proposed(*parts: str) -> Proposal:
    text = DESIGN + "\n".join(parts)
    return propose_for(vars(run(text, Path(__file__)))["news"], text, Path(__file__))


def keys(found: Proposal) -> dict[str, str]:
    return {entity.entity: entity.keys[1].pk for entity in found.entities}


@pytest.mark.parametrize(
    ("expected", "shards"),
    [
        ("news.expect(Post, writes=600)", 1),
        ("news.expect(Post, writes=1200)\nnews.expect(Photo, writes=1200)", 5),
        ("news.expect(Post, writes=9000)", 16),
        ("news.expect(latest, rate=20000, results=5)", 1),
    ],
    ids=["one takes it", "both together", "one alone", "reads"],
)
def test_a_feed_is_spread_as_all_its_entities_need(expected: str, shards: int) -> None:
    found = proposed(FEED, expected)
    if shards == 1:
        assert keys(found) == {"Post": "REGION#{region}", "Photo": "REGION#{region}"}
        return
    assert keys(found) == {"Post": "REGION#{region}#{shard}", "Photo": "REGION#{region}#{shard}"}
    assert f'derive={{"shard": Shard("post_id", of={shards})}}' in found.code
    assert f'derive={{"shard": Shard("photo_id", of={shards})}}' in found.code
    assert {request.partitions for pattern in found.proof.patterns for request in pattern.requests} == {shards}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_its_shards_are_merged_in_order(data: st.DataObject) -> None:
    found = proposed(FEED, "news.expect(Post, writes=5000)")
    assert isinstance(found.model, Table)
    identities = {"Post": ["post_id"], "Photo": ["photo_id"]}
    check(data, found.model, data.draw(items(found.model, identities)), identities, single=False)


def test_two_feeds_with_shards_of_their_own_have_names_of_their_own() -> None:
    tags = FEED.replace("latest", "others").replace("region", "author").replace(": Region", ": str")
    hot = (
        "news.expect(Post, writes=4000)\nnews.expect(Post.author, hottest=0.6)\nnews.expect(Photo.author, hottest=0.6)"
    )
    found = proposed(FEED, tags, hot)
    posts = next(entity for entity in found.entities if entity.entity == "Post")
    assert sorted(key.pk.rpartition("#")[2] for key in posts.keys[1:]) == ["{gsi1_shard}", "{gsi2_shard}"]
    derived: Any = found.model.entities["Post"].keys.derive
    assert sorted(shard.of for shard in derived.values()) == [7, 9]


def test_a_collection_is_one_partition_and_says_what_to_do() -> None:
    assert len(proposed(PAGE, "news.expect(Post, writes=1500)").indexes) == 1
    with pytest.raises(PatternError, match=r"page\(\) reads Post, Photo from one partition.* would need 3") as caught:
        proposed(PAGE, "news.expect(Post, writes=1500)\nnews.expect(Photo, writes=1500)")
    assert "join the queries with |" in str(caught.value.hint)
