"""Files as they should be made from two models. `python -m tests.generate.golden` writes them again: read what changed."""

from __future__ import annotations

import shutil
from pathlib import Path

from examples.shop.model import shop
from tablewright.generate.material import Material
from tablewright.generate.outputs import outputs_named
from tests.generate.every_feature import school

FOLDER = Path(__file__).parent / "golden"
MODELS = {"shop": shop, "school": school}
NAMES = ["erd", "erd-plantuml", "keys", "patterns", "relationships", "json-schema", "typescript", "workbench"]
"""Those whose text follows from the model alone, and is for people to read."""


def made(model: str) -> dict[str, str]:
    """The files of a model by their path in the folder."""
    material = Material(MODELS[model].plan)
    return {f"{model}/{name}": text for output in outputs_named(NAMES) for name, text in output.files(material).items()}


def main() -> None:
    """Writes all of them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for model in MODELS:
        for name, text in made(model).items():
            (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
