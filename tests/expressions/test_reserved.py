"""DynamoDB's reserved words."""

from __future__ import annotations

import pytest

from tablewright.errors import ExpressionError
from tablewright.expressions import RESERVED_WORDS, compiled_projection, is_reserved
from tablewright.expressions.lexer import KEYWORDS


def test_all_of_them() -> None:
    assert len(RESERVED_WORDS) == 573
    assert {"ABORT", "DATA", "NAME", "STATUS", "TTL", "YEAR", "ZONE"} <= RESERVED_WORDS
    assert all(word == word.upper() for word in RESERVED_WORDS)


def test_case_does_not_matter() -> None:
    assert is_reserved("Status")
    assert is_reserved("ttl")
    assert not is_reserved("PK")
    assert not is_reserved("status_")


@pytest.mark.parametrize("word", sorted(RESERVED_WORDS - KEYWORDS))
def test_refused_bare_and_accepted_as_placeholder(word: str) -> None:
    with pytest.raises(ExpressionError, match=f"reserved keyword: {word.lower()}$"):
        compiled_projection(word.lower())
    assert compiled_projection("#word", {"#word": word}).paths == ((word,),)
