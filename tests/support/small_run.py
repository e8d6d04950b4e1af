"""A test run inside a test: a folder with a few test files, run by a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def run_pytest(
    folder: Path, plugin: str, *options: str, environment: Mapping[str, str] | None = None, **sources: str
) -> tuple[int, str]:
    """Exit code and output of a run that has one plugin of ours and nothing of the run around it."""
    (folder / "conftest.py").write_text(f"pytest_plugins = ('tests.support.{plugin}',)\n", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  full\n  dynamodb_local\n", encoding="utf-8")
    for name, source in sources.items():
        (folder / f"test_{name}.py").write_text(source, encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TABLEWRIGHT_"))}
    clean |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(environment or {})}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout
