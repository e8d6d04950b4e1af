"""The command line: help with examples, exit codes, and errors without tracebacks."""

import subprocess
import sys
from keyword import iskeyword
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tablewright
from tablewright import cli
from tablewright.errors import ConfigError

COMMANDS = sorted(
    command.name or command.callback.__name__ for command in cli.app.registered_commands if command.callback
)


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tablewright.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


def test_there_are_commands() -> None:
    assert COMMANDS == [
        "adopt",
        "advise",
        "capacity",
        "check",
        "cost",
        "dal",
        "demo",
        "diff",
        "explore",
        "export",
        "generate",
        "import",
        "infer",
        "lint",
        "load",
        "new",
        "seed",
        "serve",
        "tables",
        "test-patterns",
        "validate",
        "verify",
        "version",
    ]


def test_help_lists_every_command_with_a_whole_sentence() -> None:
    result = CliRunner().invoke(cli.app, ["--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    lines = result.output.splitlines()
    for name in COMMANDS:
        (line,) = [line for line in lines if line.strip().startswith(f"{name} ")]
        assert line.endswith(".")
        assert not line.endswith("...")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example(name: str) -> None:
    result = CliRunner().invoke(cli.app, [name, "--help"])
    assert result.exit_code == 0
    assert f"Example: tablewright {name}" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_file_of_its_own(name: str) -> None:
    file = f"{name}_.py" if iskeyword(name) else f"{name.replace('-', '_')}.py"
    assert (Path(cli.__file__).parent / file).is_file()


def test_version() -> None:
    done = run("version")
    assert done.returncode == 0
    assert done.stdout.startswith(f"tablewright {tablewright.__version__} (Python 3.")


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_an_option_too(option: str) -> None:
    done = run(option)
    assert (done.returncode, done.stdout) == (0, run("version").stdout)


@pytest.mark.parametrize("arguments", [["version"], ["--help"], ["nothing"]])
def test_the_package_can_be_run_as_a_module(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "tablewright", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    same = run(*arguments)
    assert done.returncode == same.returncode
    assert done.stdout.partition("\n")[2] == same.stdout.partition("\n")[2]


@pytest.mark.parametrize("arguments", [["nothing"], ["demo", "--colour"], ["version", "extra"]])
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_of_ours_is_a_message_and_1(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("These are my notes, and no database.\n" * 100, encoding="utf-8")
    done = run("demo", "--file", "notes.txt", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    message, hint, code = done.stderr.splitlines()
    assert message.startswith("Error: ")
    assert "not a Tablewright file" in message
    assert hint
    assert code == "(FileFormatError, FILE_FORMAT)"
    assert other.read_text(encoding="utf-8").startswith("These are my notes")


def test_an_error_without_a_hint_has_no_empty_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ConfigError("It does not work.")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "Error: It does not work.\n(ConfigError, CONFIG_ERROR)\n"


def test_help_does_not_load_what_only_the_demo_needs() -> None:
    code = "import sys, tablewright.cli; print('rich.table' in sys.modules, 'pygments' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["design", "relationship", "1:3"],
            "Invalid value for 'cardinality': '1:3' is not one of '1:1', '1:N', 'M:N'.",
        ),
        (["lint", "--severity", "grave"], "'grave' is not one of 'error', 'warning', 'info'."),
    ],
    ids=["argument", "option"],
)
def test_a_choice_that_there_is_not_is_told_plainly(arguments: list[str], told: str) -> None:
    done = CliRunner().invoke(cli.app, arguments)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())
    assert "Value error" not in done.stderr
