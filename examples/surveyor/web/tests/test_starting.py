"""The command: it issues tokens for a service with the same secret, and starts one with seed data in it."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from examples.surveyor.web.__main__ import PEOPLE, main
from examples.surveyor.web.settings import Settings
from examples.surveyor.web.tokens import Caller, Tokens
from examples.surveyor.web.trying import running

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


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(SystemExit, match=r"needs uvicorn.* pip install fastapi uvicorn strawberry-graphql"):
        main([])


def test_everybody_is_what_the_list_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("uvicorn.run", lambda app, **_: None)
    main([])
    listed = capsys.readouterr().out
    with running(Settings(seeded=True)) as service:
        for caller, what in PEOPLE:
            assert f"{caller.user_id} of {caller.tenant_id}: {what}" in listed
            person = service.person(**caller.model_dump())
            seen = {each["survey_id"]: each["role"] for each in person.get("/surveys").json()["items"]}
            assert seen.get("elm-12") == (what.split()[0] if "elm-12" in what else None)
            assert (person.get("/sync/queue").status_code == 200) is ("manager" in what)
            assert (person.get("/operator/surveys").status_code == 200) is ("operator" in what)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_lines_of_the_readme_do_what_it_says() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (block,) = (each for each in re.findall(r"```sh\n(.*?)```", readme, re.DOTALL) if "curl" in each)
    lines = [line for line in block.splitlines() if line.startswith("curl")]
    with running(Settings(seeded=True, debug=True)) as service:
        token = service.person("ann").headers["Authorization"].removeprefix("Bearer ")
        told = [
            subprocess.run(  # noqa: S602 - our own commands, as a shell reads them
                line.replace("http://127.0.0.1:8000", service.url),
                shell=True,
                env={**os.environ, "TOKEN": token, "NO_PROXY": "*", "no_proxy": "*"},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for line in lines
        ]
    assert [int(each.split()[1]) for each in told] == [200, 200, 200, 409, 200]
    assert '"next":"' in told[1]
    assert '"version":2' in told[2]
    assert '"version":2' in told[3]
    assert "Slates missing" in told[4]


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
