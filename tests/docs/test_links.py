"""Links between the documents lead somewhere, and every page can be reached."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/*.md")])


def links(document: Path) -> list[Path]:
    """The files that a document links to."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [t.partition("#")[0] for t in targets if not re.match(r"[a-z]+:", t)]
    return [(document.parent / target).resolve() for target in local if target]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    assert [str(target) for target in links(document) if not target.exists()] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    open_ends = [ROOT / "README.md"]
    while open_ends:
        page = open_ends.pop()
        if page not in reached:
            reached.add(page)
            open_ends.extend(target for target in links(page) if target.suffix == ".md" and target.is_file())
    decisions = set((ROOT / "docs" / "decisions").glob("*.md"))  # found by their folder
    assert {path for path in DOCUMENTS if path not in reached} - decisions == set()
