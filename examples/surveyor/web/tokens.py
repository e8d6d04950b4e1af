"""Bearer tokens: who is calling, signed, so that no request can say so itself.

A small scheme for an example. It has no revocation and no sign-in; where there is an identity provider, its tokens are verified here
instead, and nothing else changes: the rest of the service only knows the `Caller`.
"""

import hashlib
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from examples.surveyor.base import Id, TenantId

DAY = 24 * 60 * 60
_FORM = "surveyor1"
"""Begins every token and is signed with it, so that nothing else that the same secret signs can pass for one."""


class Caller(BaseModel):
    """Who sent a request. Tenant and user come from here, never from a URL or a body."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant_id: TenantId
    user_id: Id
    manager: bool = False
    """Whether they may see their tenant as a whole, and change its library; a member sees what is shared with them."""
    operator: bool = False
    """Whether they run the service, and may list the surveys of all tenants."""


class BadToken(Exception):
    """A token that is malformed, expired, or signed by somebody else. Says which to nobody."""


class _Claims(Caller):
    expires: int


class Tokens:
    """Issues tokens and reads them. The first secret signs, all of them are believed, so that secrets can be changed."""

    def __init__(self, secrets: Sequence[bytes], *, now: Callable[[], float] = time.time) -> None:
        if not secrets or min(map(len, secrets)) < 32:
            raise ValueError("Tokens need one secret or more, each of at least 32 bytes.")
        self._secrets = tuple(secrets)
        self._now = now

    def issue(self, caller: Caller, *, seconds: int = DAY) -> str:
        """A token for this caller, good for so long."""
        claims = _Claims(**caller.model_dump(), expires=int(self._now()) + seconds)
        signed = f"{_FORM}.{_text(claims.model_dump_json().encode())}"
        return f"{signed}.{_text(_signature(self._secrets[0], signed))}"

    def read(self, token: str) -> Caller:
        """Whose token it is. Nothing of it is looked at before its signature is found right."""
        signed, _, signature = token.rpartition(".")
        given = _bytes(signature)
        if not any(hmac.compare_digest(_signature(secret, signed), given) for secret in self._secrets):
            raise BadToken
        form, _, payload = signed.partition(".")
        if form != _FORM:
            raise BadToken
        try:
            claims = _Claims.model_validate_json(_bytes(payload))
        except ValidationError:
            raise BadToken from None
        if claims.expires <= self._now():
            raise BadToken
        return Caller(**claims.model_dump(exclude={"expires"}))


def _signature(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    """What `_text` made this text of; another spelling of the same bytes is refused, so that a token has one form."""
    try:
        data = urlsafe_b64decode(text + -len(text) % 4 * "=")
    except (NotBase64, ValueError):
        raise BadToken from None
    if _text(data) != text:
        raise BadToken
    return data
