"""The pages of the applications show the entities, keys and access patterns that their models have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.cli.models import load_model
from tablewright.generate.embedding import embed
from tablewright.generate.material import Material
from tablewright.generate.outputs import outputs_named

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
APPLICATIONS = sorted(model.parent for model in EXAMPLES.glob("*/model.py"))


def test_there_are_seven_applications() -> None:
    names = [folder.name for folder in APPLICATIONS]
    assert names == ["blog", "kefir", "orders", "saas", "shop", "social", "surveyor"]
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"]({name}/README.md)" in listed for name in (*names, "small"))


@pytest.mark.parametrize("folder", APPLICATIONS, ids=lambda folder: folder.name)
def test_the_page_of_an_application_is_up_to_date(folder: Path) -> None:
    material = Material(load_model(str(folder / "model.py")).table.plan)
    made: list[str] = []

    def make(name: str) -> dict[str, str]:
        made.append(name)
        (output,) = outputs_named([name])
        return output.files(material)

    text = (folder / "README.md").read_text(encoding="utf-8")
    how = f"tablewright generate examples/{folder.name}/model.py --into examples/{folder.name}/README.md"
    assert embed(text, make) == text, how
    assert {"erd", "keys", "patterns"} <= set(made)
