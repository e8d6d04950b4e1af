"""The reference is what the code says today, and nothing in it is left unexplained."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import Struct

import tablewright
import tablewright.evolve.jobs
import tablewright.evolve.migrations
import tablewright.evolve.moving
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
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)  # it is run as a script, which finds its neighbours
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(generator: ModuleType) -> dict[str, str]:
    made: dict[str, str] = generator.pages()
    return made


def test_the_pages_are_up_to_date(pages: dict[str, str]) -> None:
    folder = DOCS / "reference"
    stored = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    assert stored == pages, "run: make docs"


def test_every_public_name_is_there(pages: dict[str, str]) -> None:
    assert [name for name in tablewright.__all__ if f"\n## `{name}" not in pages["names.md"]] == []


def test_every_name_of_the_packages_of_evolution_is_there_and_explained(pages: dict[str, str]) -> None:
    for module in (tablewright.evolve.jobs, tablewright.evolve.migrations, tablewright.evolve.moving):
        page = pages[f"{module.__name__.rpartition('.')[2]}.md"]
        for name in module.__all__:
            told = re.sub(r"```py\n.*?\n```", "", section(page, name), flags=re.DOTALL)
            assert told.strip()[:1].isupper(), name
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, Struct):
                fields = value.__struct_fields__
                shown = section(page, name)
                missing = [f for f in fields if f"- `.{f}` (" not in shown and not re.search(rf"\b{f}: \w", shown)]
                assert missing == [], name


def test_what_a_step_is_carried_out_by_is_no_reference(pages: dict[str, str]) -> None:
    assert "**`run(" not in pages["migrations.md"]
    assert "Ground" not in pages["migrations.md"]


def test_every_method_of_a_session_is_there(pages: dict[str, str]) -> None:
    for cls in (tablewright.Session, tablewright.AsyncSession):
        public = [name for name in vars(cls) if not name.startswith("_")]
        assert [
            name
            for name in public
            if f"`{name}(" not in pages["session.md"] and f"`.{name}`" not in pages["session.md"]
        ] == []


def test_the_methods_of_a_session_are_grouped_and_typed(pages: dict[str, str]) -> None:
    assert (
        "\n### Reading\n\n- **`get(target: Target[E], *, consistent: bool = False) -> E | None`**"
        in pages["session.md"]
    )
    assert 'returns: Literal["new", "old", "none"] = "new") -> E | None`**' in pages["session.md"]  # of all overloads
    assert "-> AbstractContextManager[Meter]\n" in pages["testing.md"]  # of a generator that is entered
    assert "`note(" not in pages["session.md"]


def section(page: str, name: str) -> str:
    return page.split(f"\n## `{name}`\n", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]


def test_a_table_is_there_with_what_it_declares_explains_and_opens(pages: dict[str, str]) -> None:
    told = section(pages["names.md"], "Table")
    public = ("pattern", "change", "relate", "explain", "catalogue", "find_pattern", "index", "open", "open_async")
    assert [name for name in public if f"**`{name}(" not in told] == []
    assert "on_entity" not in told


def test_every_record_is_there_with_its_fields(pages: dict[str, str]) -> None:
    exported = {name: getattr(tablewright, name) for name in tablewright.__all__}
    opaque = ("Query", "Get", "Collection", "Mixed", "BatchWriter")  # made of what the compiler needs
    records = {n: c for n, c in exported.items() if isinstance(c, type) and issubclass(c, Struct) and n not in opaque}
    assert len(records) > 30
    for name, record in records.items():
        told = section(pages["names.md"], name)
        fields = record.__struct_fields__
        assert [
            field for field in fields if f"- `.{field}` (" not in told and not re.search(rf"\b{field}: \w", told)
        ] == [], name


def test_every_option_is_there_with_its_meaning(pages: dict[str, str]) -> None:
    assert [name for name in OpenOptions.__annotations__ if f"| `{name}` |" not in pages["open.md"]] == []
    assert "|  |" not in pages["open.md"]


def test_every_error_is_there_with_its_code(pages: dict[str, str]) -> None:
    kinds = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, errors.TablewrightError)]
    assert len(kinds) > 40
    assert [k.__name__ for k in kinds if f"**{k.__name__}** (`{k.code}`" not in pages["errors.md"]] == []


def test_every_command_is_there(pages: dict[str, str]) -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        commands = group.typer_instance.registered_commands
        names += [f"{group.typer_instance.info.name} {c.name or c.callback.__name__}" for c in commands if c.callback]
    assert "design status" in names
    assert [name for name in names if f"\n## tablewright {name}\n" not in pages["cli.md"]] == []


def test_nothing_depends_on_this_run(pages: dict[str, str]) -> None:
    assert [name for name, text in pages.items() if " at 0x" in text or "<object" in text] == []
