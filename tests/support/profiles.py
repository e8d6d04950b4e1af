"""How hard a run tries: the everyday run is repeatable, the full run draws fresh examples and prints its seed.

`--full` (or TABLEWRIGHT_FULL=1) adds the tests marked `full` and loads the hypothesis profile of the same name.
TABLEWRIGHT_MAX_EXAMPLES sets how many examples that profile draws.
"""

from __future__ import annotations

import os
import secrets

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "full",
    max_examples=int(os.environ.get("TABLEWRIGHT_MAX_EXAMPLES", "1000")),
    derandomize=False,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        default=os.environ.get("TABLEWRIGHT_FULL", "") not in ("", "0"),
        help="also run the tests marked full, with many more examples and a fresh seed",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # First, so that hypothesis finds the seed, and a profile named on the command line still wins over this one.
    full = config.getoption("--full")
    settings.load_profile("full" if full else "ci")
    if full and config.getoption("--hypothesis-seed") is None:
        # Through the environment, so that xdist's workers draw with the seed that is printed.
        config.option.hypothesis_seed = os.environ.setdefault("TABLEWRIGHT_SEED", str(secrets.randbits(32)))


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.getoption("--hypothesis-seed")
    return [] if seed is None else [f"hypothesis seed {seed}: repeat with make test-full SEED={seed}"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    only_full = [item for item in items if item.get_closest_marker("full")]
    if only_full:
        config.hook.pytest_deselected(items=only_full)
        items[:] = [item for item in items if not item.get_closest_marker("full")]
