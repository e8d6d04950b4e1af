"""What the commands about a job look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.scaffold.job.evidence import Evidence


def evidence_of(folder: Path, model: str | None) -> Evidence:
    """Everything that is known of the job in a folder; the model is that one, or the one that the overview names."""
    from tablewright.cli.models import load_model
    from tablewright.scaffold.job.evidence import Evidence
    from tablewright.scaffold.job.overview import read_overview

    overview = read_overview(folder)
    where = model or overview.places.model
    loaded = load_model(where, leniently=True) if where else None
    if loaded is not None and loaded.failed is not None:
        raise loaded.failed
    table, refused = (None, []) if loaded is None else (loaded.table, loaded.refused)
    return Evidence(folder, Path.cwd(), overview, table, refused)
