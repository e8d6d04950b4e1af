"""What is made from two models is what somebody has read and found good."""

from difflib import unified_diff

import pytest

from tests.generate.golden import FOLDER, MODELS, made

AGAIN = "If this is right, run python -m tests.generate.golden and read what changed."


@pytest.mark.parametrize("model", sorted(MODELS))
def test_files_are_as_they_should_be(model: str) -> None:
    files = made(model)
    kept = {str(path.relative_to(FOLDER)): path.read_text() for path in sorted((FOLDER / model).rglob("*.*"))}
    assert sorted(files) == sorted(kept), AGAIN
    for name, text in files.items():
        difference = list(unified_diff(kept[name].splitlines(), text.splitlines(), "should be", name, lineterm=""))
        assert not difference, "\n".join([*difference, AGAIN])
