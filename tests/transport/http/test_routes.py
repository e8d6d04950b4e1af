"""TLS and proxies, on both transports."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tablewright.errors import ConfigError, NetworkError
from tablewright.transport.http.address import Address
from tablewright.transport.http.route import Route, Timeouts
from tests.transport.http.conftest import Authority
from tests.transport.http.rogue import Caller, Rogue, RogueProxy, answer, drop, raw

FOUND = {"Item": {"PK": {"S": "a"}}}


def through(proxy: Rogue, server: str, bundle: Path | None = None, user: str = "") -> Route:
    url = f"http://{user}127.0.0.1:{proxy.port}"
    environment = {"HTTP_PROXY": url, "HTTPS_PROXY": url}
    return Route.find(Address.parse(server), environment, None if bundle is None else str(bundle))


def trusting(authority: Authority, server: str) -> Route:
    return Route.find(Address.parse(server), {"AWS_CA_BUNDLE": str(authority.bundle)})


# ------------------------------------------------------------------------------------------------------------ TLS


def test_tls(kind: str, authority: Authority) -> None:
    large = {"text": "x" * 1_000_000}
    with Rogue(answer(FOUND), answer(large), tls=authority.server) as server:
        for host in ("127.0.0.1", "localhost"):
            with Caller(kind, trusting(authority, f"https://{host}:{server.port}")) as caller:
                if host == "127.0.0.1":
                    assert caller.send() == FOUND
                    assert caller.send("PutItem", large) == large
                assert caller.send() == {}
        assert server.connections == 2


def test_a_certificate_that_nobody_trusts_is_refused(kind: str, authority: Authority) -> None:
    with Rogue(tls=authority.server) as server, Caller(kind, Route.find(Address.parse(server.url), {})) as caller:
        with pytest.raises(ConfigError, match="ca_bundle") as caught:
            caller.send()
        assert not caught.value.retryable
        assert server.requests == []


def test_a_certificate_for_another_name_is_refused(kind: str, authority: Authority) -> None:
    with Rogue(tls=authority.server) as server, RogueProxy(instead=server.port) as misled:
        route = through(misled, "https://tables.test", authority.bundle)
        with Caller(kind, route) as caller, pytest.raises(ConfigError, match="not trusted"):
            caller.send()
        assert server.requests == []


def test_a_server_that_speaks_no_tls(kind: str, authority: Authority) -> None:
    with Rogue(drop) as server:
        route = trusting(authority, f"https://127.0.0.1:{server.port}")
        with Caller(kind, route, timeouts=Timeouts(0.2, 0.2)) as caller, pytest.raises(NetworkError) as caught:
            caller.send()
        assert caught.value.sent is False


def test_a_reply_cut_off_under_tls_is_lost(kind: str, authority: Authority) -> None:
    with Rogue(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", keep=False), tls=authority.server) as server:
        with Caller(kind, trusting(authority, server.url)) as caller, pytest.raises(NetworkError) as caught:
            caller.send()
        assert caught.value.sent is True


# -------------------------------------------------------------------------------------------------------- proxies


def test_a_proxy_gets_the_whole_url_where_there_is_no_tls(kind: str) -> None:
    with (
        RogueProxy(answer(FOUND)) as proxy,
        Caller(kind, through(proxy, "http://tables.test:8000/x", user="me:secret@")) as caller,
    ):
        assert caller.send() == FOUND
        (request,) = proxy.requests
        assert request.startswith(b"POST http://tables.test:8000/x HTTP/1.1\r\n")
        assert b"\r\nhost: tables.test:8000\r\n" in request
        assert b"\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n" in request


def test_tls_goes_through_a_tunnel(kind: str, authority: Authority) -> None:
    with Rogue(answer(FOUND), tls=authority.server) as server, RogueProxy() as proxy:
        with Caller(kind, through(proxy, server.url, authority.bundle, "me:secret@")) as caller:
            assert caller.send() == FOUND
            assert caller.send() == {}
        (ask,) = proxy.requests
        assert ask.startswith(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n".encode())
        assert b"\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n" in ask
        assert len(server.requests) == 2
        assert not any(b"proxy-authorization" in r.lower() for r in server.requests)


@pytest.mark.parametrize(
    ("refusal", "error", "words"),
    [
        (b"HTTP/1.1 407 Who are you\r\n\r\n", ConfigError, "credentials"),
        (b"HTTP/1.1 503 Later\r\n\r\n", NetworkError, "status 503"),
        (b"nonsense\r\n\r\n", NetworkError, "No connection"),
        (b"HTTP/1.1 200", NetworkError, "No connection"),
    ],
)
def test_a_proxy_that_refuses(
    kind: str, authority: Authority, refusal: bytes, error: type[Exception], words: str
) -> None:
    with RogueProxy(refusal=refusal) as proxy:
        route = through(proxy, "https://tables.test", authority.bundle, "me:s3cr3t@")
        with Caller(kind, route) as caller, pytest.raises(error, match=words) as caught:
            caller.send()
        assert getattr(caught.value, "sent", False) is False
        assert "s3cr3t" not in str(caught.value)


def test_a_proxy_that_is_not_there(kind: str) -> None:
    with RogueProxy() as proxy:
        route = through(proxy, "http://tables.test")
    with Caller(kind, route) as caller, pytest.raises(NetworkError, match=f"proxy 127.0.0.1:{proxy.port}") as caught:
        caller.send()
    assert caught.value.sent is False


def test_the_environment_is_used(kind: str, monkeypatch: pytest.MonkeyPatch, authority: Authority) -> None:
    """From `open` on: proxy, bundle and a bypass, as a program meets them."""
    from tablewright.errors import ResourceNotFound
    from tests.client.lab import Note, lab

    missing = answer({"__type": "x#ResourceNotFoundException", "message": "no"}, status="400 Bad Request")
    for name in list(os.environ):
        if name.upper().startswith("AWS_") or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    with Rogue(missing, missing, tls=authority.server) as server, RogueProxy() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("AWS_REGION", "eu-west-1")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        for bypass in ("", "127.0.0.1"):
            monkeypatch.setenv("NO_PROXY", bypass)
            with lab.open(server.url, ca_bundle=authority.bundle) as db, pytest.raises(ResourceNotFound):
                db.get(Note(note_id="1"))
        assert len(proxy.requests) == 1
        assert b"Credential=AKIDEXAMPLE/" in server.requests[0]
        assert b"/eu-west-1/dynamodb/aws4_request" in server.requests[0]
