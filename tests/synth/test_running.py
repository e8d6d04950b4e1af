"""A design that cannot be run is told with the line that is wrong."""

from pathlib import Path

import pytest

from tablewright.errors import ArgumentError, ModelError, PatternError, TablewrightError
from tablewright.synth.proposal import read_design

DESIGN = """from tablewright import *
toys = Design("Toys")
class Toy(Entity, table=toys, identity=["toy_id"]):
    toy_id: str
"""


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        (
            "@toys.pattern\ndef toy(toy_id: str) -> Get[Toy]:\n    return get(Toy, Toy.toyid == toy_id)\n",
            PatternError,
            "design.py:7: the pattern toy() cannot be read: AttributeError: Toy has no field 'toyid'. Did you mean 'toy_id'?",
        ),
        ("Design('?')\n", ModelError, "design.py:5: '?' cannot be the name of a table."),
        ("def\n", ArgumentError, "design.py:5: SyntaxError: invalid syntax"),
    ],
    ids=["field", "name", "syntax"],
)
def test_the_line_is_told(tmp_path: Path, text: str, kind: type[TablewrightError], told: str) -> None:
    path = tmp_path / "design.py"
    path.write_text(DESIGN + text, encoding="utf-8")
    with pytest.raises(kind) as caught:
        read_design(path)
    assert caught.value.message == f"{tmp_path}/{told}"
