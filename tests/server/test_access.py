"""Who may call: nobody from the network by default, and no web page ever."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ConfigError, FileFormatError
from tablewright.server import Server, Settings, serve_in_thread
from tests.server.wire import Wire


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.1:8000", "localhost:1", "[::1]", "[::1]:8000",
     "host.docker.internal:8000"],
)  # fmt: skip
def test_names_of_this_machine_are_answered(wire: Wire, host: str) -> None:
    assert wire.call("ListTables", host=host).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", ":80",
             "localhost:80:80", "localhost@evil.example", "localhost,evil.example"],
)  # fmt: skip
def test_other_names_are_refused(wire: Wire, host: str) -> None:
    for _ in range(2):
        reply = wire.call("ListTables", host=host)
        assert (reply.status, reply.error) == (403, "AccessDeniedException")


def test_a_health_check_for_another_name_is_refused(wire: Wire) -> None:
    wire.send(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    assert wire.receive().status == 403


def test_names_can_be_allowed() -> None:
    with serve_in_thread("memory:", allowed_hosts=("Tables.example",)) as server, Wire(server.url) as wire:
        assert wire.call("ListTables", host="tables.example:8000").status == 200
        assert wire.call("ListTables", host="localhost").status == 200
        assert wire.call("ListTables", host="other.example").status == 403


def test_a_token() -> None:
    with serve_in_thread("memory:", token="open sesame") as server, Wire(server.url) as wire:
        assert wire.call("ListTables", X_Tablewright_Token="open sesame", host="any.example").status == 200
        for wrong in ("", "open", "OPEN SESAME"):
            reply = wire.call("ListTables", X_Tablewright_Token=wrong)
            assert (reply.status, reply.error) == (400, "AccessDeniedException")
            assert "sesame" not in reply.json["message"]
        wire.send(b"GET / HTTP/1.1\r\nHost: any.example\r\n\r\n")
        assert wire.receive().status == 200


def test_the_network_is_let_in_with_a_token_or_signatures() -> None:
    with serve_in_thread("memory:", host="0.0.0.0", token="t") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        with Wire(url) as wire:
            assert wire.call("ListTables", X_Tablewright_Token="t").status == 200
    Settings(host="192.0.2.1", access_key="a", secret_key="s")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"host": "0.0.0.0"},
            "anyone on the network.*--verify-signatures; .*access_key= .*secret_key=.*--token; .*token=",
        ),
        ({"host": "::"}, "anyone on the network"),
        ({"host": "192.168.1.5"}, "anyone on the network"),
        ({"host": "tables.example"}, "anyone on the network"),
        ({"access_key": "a"}, "one of them is missing"),
        ({"secret_key": "a"}, "one of them is missing"),
        ({"token": ""}, "The token is empty"),
        ({"access_key": "", "secret_key": "s"}, "The access key is empty"),
        ({"port": 70000}, "70000 is no port"),
        ({"port": "x"}, "'x' is no port. Give a number"),
    ],
    ids=["all", "all6", "own", "name", "access", "secret", "token", "key", "port", "text"],
)
def test_settings_that_cannot_be_meant(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Settings(**settings)


def test_a_port_in_use(server: Server) -> None:
    with pytest.raises(ConfigError, match=f"Port {server.port} on 127.0.0.1 cannot be had"):
        Server("memory:", port=server.port)


def test_a_file_that_is_none_frees_the_port_again(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("These are my notes, and no database.\n" * 100, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    for _ in range(2):
        with pytest.raises(FileFormatError):
            Server(other, port=port)


def test_localhost_means_both_kinds_of_address(server: Server) -> None:
    if not socket.has_ipv6:
        return
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return
    with Wire(f"http://[::1]:{server.port}") as wire:
        assert wire.call("ListTables", host=f"[::1]:{server.port}").status == 200


def test_what_cannot_be_listened_on_is_said_kindly() -> None:
    with pytest.raises(ConfigError, match="is no address of this machine"):
        Server("memory:", host="no-such-host.invalid", token="t")
    with pytest.raises(ConfigError, match="cannot be had"):
        Server("memory:", host="192.0.2.1", port=0, token="t")
