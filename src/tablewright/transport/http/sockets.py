"""What sync and async connections do alike with their sockets."""

from __future__ import annotations

import select
import socket
import struct
import sys
import time
from collections.abc import Callable

IDLE_SECONDS = 50.0
"""After so long without use a connection is not trusted: somebody in between may have dropped it without a word."""


def set_options(sock: socket.socket) -> None:
    """Small messages go at once, and a peer that is gone is noticed in the end."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def limit_waiting(sock: socket.socket, seconds: float) -> None:
    """A time limit for each wait, kept by the system: Python's own costs a system call before each send and receive.

    What takes longer fails with BlockingIOError. TLS does its own waiting and needs Python's limit.
    """
    if sys.platform == "win32":
        limit = struct.pack("L", max(1, int(seconds * 1000)))
    else:
        whole = int(seconds)
        limit = struct.pack("ll", whole, max(1, int((seconds - whole) * 1_000_000)))
    sock.settimeout(None)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def time_left(patience: float, until: float | None) -> float:
    """How long a wait may take: `patience`, or what is left until time.monotonic() reaches `until`."""
    if until is None:
        return patience
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time for this call is over")
    return min(patience, left)


def watcher(descriptor: int) -> Callable[[], object]:
    """Tells whether a socket has something to read. While no reply is expected, that can only be the end."""
    if not hasattr(select, "poll"):  # Windows
        return lambda: select.select([descriptor], [], [], 0)[0]
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return lambda: poll.poll(0)
