"""Relationships are checked for words that mean something; whether they can work is the compiler's to say."""

from typing import Any

import pytest

from tablewright import Entity, Relationship
from tablewright.errors import ModelError


class One(Entity):
    id: str


class Many(Entity):
    id: str


def test_a_relationship_names_itself() -> None:
    assert str(Relationship(One, Many, "1:N", "normalised")) == "The relationship One to Many"
    assert str(Relationship(One, "Part", "1:1", "embedded", field="id")) == "The relationship One to Part"


@pytest.mark.parametrize(
    ("cardinality", "strategy", "message"),
    [
        ("N:1", "embedded", "The relationship One to Many has the unknown cardinality 'N:1'. Did you mean"),
        ("1:N", "item colection", "the unknown strategy 'item colection'. Did you mean 'item collection'"),
    ],
)
def test_unknown_words_are_refused(cardinality: Any, strategy: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Relationship(One, Many, cardinality, strategy)
