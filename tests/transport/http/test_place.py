"""Where requests go and who signs them: what the environment says by itself, and what botocore is asked."""

from __future__ import annotations

import asyncio
import datetime
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import RefreshableCredentials
from botocore.exceptions import CredentialRetrievalError

from tablewright.errors import ConfigError
from tablewright.transport.http import place
from tablewright.transport.http.address import Address
from tablewright.transport.http.aio import AsyncHttpTransport
from tablewright.transport.http.credentials import MADE_UP, Credentials, Fixed, FromBotocore, from_environment
from tablewright.transport.http.place import Place, find_place
from tablewright.transport.http.route import Route
from tests.transport.http.rogue import Caller, Rogue

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}
BARE = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that says nothing."""
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    for name, value in BARE.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two files of AWS's tools."""
    config, credentials = tmp_path / "config", tmp_path / "credentials"
    config.write_text(
        "[default]\nregion = eu-north-1\n[profile other]\nregion = eu-south-1\nendpoint_url = http://other.test\n"
        "ca_bundle = /other.pem\n"
    )
    credentials.write_text(
        "[default]\naws_access_key_id = FILE\naws_secret_access_key = secret\n"
        "[other]\naws_access_key_id = OTHER\naws_secret_access_key = secret\naws_session_token = token\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(credentials))


def no_botocore(*_: Any, **__: Any) -> Place:
    raise AssertionError("botocore was asked")


# -------------------------------------------------------------------------------------------- without botocore


@pytest.mark.parametrize(
    ("region", "endpoint", "variables", "url", "signed_for", "access_key"),
    [
        (None, "http://localhost:8000", {}, "http://localhost:8000", "us-east-1", "local"),
        ("eu-west-1", "http://localhost:8000", {}, "http://localhost:8000", "eu-west-1", "local"),
        (None, "http://localhost:8000", KEYS, "http://localhost:8000", "us-east-1", "AKIDEXAMPLE"),
        ("eu-west-1", None, KEYS, "https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1", "AKIDEXAMPLE"),
        (
            "ap-southeast-2",
            None,
            KEYS,
            "https://dynamodb.ap-southeast-2.amazonaws.com",
            "ap-southeast-2",
            "AKIDEXAMPLE",
        ),
        ("eu-west-1", "https://tables.test", KEYS, "https://tables.test", "eu-west-1", "AKIDEXAMPLE"),
    ],
)
def test_what_the_environment_says_by_itself(
    monkeypatch: pytest.MonkeyPatch,
    region: str | None,
    endpoint: str | None,
    variables: dict[str, str],
    url: str,
    signed_for: str,
    access_key: str,
) -> None:
    monkeypatch.setattr(place, "_ask_botocore", no_botocore)
    found = find_place(region, endpoint, None, {**BARE, **variables})
    assert (found.url, found.region) == (url, signed_for)
    assert found.credentials.fetch().access_key == access_key


@pytest.mark.parametrize(
    ("region", "endpoint", "profile", "variables"),
    [
        ("eu-west-1", None, None, {}),
        (None, None, None, KEYS),
        ("cn-north-1", None, None, KEYS),
        ("us-gov-west-1", None, None, KEYS),
        ("eu-west-1", None, None, {**KEYS, "AWS_USE_FIPS_ENDPOINT": "true"}),
        ("eu-west-1", None, None, {**KEYS, "AWS_PROFILE": "x"}),
        ("eu-west-1", None, None, {**KEYS, "AWS_CREDENTIAL_EXPIRATION": "2026-01-01T00:00:00Z"}),
        ("eu-west-1", None, "x", KEYS),
        (None, "http://localhost:8000", "x", KEYS),
        (None, "http://localhost:8000", None, {"AWS_PROFILE": "x"}),
        ("eu-west-1", "https://tables.test", None, {}),
    ],
    ids=range(11),
)
def test_what_only_botocore_knows(
    monkeypatch: pytest.MonkeyPatch,
    region: str | None,
    endpoint: str | None,
    profile: str | None,
    variables: dict[str, str],
) -> None:
    monkeypatch.setattr(place, "_ask_botocore", no_botocore)
    with pytest.raises(AssertionError, match="botocore was asked"):
        find_place(region, endpoint, profile, {**BARE, **variables})


def test_keys_of_the_environment() -> None:
    assert from_environment({}) is None
    assert from_environment({"AWS_ACCESS_KEY_ID": "a"}) is None
    assert from_environment(KEYS) == Credentials("AKIDEXAMPLE", "secret")
    assert from_environment({**KEYS, "AWS_SESSION_TOKEN": "t"}) == Credentials("AKIDEXAMPLE", "secret", "t")


def test_local_targets_and_lambda_functions_load_no_botocore() -> None:
    program = """
import sys
sys.modules["botocore"] = None  # whoever imports it now fails
from tablewright import Entity, Keys, Table
from tablewright.errors import ConfigError
table = Table("Things")
class Thing(Entity, table=table):
    keys = Keys("THING#{name}", "THING#{name}")
    name: str
for target in ("http://localhost:8000", "aws:eu-west-1"):
    table.open(target).close()
    table.open_async(target)
assert "asyncio" in sys.modules
try:
    table.open("aws:cn-north-1")
except ConfigError as error:
    assert "tablewright[aws]" in str(error), error
else:
    raise AssertionError("opened without botocore")
"""
    environment = {**os.environ, **BARE, **KEYS}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ----------------------------------------------------------------------------------------------- with botocore


def test_regions_elsewhere_and_variants_have_other_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_place("cn-north-1", None, None, os.environ).url == "https://dynamodb.cn-north-1.amazonaws.com.cn"
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")
    assert find_place("us-east-1", None, None, os.environ).url == "https://dynamodb-fips.us-east-1.amazonaws.com"


def test_no_region_no_endpoint() -> None:
    with pytest.raises(ConfigError, match="region"):
        find_place(None, None, None, os.environ)
    with pytest.raises(ConfigError, match="no AWS profile 'nobody'"):
        find_place("eu-west-1", None, "nobody", os.environ)
    with pytest.raises(ConfigError):
        find_place("not a region!", None, None, os.environ)


@pytest.mark.usefixtures("files")
def test_profiles(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = find_place(None, None, None, os.environ)
    assert (usual.url, usual.region) == ("https://dynamodb.eu-north-1.amazonaws.com", "eu-north-1")
    assert usual.credentials.fetch().access_key == "FILE"
    other = find_place(None, None, "other", os.environ)
    assert (other.url, other.region, other.ca_bundle) == ("http://other.test", "eu-south-1", "/other.pem")
    assert other.credentials.fetch() == Credentials("OTHER", "secret", "token")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    assert find_place(None, None, None, os.environ).credentials.fetch().access_key == "AKIDEXAMPLE"
    assert find_place(None, None, "other", os.environ).credentials.fetch().access_key == "OTHER"


@pytest.mark.usefixtures("files")
def test_a_local_endpoint_is_signed_for_as_the_files_say() -> None:
    local = find_place(None, "http://localhost:8000", None, os.environ)
    assert (local.url, local.region) == ("http://localhost:8000", "eu-north-1")
    assert local.credentials.fetch().access_key == "FILE"


def test_a_local_endpoint_makes_its_credentials_up_if_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "config"
    empty.write_text("")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(empty))
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")  # nobody is asked over the network
    local = find_place(None, "http://localhost:8000", None, os.environ)
    assert isinstance(local.credentials, FromBotocore)
    assert local.credentials.fetch() == MADE_UP
    assert not local.credentials.due


def test_no_credentials_at_all(kind: str) -> None:
    found = find_place("eu-west-1", "https://127.0.0.1:1", None, os.environ)
    with Caller(kind, "http://127.0.0.1:1", credentials=found.credentials) as caller:
        for _ in range(2):
            with pytest.raises(ConfigError, match="no AWS credentials"):
                caller.send()


# ------------------------------------------------------------------------------- credentials that are refreshed


class Session:
    """A session whose credentials end, as those of a role do."""

    def __init__(self) -> None:
        self.clock = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
        self.fetched = 0
        self.threads: set[int] = set()
        self.fails = False

    def get_credentials(self) -> Any:
        first = self._fetch()
        keys = (first["access_key"], first["secret_key"], first["token"])
        end = datetime.datetime.fromisoformat(first["expiry_time"])
        return RefreshableCredentials(*keys, end, self._fetch, "role", time_fetcher=lambda: self.clock)

    def _fetch(self) -> dict[str, str]:
        if self.fails:
            raise CredentialRetrievalError(provider="role", error_msg="no")
        self.fetched += 1
        self.threads.add(threading.get_ident())
        end = self.clock + datetime.timedelta(hours=1)
        return {
            "access_key": f"KEY{self.fetched}",
            "secret_key": "secret",
            "token": "token",
            "expiry_time": end.isoformat(),
        }


def credential_of(message: bytes) -> str:
    return message.partition(b"Credential=")[2].partition(b"/")[0].decode()


class Clock:
    """Our own clock, which tells when to look again."""

    def __init__(self) -> None:
        self.now = 1_770_000_000.0

    def __call__(self) -> float:
        return self.now


def test_credentials_are_refreshed_before_they_end() -> None:
    session, clock = Session(), Clock()
    with Rogue() as server, Caller("sync", server.url, credentials=FromBotocore(session), now=clock) as caller:
        caller.send()
        caller.send()
        assert session.fetched == 1
        session.clock += datetime.timedelta(minutes=50)
        caller.send()
        assert session.fetched == 1, "looked at once a second"
        clock.now += 1
        caller.send()
        assert [credential_of(r) for r in server.requests] == ["KEY1", "KEY1", "KEY1", "KEY2"]


def test_a_refresh_does_not_hold_up_the_event_loop() -> None:
    """It runs in a thread; requests go on with the old ones while these are good, and wait for the new ones when not."""
    session = Session()
    source = FromBotocore(session)
    with Rogue() as server:

        async def work() -> None:
            transport = AsyncHttpTransport(Route(Address.parse(server.url)), "us-east-1", source)

            async def send_after(minutes: int) -> None:
                session.clock += datetime.timedelta(minutes=minutes)
                transport._next_look = 0.0
                transport._signer._second.number = -1
                await asyncio.gather(*(transport.send("GetItem", {}) for _ in range(3)))

            await send_after(0)
            assert session.fetched == 1
            await send_after(50)  # before long: in the background
            assert transport._fetching is not None
            await transport._fetching
            await send_after(0)
            assert session.fetched == 2
            await send_after(60)  # over: waited for
            assert session.fetched == 3
            session.fails = True
            await send_after(50)  # cannot be had just now, but the old ones are good
            await transport.close()

        asyncio.run(work())
        assert threading.get_ident() not in session.threads
        used = [credential_of(r) for r in server.requests]
        assert used[:6] == ["KEY1"] * 6
        assert used[6:] == ["KEY2"] * 3 + ["KEY3"] * 6


def test_credentials_that_cannot_be_had(kind: str) -> None:
    session = Session()
    session.fails = True
    with Rogue() as server, Caller(kind, server.url, credentials=FromBotocore(session)) as caller:
        with pytest.raises(ConfigError, match="CredentialRetrievalError"):
            caller.send()
        session.fails = False
        assert caller.send() == {}
        assert server.requests != []


def test_fixed_ones_stay() -> None:
    source = Fixed(MADE_UP)
    assert (source.known, source.fetch(), source.due, source.ended) == (MADE_UP, MADE_UP, False, False)
