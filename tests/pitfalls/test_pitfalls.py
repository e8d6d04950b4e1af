"""Every pitfall of the catalogue is found in its flawed model, and not in the mended one."""

from __future__ import annotations

import sys

import pytest

from tests.pitfalls.catalogue import CATALOGUE, MODELS, PAGE, WRITE, Pitfall, found_in, page


@pytest.fixture(autouse=True)
def _same_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of the same file name are loaded one after another, each with its folder in front."""
    monkeypatch.setattr("sys.path", [*sys.path])


@pytest.mark.parametrize("pitfall", CATALOGUE.pitfalls, ids=lambda pitfall: pitfall.model)
def test_a_pitfall_is_found_where_it_is_and_only_there(pitfall: Pitfall) -> None:
    flawed = found_in(MODELS / pitfall.model / "flawed.py")
    assert pitfall.found_by in flawed

    mended = found_in(MODELS / pitfall.model / "right.py")
    assert pitfall.found_by not in mended
    assert [found for found, severity in mended.items() if severity != "info"] == []


def test_every_model_is_in_the_catalogue_once() -> None:
    listed = [pitfall.model for pitfall in CATALOGUE.pitfalls]
    assert sorted(listed) == sorted(path.name for path in MODELS.iterdir() if path.name != "__pycache__")


def test_the_page_is_the_catalogue() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"run {WRITE}"
