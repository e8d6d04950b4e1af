"""The command: it issues tokens for a service with the same secret, and starts one with seed data in it."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from examples.surveyor.web.__main__ import PEOPLE, main
from examples.surveyor.web.settings import Settings
from examples.surveyor.web.tokens import Caller, Tokens

SECRET = 40 * "s"


def test_it_issues_tokens(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SURVEYOR_SECRET", SECRET)
    main(["token", "acme", "ann", "--manager"])
    issued = capsys.readouterr().out.strip()
    read = Tokens([Settings(secret=SECRET.encode()).token_secret]).read(issued)
    assert read == Caller(tenant_id="acme", user_id="ann", manager=True)


def test_a_token_needs_the_secret_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SURVEYOR_SECRET", raising=False)
    with pytest.raises(SystemExit, match="Set SURVEYOR_SECRET"):
        main(["token", "acme", "ann"])


@pytest.mark.full
def test_it_starts_with_one_command() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-u", "-m", "examples.surveyor.web", "--port", str(port), "--debug"]
    root = Path(__file__).parents[4]
    with subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            said = ""
            for line in process.stdout:
                said += line
                if "Uvicorn running" in line:
                    break
            ann, *rest = re.findall(r"surveyor1\.\S+", said)
            assert len(rest) == len(PEOPLE) - 1, said
            url = f"http://127.0.0.1:{port}/surveys/elm-12"
            answer = httpx.get(url, headers={"Authorization": f"Bearer {ann}"}, timeout=60)
            assert answer.json()["title"] == "12 Elm Street"
            assert answer.headers["Database-Requests"] == "2"
        finally:
            process.terminate()
