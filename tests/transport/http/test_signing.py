"""Signatures: the same as botocore's for any request, as those that AWS publishes, and as our own server checks them."""

from __future__ import annotations

import datetime
from typing import Any
from unittest import mock

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as SdkCredentials
from hypothesis import given
from hypothesis import strategies as st

from tablewright.transport.http.address import Address, Proxy
from tablewright.transport.http.credentials import Credentials
from tablewright.transport.http.route import Route
from tablewright.transport.http.signing import KeyStates, Scope, Signer

NOON = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
words = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=40)
operations = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", min_size=1, max_size=40)
secrets = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=100)
keys = st.builds(Credentials, words, secrets, st.none() | secrets)
routes = st.builds(
    lambda address, proxy: Route(address, proxy),
    st.builds(
        Address,
        st.just("http"),
        st.sampled_from(["localhost", "127.0.0.1", "::1", "dynamodb.eu-west-1.amazonaws.com"]),
        st.sampled_from([80, 8000, 443]),
        st.sampled_from(["/", "/a", "/a/b-c.d_e~f", "/a/"]),
    ),
    st.sampled_from([None, Proxy("proxy", 3128), Proxy("proxy", 3128, "Basic eDp5")]),
)
times = st.datetimes(datetime.datetime(2001, 1, 1), datetime.datetime(2099, 1, 1), timezones=st.just(datetime.UTC))


def parts_of(message: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = message.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return first, {n.lower(): v for n, v in (line.split(": ", 1) for line in lines)}, body


def by_botocore(route: Route, region: str, credentials: Credentials, moment: datetime.datetime, message: bytes) -> str:
    """The signature that botocore makes of the same headers and body."""
    _, headers, body = parts_of(message)
    signed = {n: headers[n] for n in ("content-type", "x-amz-target")}
    request = AWSRequest("POST", f"http://{route.address.host_header}{route.address.path}", signed, body)
    sdk = SdkCredentials(credentials.access_key, credentials.secret_key, credentials.token)
    signer: Any = botocore.auth.SigV4Auth(sdk, "dynamodb", region)
    naive = moment.replace(tzinfo=None)
    with mock.patch.object(botocore.auth, "get_current_datetime", return_value=naive):
        signer.add_auth(request)
    authorization: str = request.headers["Authorization"]
    return authorization


@given(routes, st.sampled_from(["eu-west-1", "us-gov-west-1"]), keys, times, operations, st.binary(max_size=300))
def test_signatures_are_botocores(
    route: Route, region: str, credentials: Credentials, moment: datetime.datetime, operation: str, body: bytes
) -> None:
    signer = Signer(route, region, lambda: credentials, moment.timestamp)
    message = signer.message(operation, body)
    first, headers, sent = parts_of(message)
    assert sent == body
    assert headers["content-length"] == str(len(body))
    assert headers.get("x-amz-security-token") == credentials.token
    assert first == f"POST {route.request_target} HTTP/1.1"
    assert headers["authorization"] == by_botocore(route, region, credentials, moment, message)


def test_nothing_kept_outlives_its_second_day_or_credentials() -> None:
    clock = NOON.timestamp()
    old, new = Credentials("OLD", "old secret"), Credentials("NEW", "new secret", "token")
    current = old
    route = Route(Address.parse("https://dynamodb.eu-west-1.amazonaws.com"))
    asked = 0

    def credentials() -> Credentials:
        nonlocal asked
        asked += 1
        return current

    signer = Signer(route, "eu-west-1", credentials, lambda: clock)

    def check(expected: Credentials) -> None:
        for operation, body in (("GetItem", b"{}"), ("GetItem", b"{1}"), ("PutItem", b"{}")):
            moment = datetime.datetime.fromtimestamp(int(clock), datetime.UTC)
            message = signer.message(operation, body)
            assert parts_of(message)[1]["authorization"] == by_botocore(route, "eu-west-1", expected, moment, message)

    check(old)
    current = new
    check(old)
    assert asked == 1, "they are asked for once a second"
    clock += 1
    check(new)
    clock += 86_400
    check(new)
    clock -= 3 * 86_400
    check(new)
    assert asked == 4


# AWS's test suite for signers: its credentials, its time, and the requests of it that are like ours.
SUITE = Scope(
    Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), "20150830", "us-east-1", service="service"
)
STAMP = "20150830T123600Z"
HOST = ("host", "example.amazonaws.com")


@pytest.mark.parametrize(
    ("method", "headers", "body", "signature"),
    [
        ("GET", [HOST, ("x-amz-date", STAMP)], b"", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "POST",
            [HOST, ("x-amz-date", STAMP)],
            b"",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            "POST",
            [("content-type", "application/x-www-form-urlencoded"), HOST, ("x-amz-date", STAMP)],
            b"Param1=value1",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        ),
    ],
    ids=["get-vanilla", "post-vanilla", "post-x-www-form-urlencoded"],
)
def test_published_signatures(method: str, headers: list[tuple[str, str]], body: bytes, signature: str) -> None:
    prepared = SUITE.prepare(STAMP, method, "/", headers)
    assert prepared.signature(body) == signature
    assert prepared.signature(body) == signature
    assert prepared.authorization.startswith(
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders="
    )


def test_the_published_key() -> None:
    key = b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    for part in ("20150830", "us-east-1", "iam", "aws4_request"):
        key = KeyStates(key).digest(part)
    assert key.hex() == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
