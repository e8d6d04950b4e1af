"""Faults behind the server: asked for over HTTP and on the command line; slow replies hold up nobody, lost ones end."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tablewright.engine import open_engine
from tablewright.engine.faults import LostReply, SlowReply, Throttle
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Wire, key, message


class Client:
    """Plain HTTP; a reply that does not come is an exception of the standard library's."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        self.connection.request("POST", path, body if isinstance(body, str) else json.dumps(body), headers)
        reply = self.connection.getresponse()
        text = reply.read()
        return reply.status, json.loads(text) if text.startswith(b"{") else text

    def call(self, operation: str, **request: Any) -> tuple[int, Any]:
        headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0"}
        return self.post("/", request, **headers)

    def faults(self, **request: Any) -> tuple[int, Any]:
        return self.post("/_tablewright/faults", request)


@pytest.fixture(params=["memory", "file"])
def disturbed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server that lets itself be disturbed."""
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    with open_engine(target, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", TABLE)
        with serve_in_thread(engine, allow_reset=True) as server:
            yield server


@pytest.fixture
def client(disturbed: Server) -> Iterator[Client]:
    """A connection to it."""
    opened = Client(disturbed.url)
    yield opened
    opened.connection.close()


KEY = key("a")


def test_faults_are_set_and_told_over_http(client: Client) -> None:
    assert client.faults() == (200, {"Faults": []})
    status, told = client.faults(Faults=["throttle:every=2", "index-lag"])
    assert status == 200
    assert told["Faults"][0] == {"Fault": "throttle:every=2", "Seen": 0, "Fired": 0}
    answers = [client.call("PutItem", TableName=TABLE["TableName"], Item=KEY)[0] for _ in range(3)]
    assert answers == [200, 400, 200]
    assert client.faults(Release=True)[1]["Faults"][0] == {"Fault": "throttle:every=2", "Seen": 3, "Fired": 1}
    assert client.faults(Faults=[]) == (200, {"Faults": []})
    assert client.call("GetItem", TableName=TABLE["TableName"], Key=KEY)[1] == {"Item": KEY}


@pytest.mark.parametrize(
    ("request_body", "says"),
    [
        ({"Faults": ["sabotage"]}, "There is no fault"),
        ({"Faults": "throttle"}, "a list of texts"),
        ({"Fault": []}, "no member 'Fault'"),
        ({"Release": 1}, "true or false"),
    ],
    ids=["unknown", "no list", "other member", "no truth"],
)
def test_wrong_requests_change_nothing(client: Client, request_body: dict[str, Any], says: str) -> None:
    client.faults(Faults=["throttle:nth=99"])
    status, told = client.faults(**request_body)
    assert (status, says in told["message"]) == (400, True)
    assert len(client.faults()[1]["Faults"]) == 1


def test_web_pages_and_servers_without_permission_refuse(client: Client) -> None:
    assert client.post("/_tablewright/faults", {}, Origin="http://evil.example")[0] == 400
    with serve_in_thread("memory:") as strict:
        other = Client(strict.url)
        assert other.faults(Faults=["throttle"])[0] != 200
        other.connection.close()
        assert not strict.engine.is_at_fault


def test_a_lost_reply_ends_the_connection_and_the_write_stays(disturbed: Server, client: Client) -> None:
    with disturbed.engine.faults.inject(LostReply(operations="PutItem")):
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            client.call("PutItem", TableName=TABLE["TableName"], Item=KEY)
        client.connection.close()
        assert client.call("GetItem", TableName=TABLE["TableName"], Key=KEY)[1] == {"Item": KEY}


def test_a_slow_reply_holds_up_nobody_else(disturbed: Server, client: Client) -> None:
    started, go_on = threading.Event(), threading.Event()

    def wait(_: float) -> None:
        started.set()
        go_on.wait(20)

    slow = SlowReply(seconds=1, operations="PutItem", sleep=wait)
    found: list[int] = []

    def put() -> None:
        other = Client(disturbed.url)
        found.append(other.call("PutItem", TableName=TABLE["TableName"], Item=KEY)[0])
        other.connection.close()

    with disturbed.engine.faults.inject(slow):
        thread = threading.Thread(target=put)
        thread.start()
        try:
            assert started.wait(20)
            assert client.call("GetItem", TableName=TABLE["TableName"], Key=KEY)[1] == {"Item": KEY}
            assert found == []
        finally:
            go_on.set()
            thread.join()
    assert found == [200]


def test_slow_replies_hold_up_only_their_own_connections_however_many(disturbed: Server, client: Client) -> None:
    """More than there are threads; they wait until the server stops, and then come at once."""
    put = message("PutItem", {"TableName": TABLE["TableName"], "Item": KEY})
    with ExitStack() as stack:
        fault = disturbed.engine.faults.inject(SlowReply(seconds=120, operations="PutItem")).fault
        wires = [stack.enter_context(Wire(disturbed.url, timeout=20)) for _ in range(80)]
        for wire in wires:
            wire.send(put)
        while fault.fired < len(wires):
            time.sleep(0.005)
        assert client.call("GetItem", TableName=TABLE["TableName"], Key=KEY)[1] == {"Item": KEY}
        client.connection.close()
        disturbed.stop()
        assert [wire.receive().status for wire in wires] == [200] * 80


def test_slow_replies_come_after_their_time(disturbed: Server, client: Client) -> None:
    with disturbed.engine.faults.inject(SlowReply(seconds=0.1, operations="PutItem")):
        began = time.monotonic()
        assert client.call("PutItem", TableName=TABLE["TableName"], Item=KEY)[0] == 200
        assert client.call("PutItem", TableName="None", Item=KEY)[0] == 400
        assert time.monotonic() - began >= 0.2


def test_a_slow_reply_whose_client_went_away_is_forgotten(disturbed: Server, client: Client) -> None:
    fault = SlowReply(seconds=0.05, operations="PutItem")
    with disturbed.engine.faults.inject(fault):
        with Wire(disturbed.url) as gone:
            gone.send(message("PutItem", {"TableName": TABLE["TableName"], "Item": KEY}))
            while not fault.fired:
                time.sleep(0.005)
        assert client.call("PutItem", TableName=TABLE["TableName"], Item=KEY)[0] == 200


def test_replies_keep_their_order_on_one_connection(disturbed: Server, client: Client) -> None:
    with disturbed.engine.faults.inject(Throttle(every=3)):
        statuses = [client.call("GetItem", TableName=TABLE["TableName"], Key=KEY)[0] for _ in range(6)]
    assert statuses == [200, 200, 400, 200, 200, 400]


def test_on_the_command_line(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [sys.executable, "-m", "tablewright", "serve", "--port", "0", "--ready-file", str(ready)]
    wrong = subprocess.run([*command, "--fault", "sabotage"], capture_output=True, text=True, check=False, timeout=30)
    assert wrong.returncode == 2
    assert "There is no fault 'sabotage'" in wrong.stderr
    faults = ["--fault", "throttle:operations=ListTables,nth=2", "--fault", "slow-reply:seconds=0"]
    with subprocess.Popen([*command, *faults], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            client = Client(line[line.index("http://") :].split()[0])
            assert [client.call("ListTables")[0] for _ in range(3)] == [200, 400, 200]
            client.connection.close()
        finally:
            server.terminate()
