"""Diagrams are accepted by the programs that draw them."""

import importlib
from itertools import pairwise
from pathlib import Path

import pytest

from tablewright import Entity, Keys, Relationship, Table
from tablewright.generate.documents.erd import mermaid, plantuml
from tablewright.generate.material import Material
from tests.generate.every_feature import school
from tests.support.document_tools import DocumentTools

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/model.py"))
WORDS = [
    "Class",
    "Style",
    "ClassDef",
    "One",
    "Many",
    "To",
    "End",
    "Subgraph",
    "AccTitle",
    "AccDescr",
    "Title",
    "ErDiagram",
]
WORDS += ["Direction", "Only", "Optionally", "Entity", "Classroom", "Größe"]


def tables_of(example: str) -> list[Table]:
    module = importlib.import_module(f"examples.{example}.model")
    return list(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Table)))


def awkward() -> Table:
    """Entities and fields that are called like words of the diagrams' languages."""
    table = Table("Awkward")
    made = []
    for word in WORDS:
        annotations = dict.fromkeys(("id", "pk", "FK", "one", "title", "end", "größe"), str)
        keys = Keys(f"{word.upper()}#{{id}}", "IT")
        space = {
            "__annotations__": annotations,
            "keys": keys,
            "__module__": __name__,
            "__doc__": 'Says "x" | <b> %% y.',
        }
        made.append(type(Entity)(word, (Entity,), space, table=table))
    table.relate(*(Relationship(a, b, "M:N", "normalised") for a, b in pairwise(made)))
    return table


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    return [*(table for example in EXAMPLES for table in tables_of(example)), school, awkward(), Table("Empty")]


def test_mermaid_accepts_them(document_tools: DocumentTools, tables: list[Table], tmp_path: Path) -> None:
    files = []
    for number, table in enumerate(tables):
        files.append(tmp_path / f"{number}.mmd")
        files[-1].write_text(mermaid(Material(table.plan)), encoding="utf-8")
    wrong = tmp_path / "wrong.mmd"
    wrong.write_text("erDiagram\n    Class {\n    }\n", encoding="utf-8")
    *kinds, refused = document_tools.mermaid(*files, wrong)
    assert kinds == ["er"] * len(tables)
    assert refused.startswith("refused: ")


def test_plantuml_accepts_them(document_tools: DocumentTools, tables: list[Table]) -> None:
    texts = [plantuml(Material(table.plan)) for table in tables[:-1]]
    *kinds, refused = document_tools.plantuml(*texts, "@startuml\nentity {{{\n@enduml\n")
    assert kinds == ["CLASS"] * len(texts)
    assert refused == "ERROR"
