"""Orders of fields that are known as far as they matter, and what still fits into them."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tablewright.synth.shapes import Blocks, refine

FIELDS = "abcd"
asks = st.tuples(
    st.frozensets(st.sampled_from(FIELDS), max_size=3), st.lists(st.sampled_from(FIELDS), max_size=2, unique=True)
)


def orders(blocks: Blocks) -> set[str]:
    """Every order of fields that the blocks allow, as a text."""
    each = [["".join(p) for p in itertools.permutations(sorted(block))] for block in blocks]
    return {"".join(chosen) for chosen in itertools.product(*each)}


def meets(text: str, first: frozenset[str], order: list[str]) -> bool:
    cut = len(first)
    return set(text[:cut]) == first and list(text[cut : cut + len(order)]) == order


@given(st.lists(asks, min_size=1, max_size=4))
def test_blocks_allow_exactly_the_orders_that_meet_every_wish(wishes: list[tuple[frozenset[str], list[str]]]) -> None:
    wishes = [(first, [f for f in order if f not in first]) for first, order in wishes]
    blocks: Blocks | None = ()
    for first, order in wishes:
        blocks = refine(blocks, first, order) if blocks is not None else None
    fields = {f for first, order in wishes for f in (*first, *order)}
    every = {"".join(p) for p in itertools.permutations(sorted(fields))}
    possible = {text for text in every if all(meets(text, first, order) for first, order in wishes)}
    assert (orders(blocks) if blocks is not None else set()) == possible
