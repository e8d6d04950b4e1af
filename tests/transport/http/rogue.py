"""A server that behaves as a test wants, proxies, and one way to call the sync and the async transport."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any
from zlib import crc32

from tablewright.transport.http.address import Address
from tablewright.transport.http.aio import AsyncHttpTransport
from tablewright.transport.http.credentials import MADE_UP, Fixed, Source
from tablewright.transport.http.route import Route, Timeouts
from tablewright.transport.http.sync import HttpTransport

QUICK = Timeouts(connect=2.0, read=0.15)
PATIENT = Timeouts(connect=5.0, read=5.0)

Turn = Callable[[socket.socket], bool]
"""What the server does with a request; whether the connection stays open."""


def http(body: bytes, *, status: str = "200 OK", **headers: str) -> bytes:
    """A reply. Underscores in names of headers stand for dashes; an empty one is left out."""
    lines = {"Content-Length": str(len(body)), "x-amz-crc32": str(crc32(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def answer(response: Any = None, **options: str) -> Turn:
    """A good reply, or one with another status."""
    return raw(http(json.dumps(response or {}).encode(), **options))


def raw(*parts: bytes, keep: bool = True) -> Turn:
    """These bytes, one send each."""

    def turn(sock: socket.socket) -> bool:
        for part in parts:
            sock.sendall(part)
        return keep

    return turn


def drop(sock: socket.socket) -> bool:
    """Closes without a word."""
    return False


def reset(sock: socket.socket) -> bool:
    """Breaks the connection."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


class Rogue:
    """Answers requests with what it is told, in the order in which they come; after that with {}."""

    def __init__(self, *turns: Turn, tls: ssl.SSLContext | None = None) -> None:
        self.turns = list(turns)
        self.requests: list[bytes] = []
        self.connections = 0
        self.closing = threading.Event()
        """Set when the server stops: a turn that keeps silent waits for it."""
        self._tls = tls
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)

    @property
    def url(self) -> str:
        return f"{'http' if self._tls is None else 'https'}://127.0.0.1:{self.port}"

    def silence(self, sock: socket.socket) -> bool:
        """Never answers."""
        self.closing.wait(10)
        return False

    def __enter__(self) -> Rogue:
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()

    def _start(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._sockets.append(sock)
            self._start(self._serve, sock)

    def _serve(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.callback(sock.close)
            if self._tls is not None:
                sock = stack.enter_context(self._tls.wrap_socket(sock, server_side=True))
            while self.handle(sock):
                pass

    def handle(self, sock: socket.socket) -> bool:
        """One request; whether the connection stays open."""
        message = read_message(sock)
        if not message:
            return False
        with self._lock:
            self.requests.append(message)
            turn = self.turns.pop(0) if self.turns else answer()
        return turn(sock)


class RogueProxy(Rogue):
    """A proxy: tunnels what asks for it, and answers whatever else comes like a rogue server."""

    def __init__(self, *turns: Turn, refusal: bytes | None = None, instead: int | None = None) -> None:
        super().__init__(*turns)
        self.refusal = refusal
        self.instead = instead
        """A port of this machine to which everybody is led, whatever the name."""

    def handle(self, sock: socket.socket) -> bool:
        sock.settimeout(None)
        peeked = sock.recv(7, socket.MSG_PEEK)
        if peeked != b"CONNECT":
            return super().handle(sock)
        message = read_message(sock)
        self.requests.append(message)
        if self.refusal is not None:
            sock.sendall(self.refusal)
            return False
        host, _, port = message.split(b" ")[1].decode().rpartition(":")
        if self.instead is not None:
            host, port = "127.0.0.1", str(self.instead)
        with socket.create_connection((host, int(port))) as there:
            sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._sockets.append(there)
            back = threading.Thread(target=_pump, args=(there, sock), daemon=True)
            back.start()
            _pump(sock, there)
            back.join(10)
        return False


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


def read_message(sock: socket.socket) -> bytes:
    """One whole request; nothing if the other side has gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        more = sock.recv(65536)
        if not more:
            return b""
        body += more
    return head + b"\r\n\r\n" + body


class Caller:
    """A transport, sync or async, that is called alike."""

    def __init__(self, kind: str, route: Route | str, **options: Any) -> None:
        self._runner = asyncio.Runner() if kind == "async" else None
        credentials: Source = options.pop("credentials", Fixed(MADE_UP))
        route = route if isinstance(route, Route) else Route(Address.parse(route))
        make: Any = AsyncHttpTransport if kind == "async" else HttpTransport
        self.transport = make(route, "us-east-1", credentials, **({"timeouts": PATIENT} | options))

    def send(self, operation: str = "GetItem", request: Any = None) -> Any:
        return self._wait(self.transport.send(operation, {} if request is None else request))

    def _wait(self, result: Any) -> Any:
        return result if self._runner is None else self._runner.run(result)

    def __enter__(self) -> Caller:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait(self.transport.close())
        if self._runner is not None:
            self._runner.close()
