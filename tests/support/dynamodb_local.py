"""AWS's own DynamoDB Local for tests: one server per run, started by the first test that asks for it.

A test gets it through the fixtures `dynamodb_local` (a boto3 client) or `dynamodb_local_url`; either marks the test
`dynamodb_local`. Where the server is not available such tests are skipped, or fail when
TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL is set. `make dynamodb-local` installs it; TABLEWRIGHT_DYNAMODB_LOCAL names another
folder that holds DynamoDBLocal.jar.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import dynamodb_local_keeper as keeper

ROOT = Path(__file__).parent.parent.parent
RUN_FOLDER = "TABLEWRIGHT_TEST_RUN_FOLDER"
REQUIRED = "TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL"
START_SECONDS = 60.0


def find_jar() -> Path | None:
    """The jar that `make dynamodb-local` unpacked, or the one that the environment names."""
    named = os.environ.get("TABLEWRIGHT_DYNAMODB_LOCAL")
    if named:
        jar = Path(named) / "DynamoDBLocal.jar"
        return jar if jar.is_file() else None
    return max(ROOT.glob(".tools/dynamodb-local-*/lib/*/DynamoDBLocal.jar"), default=None)


def why_unavailable() -> str | None:
    """What is missing, or None when the server can be started."""
    if find_jar() is None:
        return "DynamoDB Local is not available: make dynamodb-local installs it"
    if shutil.which("java") is None:
        return "DynamoDB Local is not available: there is no java on the path"
    return None


# --------------------------------------------------------------------------------- the run, shared by xdist's workers


def pytest_configure(config: pytest.Config) -> None:
    # The environment reaches the workers, so whoever finds no folder there is the process that the user started.
    if RUN_FOLDER not in os.environ:
        folder = tempfile.mkdtemp(prefix="tablewright-tests-")
        os.environ[RUN_FOLDER] = folder
        config.add_cleanup(lambda: _end_run(Path(folder)))


def _end_run(folder: Path) -> None:
    keeper.stop(folder)
    os.environ.pop(RUN_FOLDER, None)
    shutil.rmtree(folder, ignore_errors=True)


def _start_or_join(folder: Path, jar: Path) -> str:
    """The server's address; whoever makes the claim file first starts it, everybody waits for its address."""
    try:
        (folder / "claim").touch(exist_ok=False)
    except FileExistsError:
        pass
    else:
        owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        with (folder / "log").open("wb") as log_file:
            command = [sys.executable, keeper.__file__, str(folder), str(jar), str(owner)]
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log_file, stderr=log_file, check=True)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        url = keeper.address(folder)
        if url is not None:
            return url
        time.sleep(0.05)
    tail = (folder / "log").read_text(errors="replace")[-2000:]
    raise RuntimeError(f"DynamoDB Local did not start within {START_SECONDS:.0f} seconds. {tail}")


# ------------------------------------------------------------------------------------------------- what tests see


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "dynamodb_local_url" in getattr(item, "fixturenames", ()):
            item.add_marker("dynamodb_local")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("dynamodb_local") is None:
        return
    reason = why_unavailable()
    if reason is None:
        return
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason} ({REQUIRED} is set)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def dynamodb_local_url() -> str:
    """The address of the run's DynamoDB Local."""
    jar = find_jar()
    assert jar is not None, "tests that use it are skipped before their fixtures are made"
    return _start_or_join(Path(os.environ[RUN_FOLDER]), jar)


@pytest.fixture(scope="session")
def dynamodb_local(dynamodb_local_url: str) -> Iterator[Any]:
    """A boto3 client of the run's DynamoDB Local, without retries. All tests share its tables: name yours freshly."""
    import boto3
    from botocore.config import Config

    client = boto3.client(
        "dynamodb",
        endpoint_url=dynamodb_local_url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=60),
    )
    yield client
    client.close()


@pytest.fixture
def fresh_table_name() -> str:
    """A table name that no other test uses."""
    return f"test-{uuid.uuid4().hex}"
