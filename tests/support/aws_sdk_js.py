"""The AWS SDK for JavaScript for tests, through the fixture `run_node`. `make aws-sdk-js` installs it.

Where it or node is missing such tests are skipped, or fail when TABLEWRIGHT_REQUIRE_AWS_SDK_JS is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REQUIRED = "TABLEWRIGHT_REQUIRE_AWS_SDK_JS"


def find_modules() -> Path | None:
    """The folder of modules that `make aws-sdk-js` filled."""
    done = max(ROOT.glob(".tools/aws-sdk-js-*/.installed"), default=None)
    return done.parent / "node_modules" if done is not None else None


@pytest.fixture(scope="session")
def run_node() -> Callable[..., str]:
    """Runs a script in which `require("@aws-sdk/…")` works; gives what it printed."""
    modules = find_modules()
    if modules is None or shutil.which("node") is None:
        missing = "make aws-sdk-js installs it" if modules is None else "there is no node on the path"
        reason = f"The AWS SDK for JavaScript is not available: {missing}"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{reason} ({REQUIRED} is set)", pytrace=False)
        pytest.skip(reason)

    def run(script: Path, *arguments: str) -> str:
        environment = os.environ | {"NODE_PATH": str(modules)}
        command = ["node", "--no-warnings", str(script), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
