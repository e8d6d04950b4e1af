"""`tablewright serve`: what is wrong is found before it starts, and leaves nothing behind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "tablewright", "serve"]


def refused(folder: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ready-file", "missing/server.url"], "could not be written"),
        (["--buckets", "missing"], "There is no folder missing"),
        (["--access-key", "a", "--secret-key", "b"], "nothing would check them"),
        (["--secret-key", "b"], "nothing would check them"),
        (["--verify-signatures", "--access-key", "a"], "no keys to verify signatures with"),
        (["--fault", "sabotage"], "There is no fault"),
        (["--host", "0.0.0.0"], "would let anyone on the network"),
    ],
    ids=["ready file", "buckets", "both keys", "one key", "half a pair", "fault", "network"],
)
def test_what_is_wrong_is_told_before_it_starts(tmp_path: Path, arguments: list[str], says: str) -> None:
    told = refused(tmp_path, "tables.db", "--port", "0", *arguments, AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")
    assert says in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("aws:eu-west-1", "a name of AWS"),
        ("http://localhost:8000", "a URL"),
        ("memory", "'memory:'"),
        (".", "a folder"),
    ],
)
def test_names_that_are_meant_for_elsewhere_make_no_file(tmp_path: Path, file: str, says: str) -> None:
    assert says in refused(tmp_path, file, "--port", "0")
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_leaves_no_file_behind(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = refused(tmp_path, "tables.db", "--port", str(taken.getsockname()[1]))
    assert "cannot be had" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", ["option", "environment"])
def test_verbose(tmp_path: Path, how: str) -> None:
    ready = tmp_path / "server.url"
    command = [*COMMAND, "--port", "0", "--ready-file", str(ready), *(["--verbose"] if how == "option" else [])]
    # Keys in the environment are for others, and no reason to refuse.
    env = os.environ | {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    env |= {"TABLEWRIGHT_DEBUG": "1"} if how == "environment" else {}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            with urllib.request.urlopen(f"{url}/ping") as reply:
                assert reply.status == 200
        finally:
            server.terminate()
        assert server.stderr is not None
        assert " GET /ping 200 " in server.stderr.read()
    assert not ready.exists()
