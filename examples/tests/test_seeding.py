"""The seed data of each application is written by a program that says how it is called."""

import runpy
import sys
from pathlib import Path

import pytest

APPLICATIONS = ["blog", "kefir", "orders", "saas", "social", "surveyor"]


def run(application: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = f"examples.{application}.seed"
    monkeypatch.setattr(sys, "argv", [module, *arguments])
    monkeypatch.delitem(sys.modules, module, raising=False)  # as in a process of its own
    runpy.run_module(module, run_name="__main__")


@pytest.mark.parametrize("application", APPLICATIONS)
def test_without_a_file_it_says_how_it_is_called(
    application: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(application, monkeypatch=monkeypatch)
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert told.err.startswith(f"usage: python -m examples.{application}.seed [-h] file\n")


@pytest.mark.parametrize("application", APPLICATIONS)
def test_with_a_file_it_fills_it_and_says_with_how_much(
    application: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(application, str(tmp_path / "some.db"), monkeypatch=monkeypatch)
    number, words = capsys.readouterr().out.split(" ", 1)
    assert int(number) > 0
    assert words == "entities written.\n"
