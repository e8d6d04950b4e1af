"""Keys as bytes: spread partitions, joined attributes, segments."""

from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.keys import join, key_attribute, segment_bounds, spread


@given(st.lists(st.lists(st.binary(max_size=4), min_size=2, max_size=2), min_size=2, max_size=2))
def test_joined_attributes_never_collide(pairs: list[list[bytes]]) -> None:
    one, two = pairs
    assert (join(one) == join(two)) == (one == two)


def test_attributes_that_meet_at_their_border_stay_apart() -> None:
    assert join([b"a\x00\x01b", b"c"]) != join([b"a", b"b\x00\x01c"])
    assert join([b"a\x00", b"b"]) != join([b"a", b"\x00b"])
    assert join([b"alone"]) == b"alone"


@given(st.binary(max_size=20))
def test_a_partition_is_found_again(body: bytes) -> None:
    assert spread(body)[2:] == body
    assert spread(body) == spread(bytes(body))


@given(st.integers(1, 1_000_000), st.data(), st.binary(max_size=10))
def test_every_partition_lies_in_exactly_one_segment(total: int, data: st.DataObject, body: bytes) -> None:
    partition = spread(body)

    def holds(segment: int) -> bool:
        low, high = segment_bounds(segment, total)
        return (low is None or partition >= low) and (high is None or partition < high)

    # Segments follow each other without gap or overlap, so it is enough to look at neighbours.
    segment = data.draw(st.integers(0, total - 1))
    if segment + 1 < total:
        # None: the space ends before the segments do, and the rest of them is empty.
        assert segment_bounds(segment, total)[1] in (segment_bounds(segment + 1, total)[0], None)
    home = int.from_bytes(partition[:2], "big") * total // 65_536
    assert [s for s in range(max(0, home - 2), min(total, home + 3)) if holds(s)] == [home]


@given(st.text(max_size=20), st.text(max_size=20))
def test_strings_sort_by_code_point(one: str, two: str) -> None:
    encode = key_attribute("k", "S").encode
    try:
        assert (encode(one) < encode(two)) == (one < two)
    except UnicodeEncodeError:
        assert any("\ud800" <= c <= "\udfff" for c in one + two)
