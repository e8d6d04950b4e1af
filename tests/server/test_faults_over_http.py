"""Faults on demand as a client meets them: lost replies break the connection, slow ones hold up nobody else."""

from __future__ import annotations

import time

import pytest

from tablewright.engine.faults import LostReply, SlowReply
from tablewright.server import Server
from tests.server.wire import Wire, key, message


def test_a_lost_reply_breaks_the_connection(server: Server) -> None:
    put = {"TableName": "Things", "Item": key("lost")}
    with server.engine.faults.inject(LostReply()), Wire(server.url) as wire, pytest.raises((EOFError, OSError)):
        wire.call("PutItem", put)
    with Wire(server.url) as wire:
        assert wire.call("GetItem", {"TableName": "Things", "Key": key("lost")}).json["Item"] == key("lost")


def test_a_slow_reply_holds_up_nobody_else(server: Server) -> None:
    get = {"TableName": "Things", "Key": key("slow")}
    with Wire(server.url) as slow, Wire(server.url) as other:
        with server.engine.faults.inject(SlowReply(seconds=0.2)):
            started = time.monotonic()
            slow.send(message("GetItem", get))
            time.sleep(0.02)
        assert other.call("GetItem", get).status == 200
        quick = time.monotonic() - started
        assert slow.receive().status == 200
        assert quick < time.monotonic() - started
