"""The reference is what the code says today, and nothing in it is left unexplained."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import tablewright
from tablewright import errors
from tablewright.cli import app
from tablewright.client.settings import OpenOptions

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(generator: ModuleType) -> dict[str, str]:
    made: dict[str, str] = generator.pages()
    return made


def test_the_pages_are_up_to_date(pages: dict[str, str]) -> None:
    stored = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md")}
    assert stored == pages, "run: make docs"


def test_every_public_name_is_there(pages: dict[str, str]) -> None:
    assert [name for name in tablewright.__all__ if f"\n## `{name}" not in pages["names.md"]] == []


def test_every_method_of_a_session_is_there(pages: dict[str, str]) -> None:
    for cls in (tablewright.Session, tablewright.AsyncSession):
        public = [name for name in vars(cls) if not name.startswith("_")]
        assert [
            name
            for name in public
            if f"`{name}(" not in pages["session.md"] and f"`.{name}`" not in pages["session.md"]
        ] == []


def test_every_option_is_there_with_its_meaning(pages: dict[str, str]) -> None:
    assert [name for name in OpenOptions.__annotations__ if f"| `{name}` |" not in pages["open.md"]] == []
    assert "|  |" not in pages["open.md"]


def test_every_error_is_there_with_its_code(pages: dict[str, str]) -> None:
    kinds = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, errors.TablewrightError)]
    assert len(kinds) > 40
    assert [k.__name__ for k in kinds if f"**{k.__name__}** (`{k.code}`" not in pages["errors.md"]] == []


def test_every_command_is_there(pages: dict[str, str]) -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    assert [name for name in names if f"\n## tablewright {name}\n" not in pages["cli.md"]] == []


def test_nothing_depends_on_this_run(pages: dict[str, str]) -> None:
    assert [name for name, text in pages.items() if " at 0x" in text or "<object" in text] == []
