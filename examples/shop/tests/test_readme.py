"""The example's own README runs, and shows the keys and requests that the model has."""

from pathlib import Path

from examples.shop.model import shop
from tests.support.snippets import run_snippets

README = Path(__file__).parent.parent / "README.md"


def test_its_snippets_run(tmp_path: Path) -> None:
    assert run_snippets(README, tmp_path) is None


def test_it_shows_every_key_template() -> None:
    text = README.read_text(encoding="utf-8")
    for entity in shop.entities.values():
        templates = {entity.keys.pk, entity.keys.sk, *(t for i in entity.keys.indexes.values() for t in i.pk + i.sk)}
        (row,) = [line for line in text.splitlines() if line.startswith(f"| {entity.__name__} |")]
        assert {template for template in templates if f"`{template}`" not in row} == set()


def test_it_shows_the_request_of_every_pattern() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    for name, pattern in shop.patterns.items():
        shown = next(iter(shop.plan.patterns[name].values())).shown()
        request = f"{shown.operation} {shown.index or ''}".strip()
        call = f"`{name}({', '.join(pattern.parameters.names)})`"
        assert [line for line in lines if f"| {call} | {request} |" in line], f"{call} | {request}"
