"""AWS Signature Version 4, verified: the request was signed with our secret key, lately, and not changed since."""

from __future__ import annotations

import hashlib
import hmac
import time
from calendar import timegm
from collections.abc import Callable
from email.utils import mktime_tz, parsedate_tz
from typing import NamedTuple, NoReturn
from urllib.parse import parse_qsl, quote, unquote

from tablewright.errors import AccessRefused
from tablewright.server.connection import Request

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"

_SKEW_MINUTES = 15
_YEAR_10000 = 253_402_300_800
_KEPT_KEYS = 64
_IN_HEADER = ("Credential", "Signature", "SignedHeaders")
_IN_QUERY = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date")
_MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details."
)


class _Claim(NamedTuple):
    """What a request says of its signature."""

    algorithm: str
    credential: str
    signed: tuple[str, ...]
    signature: str
    date: str
    expires: int | None


class Verifier:
    """Checks signatures made with one pair of keys, in the order and with the words of the service."""

    def __init__(self, access_key: str, secret_key: str, now: Callable[[], float] = time.time) -> None:
        self._access_key = access_key
        self._secret = f"AWS4{secret_key}".encode()
        self._now = now
        self._keys: dict[tuple[str, str], bytes] = {}

    def check(self, request: Request) -> None:
        """Refuse a request whose signature is missing, incomplete, old or wrong."""
        claim = _read_claim(request)
        stamp = self._check_time(claim)
        if "host" not in claim.signed:
            _invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.")
        if b"x-amz-target" in request.headers and "x-amz-target" not in claim.signed:
            # Or one signature would do for any operation with the same parameters.
            _invalid("'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.")
        if claim.algorithm != ALGORITHM:
            _incomplete(f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). ")
        key_id, date, region = _read_scope(claim, stamp)
        if not hmac.compare_digest(key_id.encode(), self._access_key.encode()):
            raise AccessRefused(
                "The security token included in the request is invalid.", wire_name="UnrecognizedClientException"
            )
        scope = f"{date}/{region}/{SERVICE}/{TERMINATOR}"
        for host in _hosts(request):
            canonical = hashlib.sha256(_canonical(request, claim.signed, host).encode()).hexdigest()
            text = f"{ALGORITHM}\n{stamp}\n{scope}\n{canonical}"
            wanted = hmac.new(self._key(date, region), text.encode(), hashlib.sha256).hexdigest()
            if hmac.compare_digest(wanted.encode(), claim.signature.encode()):
                return
        _invalid(_MISMATCH)

    def _check_time(self, claim: _Claim) -> str:
        """The signature's time in basic ISO form, once it is found to be near ours."""
        signed = _seconds(claim.date)
        if signed is None:
            _incomplete(
                f"Date must be in ISO-8601 'basic format'. Got '{claim.date}'. "
                "See http://en.wikipedia.org/wiki/ISO_8601"
            )
        now = int(self._now())
        skew = _SKEW_MINUTES * 60
        stamp, present = _basic(signed), _basic(now)
        if claim.expires is not None and signed + claim.expires < now:
            _invalid(f"Signature expired: {stamp} is now earlier than {_basic(now - claim.expires)}")
        if claim.expires is None and signed < now - skew:
            earliest = _basic(now - skew)
            _invalid(f"Signature expired: {stamp} is now earlier than {earliest} ({present} - {_SKEW_MINUTES} min.)")
        if signed > now + skew:
            latest = _basic(now + skew)
            _invalid(
                f"Signature not yet current: {stamp} is still later than {latest} ({present} + {_SKEW_MINUTES} min.)"
            )
        return stamp

    def _key(self, date: str, region: str) -> bytes:
        key = self._keys.get((date, region))
        if key is None:
            key = self._secret
            for part in (date, region, SERVICE, TERMINATOR):
                key = hmac.new(key, part.encode(), hashlib.sha256).digest()
            if len(self._keys) >= _KEPT_KEYS:
                self._keys.clear()
            self._keys[date, region] = key
        return key


# ------------------------------------------------------------------------------------------ what the request claims


def _read_claim(request: Request) -> _Claim:
    header = _text(request.headers.get(b"authorization", b"")).strip()
    query = dict(parse_qsl(_text(request.url).partition("?")[2], keep_blank_values=True))
    if "X-Amz-Algorithm" in query:
        if header:
            _invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
        return _claim_in_query(query)
    if not header.startswith("AWS4-"):
        raise AccessRefused("Request is missing Authentication Token", wire_name="MissingAuthenticationTokenException")
    return _claim_in_header(header, request)


