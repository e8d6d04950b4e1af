"""Signatures: what botocore signs is accepted; anything changed, old, incomplete or foreign is refused as AWS does."""

from __future__ import annotations

import calendar
import hashlib
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import AccessRefused
from tablewright.server.connection import Request
from tablewright.server.signatures import Verifier

ACCESS, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
HEADERS = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.GetItem"}


def signed(
    body: bytes = b"{}",
    url: str = "http://localhost:8000/",
    *,
    secret: str = SECRET,
    access: str = ACCESS,
    region: str = "eu-west-1",
    service: str = "dynamodb",
    query: bool = False,
    token: str | None = None,
    headers: dict[str, str] | None = None,
) -> Request:
    """A request as botocore signs it, as the server sees it."""
    request = AWSRequest("POST", url, headers={"Host": "localhost:8000"} | HEADERS | (headers or {}), data=body)
    signer: SigV4Auth = SigV4Auth(Credentials(access, secret, token), service, region)
    if query:
        signer = SigV4QueryAuth(Credentials(access, secret, token), service, region)
        # It would move the body into the query.
        request.data = b""
        signer.payload = lambda _: hashlib.sha256(body).hexdigest()
    signer.add_auth(request)
    prepared = request.prepare()
    parts = urlsplit(prepared.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    seen = {name.lower().encode(): _bytes(value) for name, value in prepared.headers.items()}
    return Request(b"POST", target.encode(), seen, body, False)


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def refusal(request: Request, verifier: Verifier | None = None) -> tuple[str, str]:
    with pytest.raises(AccessRefused) as caught:
        (verifier or Verifier(ACCESS, SECRET)).check(request)
    return caught.value.wire_name, caught.value.message


@pytest.mark.parametrize("query", [False, True], ids=["header", "query"])
@pytest.mark.parametrize("token", [None, "session"], ids=["plain", "session"])
def test_what_botocore_signs_is_accepted(query: bool, token: str | None) -> None:
    verifier = Verifier(ACCESS, SECRET)
    for region in ("eu-west-1", "us-east-1", "eu-west-1"):
        verifier.check(signed(b'{"TableName":"T"}', region=region, query=query, token=token))


def test_the_checksum_of_the_content_may_be_given() -> None:
    digest = hashlib.sha256(b"{}").hexdigest()
    Verifier(ACCESS, SECRET).check(signed(headers={"X-Amz-Content-SHA256": digest}))
    wrong = signed(headers={"X-Amz-Content-SHA256": hashlib.sha256(b"[]").hexdigest()})
    assert refusal(wrong)[0] == "InvalidSignatureException"
    assert refusal(signed(headers={"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"}))[0] == "InvalidSignatureException"


@pytest.mark.parametrize("path", ["/", "/a/b", "/a%20b", "/?b=2&a=1&a=0", "/?x=a%2Fb%20c&y"])
def test_paths_and_queries_are_covered(path: str) -> None:
    Verifier(ACCESS, SECRET).check(signed(url=f"http://localhost:8000{path}"))


@pytest.mark.parametrize("query", [False, True], ids=["header", "query"])
def test_changed_requests_are_refused(query: bool) -> None:
    def changed(**parts: Any) -> Request:
        request = signed(query=query, headers={"X-Amz-Note": "a"})
        for name, value in parts.items():
            setattr(request, name, value)
        return request

    wrong = [
        changed(body=b"[]"),
        changed(method=b"GET"),
        changed(url=signed(query=query).url + (b"&" if query else b"?") + b"more=1"),
        signed(query=query, secret="another"),
    ]
    if not query:
        altered = changed()
        altered.headers[b"x-amz-target"] = b"DynamoDB_20120810.DeleteTable"
        wrong.append(altered)
    for request in wrong:
        name, said = refusal(request)
        assert name == "InvalidSignatureException"
        assert said.startswith("The request signature we calculated does not match the signature you provided.")


def test_a_host_may_be_signed_without_its_port() -> None:
    request = signed(headers={"Host": "localhost"})
    request.headers[b"host"] = b"localhost:8000"
    Verifier(ACCESS, SECRET).check(request)
    request.headers[b"host"] = b"localhost.example:8000"
    assert refusal(request)[0] == "InvalidSignatureException"


def test_an_unknown_access_key() -> None:
    assert refusal(signed(access="AKIDOTHER")) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )


