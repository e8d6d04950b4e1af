"""Reading replies: whatever the pieces they come in, and whatever comes instead."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.transport.http.replies import Malformed, Reply, ReplyReader

bodies = st.binary(max_size=60)


def plain(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Empty:\r\n\r\n%b" % (len(body), body)


def chunked(body: bytes, size: int = 7) -> bytes:
    chunks = [body[i : i + size] for i in range(0, len(body), size)]
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%b0\r\n\r\n" % b"".join(
        b"%x\r\n%b\r\n" % (len(c), c) for c in chunks
    )


def usual(body: bytes) -> bytes:
    return (
        b"HTTP/1.1 200 OK\r\nDate: %d\r\nContent-Length: %d\r\nConnection: keep-alive\r\nx-amz-crc32: %d\r\n\r\n%b"
        % (
            *(7 * len(body), len(body), sum(body)),
            body,
        )
    )


OTHERS = {
    "another status": lambda head: head.replace(b"200 OK", b"400 Bad Request"),
    "an end": lambda head: head.replace(b"keep-alive", b"close"),
    "an encoding": lambda head: head.replace(b"Date:", b"Content-Encoding: gzip\r\nDate:"),
    "another order": lambda head: head.replace(b"Date: ", b"X: ").replace(b"Connection", b"Date: 5\r\nConnection"),
    "no checksum": lambda head: head.replace(b"x-amz-crc32", b"x-other"),
    "a checksum twice": lambda head: head.replace(b"x-amz-crc32", b"X-Amz-Crc32: 5\r\nx-amz-crc32"),
    "blanks": lambda head: head.replace(b"Length: ", b"Length:  ").replace(b"crc32: ", b"crc32:"),
    "an old protocol": lambda head: head.replace(b"HTTP/1.1", b"HTTP/1.0"),
    "the same": lambda head: head,
}
"""What may change in a head after some that were alike."""


@pytest.mark.parametrize("change", OTHERS)
@pytest.mark.parametrize("before", [0, 1, 3])
@given(body=bodies, cut=st.integers(1, 40))
def test_a_head_that_differs_from_those_before_is_read_as_well(change: str, before: int, body: bytes, cut: int) -> None:
    reader = ReplyReader()
    for number in range(before):
        early = reader.feed(usual(b"x" * number))
        assert early is not None
        assert (early.status, early.body, early.keep) == (200, b"x" * number, True)
        assert early.headers[b"x-amz-crc32"] == b"%d" % (number * ord("x"))
    head, _, _ = usual(body).partition(b"\r\n\r\n")
    message = OTHERS[change](head) + b"\r\n\r\n" + body
    alone = ReplyReader().feed(message)
    assert reader.feed(message[:cut]) is None
    reply = reader.feed(message[cut:])
    assert alone is not None
    assert reply is not None
    assert (reply.status, reply.body, reply.keep) == (alone.status, alone.body, alone.keep)
    assert reply.headers.get(b"x-amz-crc32") == alone.headers.get(b"x-amz-crc32")
    assert reply.headers.get(b"content-encoding") == alone.headers.get(b"content-encoding")


@pytest.mark.parametrize("wrong", [b"-1", b"1 2", b"+5", b"0x5", b"99999999999999"])
def test_a_wrong_length_is_no_better_after_right_ones(wrong: bytes) -> None:
    reader = ReplyReader()
    assert reader.feed(usual(b"abc")) is not None
    with pytest.raises(Malformed):
        reader.feed(usual(b"abc").replace(b"Length: 3", b"Length: " + wrong))


def interim(body: bytes) -> bytes:
    return b"HTTP/1.1 100 Continue\r\n\r\n" + plain(body)


@given(
    st.lists(st.tuples(st.sampled_from([plain, chunked, interim, usual]), bodies), min_size=1, max_size=4), st.data()
)
def test_pieces_make_no_difference(replies: list[tuple[object, bytes]], data: st.DataObject) -> None:
    reader = ReplyReader()
    for form, body in replies:
        message = form(body)  # type: ignore[operator]
        cuts = sorted(data.draw(st.sets(st.integers(1, len(message) - 1), max_size=6)))
        pieces = [message[a:b] for a, b in zip([0, *cuts], [*cuts, len(message)], strict=True)]
        *early, last = pieces
        assert [reader.feed(memoryview(piece)) for piece in early] == [None] * len(early)
        reply = reader.feed(last)
        assert reply is not None
        assert (reply.status, reply.body, reply.keep) == (200, body, True)


@given(st.binary(max_size=200), st.integers(0, 40))
def test_no_bytes_break_it(garbage: bytes, kept: int) -> None:
    for start in (b"", plain(b"0123456789")[:kept], chunked(b"0123456789")[:kept]):
        reader = ReplyReader()
        with suppress(Malformed):
            reply = reader.feed(start + garbage)
            assert reply is None or isinstance(reply, Reply)
            if reply is None:
                reader.end()


@pytest.mark.parametrize(
    ("head", "keep"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0", True),
        (b"HTTP/1.1 200\r\nContent-Length: 0", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length:0 \t\r\ncontent-length: 0", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive", True),
    ],
)
def test_which_connections_stay(head: bytes, keep: bool) -> None:
    reply = ReplyReader().feed(head + b"\r\n\r\n")
    assert reply is not None
    assert reply.keep is keep


@pytest.mark.parametrize(
    "wrong",
    [
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n folded: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nname : x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nname\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nname: x\ny\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nname: x\ry\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1_0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 70_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"1" * 70_000,
    ],
    ids=range(20),
)
def test_what_is_no_reply_is_refused(wrong: bytes) -> None:
    with pytest.raises(Malformed):
        ReplyReader().feed(wrong)