def _claim_in_query(query: dict[str, str]) -> _Claim:
    missing = "".join(
        f"AWS query-string parameters must include '{name}'. " for name in _IN_QUERY if not query.get(name)
    )
    if missing:
        _incomplete(f"{missing}Re-examine the query-string parameters.")
    expires = query.get("X-Amz-Expires", "")
    return _Claim(
        query["X-Amz-Algorithm"],
        query["X-Amz-Credential"],
        tuple(query["X-Amz-SignedHeaders"].lower().split(";")),
        query["X-Amz-Signature"],
        query["X-Amz-Date"],
        min(int(expires), 7 * 86400) if expires.isascii() and expires.isdigit() and len(expires) < 10 else None,
    )


def _claim_in_header(header: str, request: Request) -> _Claim:
    algorithm, _, rest = header.partition(" ")
    given: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            _incomplete(
                f"'{part}' not a valid key=value pair (missing equal-sign) in Authorization header: '{header}'."
            )
        given[name] = value
    date = _text(request.headers.get(b"x-amz-date") or request.headers.get(b"date", b""))
    missing = "".join(
        f"Authorization header requires '{name}' parameter. " for name in _IN_HEADER if not given.get(name)
    )
    if not date:
        missing += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
    if missing:
        _incomplete(f"{missing}Authorization={header}")
    signed = tuple(given["SignedHeaders"].lower().split(";"))
    return _Claim(algorithm, given["Credential"], signed, given["Signature"], date, None)


def _read_scope(claim: _Claim, stamp: str) -> tuple[str, str, str]:
    """Key id, date and region of a credential."""
    parts = claim.credential.rstrip("/").split("/")
    if len(parts) != 5:
        _incomplete(
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            f"got '{claim.credential}'"
        )
    key_id, date, region, service, terminator = parts
    wrong = ""
    if service != SERVICE:
        wrong += f"Credential should be scoped to correct service: '{SERVICE}'. "
    if terminator != TERMINATOR:
        wrong += f"Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. "
    if date != stamp[:8]:
        wrong += (
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{date}' != '{stamp[:8]}', from '{stamp}'."
        )
    if wrong:
        _invalid(wrong.rstrip())
    return key_id, date, region


# -------------------------------------------------------------------------------------------- the canonical request


def _hosts(request: Request) -> list[str]:
    """What the client may have signed as its host: some leave out the port that they send."""
    host = _text(request.headers.get(b"host", b""))
    name, colon, port = host.rpartition(":")
    return [host, name] if colon and port.isdigit() else [host]


def _canonical(request: Request, signed: tuple[str, ...], host: str) -> str:
    path, _, query = _text(request.url).partition("?")
    digest = hashlib.sha256(request.body).hexdigest()
    claimed = request.headers.get(b"x-amz-content-sha256")
    if claimed is not None and not hmac.compare_digest(claimed.lower(), digest.encode()):
        _invalid(_MISMATCH)
    pairs = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in (_split_pair(pair) for pair in query.split("&") if pair)
        if name != "X-Amz-Signature"
    )
    headers = "".join(f"{name}:{host if name == 'host' else _header(request, name)}\n" for name in signed)
    return "\n".join(
        (
            _text(request.method),
            quote(path, safe="/-_.~"),
            "&".join(f"{name}={value}" for name, value in pairs),
            headers,
            ";".join(signed),
            digest,
        )
    )


def _header(request: Request, name: str) -> str:
    return " ".join(_text(request.headers.get(name.encode(), b"")).split())


def _split_pair(pair: str) -> tuple[str, str]:
    name, _, value = pair.partition("=")
    return unquote(name), unquote(value)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


# ------------------------------------------------------------------------------------------------------------ times


def _seconds(date: str) -> int | None:
    try:
        return timegm(time.strptime(date, "%Y%m%dT%H%M%SZ"))
    except ValueError:
        parsed = parsedate_tz(date)
    try:
        seconds = mktime_tz(parsed) if parsed is not None else None
    except (OverflowError, ValueError):
        return None
    return seconds if seconds is not None and 0 <= seconds < _YEAR_10000 else None


def _basic(seconds: int) -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


# ---------------------------------------------------------------------------------------------------------- refusals


def _invalid(message: str) -> NoReturn:
    raise AccessRefused(message, wire_name="InvalidSignatureException")


def _incomplete(message: str) -> NoReturn:
    raise AccessRefused(message, wire_name="IncompleteSignatureException")
