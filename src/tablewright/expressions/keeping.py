"""Keeping what was compiled from text, within bounds: so many of them, made of so many characters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T_co = TypeVar("T_co", covariant=True)

KEPT_CHARACTERS = 512 * 1024
"""What is compiled takes some 60 bytes for a character of its source; without this bound it would be a client's choice
how much memory a cache takes."""


class Kept(Protocol[P, T_co]):
    """A function whose results are kept."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """The result, made or found."""
        ...

    def cache_info(self) -> Any:
        """How many results are kept, and how many were found."""
        ...


def keeping(entries: int, characters: int = KEPT_CHARACTERS) -> Callable[[Callable[P, T_co]], Kept[P, T_co]]:
    """Keep the results of a function of texts for the last `entries` arguments.

    Once their texts had `characters` characters all are forgotten together: that costs nothing where a result is found,
    and next to nothing where one is made.
    """

    def wrap(make: Callable[P, T_co]) -> Kept[P, T_co]:
        seen = 0

        @wraps(make)
        def weighed(*args: P.args, **kwargs: P.kwargs) -> T_co:
            nonlocal seen
            made = make(*args, **kwargs)
            weight = _characters(args)
            seen += weight
            if seen > characters:
                kept.cache_clear()
                seen = weight
            return made

        kept: Any = lru_cache(entries)(weighed)
        return kept  # type: ignore[no-any-return]

    return wrap


def _characters(texts: Iterable[Hashable]) -> int:
    """The length of texts, also of those within tuples."""
    return sum(len(one) if isinstance(one, str) else _characters(one) for one in texts if isinstance(one, (str, tuple)))
