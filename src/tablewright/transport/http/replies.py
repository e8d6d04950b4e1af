"""HTTP replies, read from bytes as they arrive. Does no I/O."""

from __future__ import annotations

import re

from msgspec import Struct

MAX_HEAD = 64 * 1024
MAX_BODY = 64 * 1024 * 1024
"""Four times what DynamoDB sends at most; whoever sends more is somebody else."""

_KEPT_NAMES = 256
_USUAL_HEAD = 2048
_STATUS = re.compile(rb"HTTP/1\.([01]) ([0-9]{3})(?: [^\r\n]*)?(?=\r\n|\Z)").match
_HEADERS = re.compile(rb"\r\n([^\s:][^:\r\n]*(?<!\s)):[ \t]*([^\r\n]*)").findall
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;|\Z)")


class Malformed(Exception):
    """Bytes that are no HTTP reply, or the end of one that is not complete."""


class Reply(Struct):
    """A whole reply. Names of headers are in lower case; `keep` says that the connection may be used again.

    Of a good reply that came as usual only the headers are kept that say how to read its body."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes | bytearray
    keep: bool


class _Usual:
    """The form that the heads of one server's good replies have. Only the values of headers change from one to the next,
    and of these only two matter: so the next head is compared as a whole, and these two are taken out."""

    __slots__ = ("_match",)
    _LENGTH, _CHECKSUM = b"content-length", b"x-amz-crc32"
    _SAME = (b"connection", b"content-encoding", b"content-type")

    def __init__(self, head: bytes) -> None:
        begin, *lines = head.split(b"\r\n")
        parts = [re.escape(begin)]
        for line in lines:
            name, value = line.split(b":", 1)
            known = name.lower()
            if known == self._LENGTH:
                value = rb"[ \t]*(?P<length>[0-9]{1,7})"
            elif known == self._CHECKSUM:
                value = rb"[ \t]*(?P<checksum>[0-9]{1,10})"
            else:
                value = re.escape(value) if known in self._SAME else rb"[^\r\n]*"
            parts.append(re.escape(name) + b":" + value)
        self._match = re.compile(b"\r\n".join(parts) + b"\r\n\r\n").match

    @classmethod
    def of(cls, head: bytes, reply: Reply) -> _Usual | None:
        """The form of this head, if replies like this one can be read by it."""
        headers = reply.headers
        plain = reply.status == 200 and reply.keep and b"transfer-encoding" not in headers
        whole = len(headers) == head.count(b"\n") and cls._LENGTH in headers and cls._CHECKSUM in headers
        return cls(head) if plain and whole and b"content-encoding" not in headers else None

    def read(self, data: memoryview) -> tuple[Reply, int, int] | None:
        """A reply without its body, the length of that, and where it begins; None where the head has another form."""
        found = self._match(data)
        if found is None:
            return None
        length, checksum = found.group("length", "checksum")
        return Reply(200, {self._CHECKSUM: checksum}, b"", True), int(length), found.end()


_names: dict[bytes, bytes] = {}
"""Names of headers as servers write them, in lower case; they come again and again."""


def _name(given: bytes) -> bytes:
    if len(_names) < _KEPT_NAMES:
        _names[given] = given.lower()
    return given.lower()


def _refuse_two_lengths(headers: list[tuple[bytes, bytes]]) -> None:
    """Some header came twice, which is no harm unless it says where the reply ends."""
    if len({value.rstrip() for name, value in headers if name.lower() == b"content-length"}) > 1:
        raise Malformed("two lengths")


class ReplyReader:
    """Takes bytes until a reply is whole; then it is ready for the next one. A body is copied once, to where it stays."""

    __slots__ = ("_body", "_data", "_filled", "_length", "_reply", "_usual")

    def __init__(self) -> None:
        self._data = bytearray()  # what is not understood yet
        self._reply: Reply | None = None  # its head, while the body arrives
        self._length = -1  # of the body; -1 for chunks, -2 for all until the connection ends
        self._body = bytearray()  # as far as it has come
        self._filled = 0  # how much of a body of known length
        self._usual: _Usual | None = None

    def feed(self, data: bytes | memoryview) -> Reply | None:
        """The reply that these bytes complete, if they do."""
        rest: memoryview | None = memoryview(data)
        while True:
            if self._reply is None:
                rest = self._read_head(rest)
            reply, length = self._reply, self._length
            if rest is None or reply is None:
                return None
            if length < 0:
                self._data += rest
                return self._read_unmeasured(reply)
            if len(rest) >= length and not self._filled:
                reply.body = bytes(rest[:length])
                rest = rest[length:]
            elif not rest:
                return None
            else:
                rest = self._fill(rest, length)
                if self._filled < length:
                    return None
                reply.body, self._body, self._filled = self._body, bytearray(), 0
            if reply.status >= 200:
                return self._finish(reply, more=len(rest) > 0)
            self._reply = None  # "100 Continue" and its like: the reply is still to come

    def end(self) -> Reply:
        """The reply that the end of the connection completes."""
        reply = self._reply
        if reply is None or self._length != -2:
            raise Malformed("the connection ended before the reply did")
        reply.body, self._data = self._data, bytearray()
        return self._finish(reply, more=False)

    def _finish(self, reply: Reply, *, more: bool) -> Reply:
        if more:
            reply.keep = False  # more than was asked for: what belongs to what is no longer sure
        self._reply = None
        return reply

    def _fill(self, data: memoryview, length: int) -> memoryview:
        """Takes what belongs to a body of known length; gives back what does not."""
        if not self._body:
            self._body = bytearray(length)
        start = self._filled
        self._filled = end = min(length, start + len(data))
        self._body[start:end] = data[: end - start]
        return data[end - start :]

    def _read_unmeasured(self, reply: Reply) -> Reply | None:
        """A body that ends with its last chunk, or with the connection."""
        if self._length == -2:
            if len(self._data) > MAX_BODY:
                raise Malformed("a body that is too large")
            return None
        if not self._read_chunks():
            return None
        reply.body, self._body = self._body, bytearray()
        more, self._data = len(self._data) > 0, bytearray()
        return self._finish(reply, more=more)

    def _read_head(self, data: memoryview | None) -> memoryview | None:
        """Reads a head and gives back what follows it; None, and all is kept, while it is not whole."""
        assert data is not None
        if self._usual is not None and not self._data:
            usual = self._usual.read(data)
            if usual is not None:
                self._reply, self._length, end = usual
                return data[end:]
        if self._data:
            self._data += data
            data = memoryview(bytes(self._data))
        known = bytes(data[:_USUAL_HEAD])
        end = known.find(b"\r\n\r\n")
        if end < 0 and len(data) > _USUAL_HEAD:
            known = bytes(data[: MAX_HEAD + 4])
            end = known.find(b"\r\n\r\n")
        if end < 0:
            if len(data) > MAX_HEAD or (len(data) >= 5 and not known.startswith(b"HTTP/")):
                raise Malformed("no HTTP reply")
            if not self._data:
                self._data += data
            return None
        self._data.clear()
        self._parse_head(known[:end])
        return data[end + 4 :]

    def _parse_head(self, head: bytes) -> None:
        begin = _STATUS(head)
        if begin is None:
            raise Malformed("no HTTP reply")
        lines = _HEADERS(head, begin.end())
        if not len(lines) == head.count(b"\n") == head.count(b"\r"):
            raise Malformed("a header that cannot be read")
        headers = {_names.get(name) or _name(name): value.rstrip() for name, value in lines}
        if len(headers) < len(lines):
            _refuse_two_lengths(lines)
        status = int(begin[2])
        connection = headers.get(b"connection", b"").lower()
        keep = b"close" not in connection if begin[1] == b"1" else b"keep-alive" in connection
        self._reply = Reply(status, headers, b"", keep)
        self._length = self._body_length(status, headers)
        if self._usual is None:
            self._usual = _Usual.of(head, self._reply)

    def _body_length(self, status: int, headers: dict[bytes, bytes]) -> int:
        if status < 200 or status in (204, 304):
            if status == 101:
                raise Malformed("a change of protocol")
            return 0
        encoding = headers.get(b"transfer-encoding")
        if encoding is not None:
            if encoding.lower() != b"chunked":
                raise Malformed("a transfer encoding that is not known")
            return -1
        text = headers.get(b"content-length")
        if text is None:
            assert self._reply is not None
            self._reply.keep = False
            return -2
        if not text.isdigit() or len(text) > 12 or int(text) > MAX_BODY:
            raise Malformed("a length that cannot be")
        return int(text)

    def _read_chunks(self) -> bool:
        """Moves whole chunks from the data to the body; whether the last one was there."""
        data, body, position = self._data, self._body, 0
        done = False
        while not done:
            line_end = data.find(b"\r\n", position)
            if line_end < 0:
                if len(data) - position > MAX_HEAD:
                    raise Malformed("a chunk that cannot be read")
                break
            found = _CHUNK.match(data, position, line_end)
            if found is None:
                raise Malformed("a chunk that cannot be read")
            size = int(found[1], 16)
            if size == 0:
                end = self._after_trailers(line_end)
                if end < 0:
                    break
                position, done = end, True
                continue
            start = line_end + 2
            if size + len(body) > MAX_BODY:
                raise Malformed("a body that is too large")
            if len(data) < start + size + 2:
                break
            if data[start + size : start + size + 2] != b"\r\n":
                raise Malformed("a chunk that cannot be read")
            body += memoryview(data)[start : start + size]
            position = start + size + 2
        del data[:position]
        return done

    def _after_trailers(self, line_end: int) -> int:
        """The position after the empty line that ends the trailers, which follow the line of the last chunk."""
        data = self._data
        if data.startswith(b"\r\n", line_end + 2):
            return line_end + 4
        end = data.find(b"\r\n\r\n", line_end)
        if end < 0 and len(data) - line_end > MAX_HEAD:
            raise Malformed("trailers that do not end")
        return end + 4 if end >= 0 else -1