def test_no_signature_at_all() -> None:
    said = ("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    assert refusal(Request(b"POST", b"/", {}, b"{}", False)) == said
    assert refusal(Request(b"POST", b"/", {b"authorization": b"Bearer x"}, b"{}", False)) == said


@pytest.mark.parametrize(("minutes", "said"), [(16, "Signature expired: "), (-16, "Signature not yet current: ")])
def test_clocks_may_differ_by_fifteen_minutes(minutes: int, said: str) -> None:
    request = signed()
    signed_at = calendar.timegm(time.strptime(request.headers[b"x-amz-date"].decode(), "%Y%m%dT%H%M%SZ"))
    late = Verifier(ACCESS, SECRET, now=lambda: signed_at + minutes * 60)
    name, message = refusal(request, late)
    assert name == "InvalidSignatureException"
    assert message.startswith(said)
    assert message.endswith("15 min.)")
    Verifier(ACCESS, SECRET, now=lambda: signed_at + minutes / 16 * 14 * 60).check(request)


def test_a_presigned_request_lasts_as_long_as_it_says() -> None:
    request = signed(query=True)
    Verifier(ACCESS, SECRET, now=lambda: time.time() + 3000).check(request)
    name, message = refusal(request, Verifier(ACCESS, SECRET, now=lambda: time.time() + 4000))
    assert (name, message[:17]) == ("InvalidSignatureException", "Signature expired")


def incomplete(change: Any) -> tuple[str, str]:
    request = signed()
    request.headers[b"authorization"] = change(request.headers[b"authorization"].decode()).encode()
    return refusal(request)


def test_incomplete_signatures() -> None:
    name, said = incomplete(lambda text: text.replace("Signature=", "Sign="))
    assert (name, said[:55]) == (
        "IncompleteSignatureException",
        "Authorization header requires 'Signature' parameter. Au",
    )
    name, said = incomplete(lambda text: text.partition(",")[0] + ", Signature")
    assert name == "IncompleteSignatureException"
    assert said.startswith("'Signature' not a valid key=value pair (missing equal-sign) in Authorization header:")
    assert incomplete(lambda text: text.replace("/dynamodb", ""))[1].startswith(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'AKID"
    )
    assert incomplete(lambda text: text.replace("SHA256", "SHA1"))[1] == (
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA1' (only AWS4-HMAC-SHA256 for now). "
    )
    no_date = signed()
    del no_date.headers[b"x-amz-date"]
    assert "requires existence of either a 'X-Amz-Date' or a 'Date' header" in refusal(no_date)[1]
    odd_date = signed()
    odd_date.headers[b"x-amz-date"] = b"yesterday"
    assert refusal(odd_date)[1].startswith("Date must be in ISO-8601 'basic format'. Got 'yesterday'.")
    for far in (b"1 jan 2020 00:00:00 -99999999999999", b"1 jan 2020 99999999999999:1"):
        odd_date.headers[b"x-amz-date"] = far
        assert refusal(odd_date)[1].startswith("Date must be in ISO-8601 'basic format'.")
    lacking = signed(query=True)
    lacking.url = lacking.url.replace(b"X-Amz-Credential", b"X-Amz-Cred")
    assert refusal(lacking)[1].startswith("AWS query-string parameters must include 'X-Amz-Credential'.")


def test_a_signature_is_for_one_operation() -> None:
    request = signed()
    authorization = request.headers[b"authorization"]
    request.headers[b"authorization"] = authorization.replace(b";x-amz-target", b"")
    assert refusal(request) == (
        "InvalidSignatureException",
        "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.",
    )


def test_signatures_for_something_else() -> None:
    assert refusal(signed(service="s3")) == (
        "InvalidSignatureException",
        "Credential should be scoped to correct service: 'dynamodb'.",
    )
    assert "valid terminator: 'aws4_request', not 'aws5'" in incomplete(lambda t: t.replace("aws4_request", "aws5"))[1]
    assert incomplete(lambda text: text.replace("host;", ""))[1] == (
        "'Host' must be a 'SignedHeader' in the AWS Authorization."
    )
    both = signed(query=True)
    both.headers[b"authorization"] = b"AWS4-HMAC-SHA256 x"
    assert refusal(both)[1].startswith("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization'")


@given(st.text(max_size=200), st.text(max_size=60), st.binary(max_size=100))
def test_whatever_is_claimed_is_refused(claim: str, date: str, url: bytes) -> None:
    headers = {
        b"authorization": f"AWS4-HMAC-SHA256 {claim}".encode("utf-8", "surrogatepass"),
        b"x-amz-date": date.encode("utf-8", "surrogatepass"),
    }
    assert refusal(Request(b"POST", b"/?" + url, headers, b"{}", False))[0] in (
        "IncompleteSignatureException",
        "InvalidSignatureException",
    )
