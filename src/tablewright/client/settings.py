"""Settings of a session: what is given wins over the environment, and wrong values fail at construction."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct, field

from tablewright.client.retry import RetryPolicy
from tablewright.errors import ConfigError
from tablewright.later import later
from tablewright.model.entity import Entity, did_you_mean

if TYPE_CHECKING:
    from tablewright.client import caching
    from tablewright.observe import collector
else:
    later(globals(), "tablewright.client", "caching")
    later(globals(), "tablewright.observe", "collector")

_TABLE_NAME = r"[A-Za-z0-9_.-]{3,255}"
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


class OpenOptions(TypedDict, total=False):
    """The keywords of `table.open(...)`, all of them optional.

    `create`: make the table if it is missing (by default only in memory, in a file and in an engine). `stage`: fills in
    {stage} of the table's name. `table_name`: another name altogether. `retry`: when and how often failed requests are
    sent again. `cursor_keys`: secrets for page cursors, newest first. `cursor_max_age`: seconds until a cursor expires.
    `tenant`: binds cursors to one tenant. `timeout`: seconds that one call may take in all, retries and pauses
    included; no limit by default. `hide_expired`: leave out what its time to live has ended for, though it is not
    deleted yet. `cache`: a ReadCache for single items, shared by the sessions on one table that are given the same one.
    `upgrade_on_read`: write items of an older schema version back as the newer ones that they are read as.
    `write_versions`: the older schema version to write of an entity, by the entity, while older code runs as well.
    `observe`: a Collector, which counts every request: statistics and advice come from it.
    `clock`: where time comes from, for tests. `token`: where the idempotency tokens of transactions come from, for
    tests.

    For targets reached over HTTP: `profile`: whose credentials and region to use, of those in AWS's files. `ca_bundle`: the
    certificates to trust instead of the system's, a PEM file or a folder. `connect_timeout`: seconds to wait for a
    connection; 5. `read_timeout`: seconds to wait for the next bytes of a reply; 5. `max_connections`: how many are kept
    open, and in an async session also used at once; 50.
    """

    create: bool
    stage: str
    table_name: str
    retry: RetryPolicy
    cursor_keys: Sequence[bytes]
    cursor_max_age: float
    tenant: str
    timeout: float
    hide_expired: bool
    upgrade_on_read: bool
    write_versions: Mapping[type[Entity], int]
    cache: caching.ReadCache
    observe: collector.Collector | None
    clock: Callable[[], datetime]
    token: Callable[[], str]
    profile: str
    ca_bundle: str | os.PathLike[str]
    connect_timeout: float
    read_timeout: float
    max_connections: int


def _now() -> datetime:
    return datetime.now(UTC)


def _token() -> str:
    return secrets.token_hex(16)


class SessionOptions(Struct, frozen=True):
    """The options that a table was opened with, checked and with defaults; OpenOptions says what each means."""

    create: bool | None = None
    stage: str | None = None
    table_name: str | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    cursor_keys: Sequence[bytes] = ()
    cursor_max_age: float | None = None
    tenant: str | None = None
    timeout: float | None = None
    hide_expired: bool = False
    upgrade_on_read: bool = False
    write_versions: Mapping[type[Entity], int] = field(default_factory=dict)
    cache: caching.ReadCache | None = None
    observe: collector.Collector | None = None
    clock: Callable[[], datetime] = _now
    token: Callable[[], str] = _token
    profile: str | None = None
    ca_bundle: str | os.PathLike[str] | None = None
    connect_timeout: float = 5.0
    read_timeout: float = 5.0
    max_connections: int = 50

    def __repr__(self) -> str:
        return "SessionOptions(...)"  # it holds secrets

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> SessionOptions:
        """Checks keywords; an unknown one is refused."""
        known = cls.__struct_fields__
        for name in given:
            if name not in known:
                raise ConfigError(f"open() has no option {name!r}.{did_you_mean(name, known)}")
        options = cls(**given)
        for name, expected, fine in (
            ("create", "True or False", isinstance(options.create, bool | None)),
            ("stage", "a non-empty text", _text(options.stage)),
            ("table_name", "a non-empty text", _text(options.table_name)),
            ("tenant", "a non-empty text", _text(options.tenant)),
            ("hide_expired", "True or False", isinstance(options.hide_expired, bool)),
            ("upgrade_on_read", "True or False", isinstance(options.upgrade_on_read, bool)),
            ("write_versions", "a mapping from entities to versions", isinstance(options.write_versions, Mapping)),
            ("cache", "a ReadCache", options.cache is None or isinstance(options.cache, caching.ReadCache)),
            ("observe", "a Collector", options.observe is None or isinstance(options.observe, collector.Collector)),
            ("retry", "a RetryPolicy", isinstance(options.retry, RetryPolicy)),
            ("cursor_max_age", "a positive number of seconds", _positive_or_none(options.cursor_max_age)),
            ("timeout", "a positive number of seconds", _positive_or_none(options.timeout)),
            ("clock", "a function", callable(options.clock)),
            ("token", "a function", callable(options.token)),
            ("profile", "a non-empty text", _text(options.profile)),
            ("ca_bundle", "a path", isinstance(options.ca_bundle, os.PathLike) or _text(options.ca_bundle)),
            ("connect_timeout", "a positive number of seconds", _positive(options.connect_timeout, int | float)),
            ("read_timeout", "a positive number of seconds", _positive(options.read_timeout, int | float)),
            ("max_connections", "a positive whole number", _positive(options.max_connections, int)),
        ):
            if not fine:
                raise ConfigError(f"The option {name} of open() must be {expected}.")
        now: object = options.clock()
        if not isinstance(now, datetime) or now.tzinfo is None:
            raise ConfigError("The clock gives no times with a time zone.", hint="Use datetime.now(UTC).")
        return options


def check_table_name(name: str) -> None:
    """Refuses a name that the service would refuse, such as one with an unfit stage in it."""
    if not re.fullmatch(_TABLE_NAME, name):
        raise ConfigError(
            f"{name!r} cannot be the name of a table.",
            hint="DynamoDB wants 3 to 255 characters out of letters, digits, '_', '-' and '.'.",
        )


def _positive_or_none(value: object) -> bool:
    return value is None or _positive(value, int | float)


def _text(value: object) -> bool:
    return value is None or (isinstance(value, str) and bool(value))


def _positive(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and value > 0


class Environment(Struct, frozen=True):
    """What the environment says."""

    region: str | None = None
    endpoint: str | None = None
    stage: str | None = None
    debug: bool = False

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> Environment:
        """Reads AWS_REGION (or AWS_DEFAULT_REGION), AWS_ENDPOINT_URL_DYNAMODB (or AWS_ENDPOINT_URL), TABLEWRIGHT_STAGE and
        TABLEWRIGHT_DEBUG."""
        env = os.environ if variables is None else variables
        return cls(
            region=env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or None,
            endpoint=env.get("AWS_ENDPOINT_URL_DYNAMODB") or env.get("AWS_ENDPOINT_URL") or None,
            stage=env.get("TABLEWRIGHT_STAGE") or None,
            debug=_boolean(env, "TABLEWRIGHT_DEBUG"),
        )


def _boolean(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "").strip().lower()
    if text in _TRUE:
        return True
    if not text or text in _FALSE:
        return False
    raise ConfigError(f"{name} is neither true nor false.", hint="Use true, false, 1 or 0.")
