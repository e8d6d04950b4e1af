"""Links between the documents lead somewhere, and every page can be reached."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/*.md")])


def targets(document: Path) -> list[tuple[Path, str]]:
    """The files that a document links to, each with the heading that is meant, if one is."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    local = [t.partition("#") for t in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:", t)]
    return [((document.parent / file).resolve() if file else document, heading) for file, _, heading in local]


def links(document: Path) -> list[Path]:
    """The files that a document links to."""
    return [file for file, _ in targets(document)]


def headings(document: Path) -> set[str]:
    """The names under which a document's headings can be linked to, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    assert [str(target) for target in links(document) if not target.exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_headings_find_them(document: Path) -> None:
    named = [(file, heading) for file, heading in targets(document) if heading and file.suffix == ".md"]
    assert [f"{file.name}#{heading}" for file, heading in named if heading not in headings(file)] == []


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    pages = {path for path in DOCUMENTS if path.is_relative_to(ROOT / "docs")} - {index}
    assert len(pages) > 50
    listed = set(links(index))
    for rules in ("lint", "recommendations"):  # each lists the pages beside it itself
        listed |= set(links(ROOT / "docs" / "reference" / rules / "index.md"))
    assert pages - listed == set()


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    open_ends = [ROOT / "README.md"]
    while open_ends:
        page = open_ends.pop()
        if page not in reached:
            reached.add(page)
            open_ends.extend(target for target in links(page) if target.suffix == ".md" and target.is_file())
    assert {path for path in DOCUMENTS if path not in reached} == set()
