"""What sync and async connections do alike with their sockets."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable


def set_options(sock: socket.socket) -> None:
    """Small messages go at once, and a peer that is gone is noticed in the end."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def watcher(descriptor: int) -> Callable[[], object]:
    """Tells whether a socket has something to read. While no reply is expected, that can only be the end."""
    if not hasattr(select, "poll"):  # Windows
        return lambda: select.select([descriptor], [], [], 0)[0]
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return lambda: poll.poll(0)
