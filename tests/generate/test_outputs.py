"""The list of outputs, and what holds for every one of them."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tablewright import GSI, AttributeNames, Entity, Keys, KeyStyle, Query, Table, number, query
from tablewright.errors import ArgumentError
from tablewright.generate.material import Material
from tablewright.generate.outputs import OUTPUTS, outputs_named
from tests.generate.every_feature import school

BY_NAME = {output.name: output for output in OUTPUTS}


def test_names_and_files_are_different() -> None:
    assert len(BY_NAME) == len(OUTPUTS)
    names = [name for output in OUTPUTS for name in output.files(Material(school.plan))]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_an_output_says_what_it_is(name: str) -> None:
    output = BY_NAME[name]
    assert output.description.endswith(".")
    assert all(part.strip() for part in (output.filename, output.description))
    for text in output.files(Material(school.plan)).values():
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def plain() -> Table:
    """A table as others make them: a number for a key, no sort key, an index that nobody uses."""
    table = Table("Plain", pk=number("id"), sk=None, indexes=[GSI("Unused")])

    class Thing(Entity, table=table, timestamps=False):
        keys = Keys("{id}")
        id: int
        name: str | None = None

    return table


def adopted() -> Table:
    """A table that was there before, with separators of its own."""
    style = KeyStyle.adopted(separator="|")
    table = Table("Adopted", key_style=style, names=AttributeNames.lower(), indexes=[GSI("gsi1")])

    class Account(Entity, table=table):
        keys = Keys("ACCT|{number}", "{kind}|{mail}", gsi1=("MAIL|{mail}|{kind}", "ACCT|{number}"))
        number: str
        mail: str
        kind: str

    @table.pattern
    def by_mail(mail: str, kind: str) -> Query[Account]:
        return query(Account, Account.mail == mail, Account.kind == kind)

    return table


@pytest.mark.parametrize("make", [plain, adopted, lambda: Table("Nothing")], ids=["plain", "adopted", "empty"])
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_any_table_can_be_turned_into_anything(name: str, make: Callable[[], Table]) -> None:
    for text in BY_NAME[name].files(Material(make().plan)).values():
        assert text


def test_an_adopted_table_tells_what_is_not_proved() -> None:
    table = adopted()
    assert table.plan.warnings
    book = BY_NAME["book"].files(Material(table.plan))["design-book.md"]
    assert "What could not be proved:" in book
    assert "`ACCT|{number}`" in book.replace("\\|", "|")


def test_outputs_are_found_by_name_in_the_order_of_the_list() -> None:
    assert [o.name for o in outputs_named(["patterns", "erd"])] == ["erd", "patterns"]
    assert outputs_named([]) == list(OUTPUTS)
    with pytest.raises(ArgumentError, match=r"'pattern'\. Did you mean 'patterns'"):
        outputs_named(["pattern"])


def test_the_same_model_makes_the_same_bytes() -> None:
    """In processes whose sets have other orders."""
    code = (
        "import hashlib\n"
        "from tablewright.generate.material import Material\n"
        "from tablewright.generate.outputs import OUTPUTS\n"
        "from tests.generate.every_feature import school\n"
        "for output in OUTPUTS:\n"
        "    for name, text in output.files(Material(school.plan)).items():\n"
        "        print(name, hashlib.sha256(text.encode()).hexdigest())\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True
        )
        for seed in ("1", "2")
    ]
    first, second = (process.communicate()[0] for process in running)
    assert [process.returncode for process in running] == [0, 0]
    assert "design-book.html" in first
    assert first.splitlines() == second.splitlines()
