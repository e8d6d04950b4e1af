"""What the items of checklists are judged by: the answers, the model with its findings, and the files that there are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tablewright.compiler.plan import TablePlan
from tablewright.generate.material import Material
from tablewright.generate.outputs import outputs_named
from tablewright.lint import Finding, lint
from tablewright.lint.design import Compiled
from tablewright.model.inspection import Refused
from tablewright.scaffold.job.guides import without_comments
from tablewright.scaffold.job.infrastructure import OUTPUTS_THAT_DEPLOY, InfrastructureCode
from tablewright.scaffold.job.layer import Layer
from tablewright.scaffold.job.overview import Overview
from tablewright.scaffold.job.people import Signature, read_signatures


class Evidence:
    """Everything that is known of a job. `root` is the folder that its places are seen from."""

    def __init__(
        self,
        folder: Path,
        root: Path,
        overview: Overview,
        table: Compiled | None,
        refused: Sequence[Refused] = (),
    ) -> None:
        self.folder = folder
        self.root = root
        self.overview = overview
        self._table = table
        self.refused = [r for r in refused if table is not None and r.table is table.plan.table]
        self._outputs: dict[str, dict[str, str]] = {}

    @property
    def has_model(self) -> bool:
        """Whether there is a model to look at."""
        return self._table is not None

    @property
    def plan(self) -> TablePlan:
        """The compiled model; only asked for where there is one."""
        assert self._table is not None
        return self._table.plan

    @cached_property
    def material(self) -> Material:
        """What outputs are made from."""
        return Material(self.plan)

    @cached_property
    def signatures(self) -> dict[str, Signature]:
        """Who signed what, by role."""
        return read_signatures(self.folder)

    @cached_property
    def findings(self) -> list[Finding]:
        """What the linter finds and nobody waived."""
        assert self._table is not None
        return [found for found in lint(self._table, self.refused) if found.waived is None]

    def found(self, *codes: str) -> str | None:
        """What rules of the linter say, in short; None where they are content."""
        said = [f for f in self.findings if f.code in codes]
        if not said:
            return None
        more = f", and {len(said) - 1} more" if len(said) > 1 else ""
        return f"{said[0].code} {said[0].subject}: {said[0].message.rstrip('.')}{more}"

    @cached_property
    def listed_entities(self) -> list[str]:
        """The entities of the job's own list."""
        path = self.folder / "entities.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        rows = re.findall(r"^\| *(\w+) *\|", without_comments(text), re.MULTILINE)
        return [name for name in rows if name != "Entity"]

    def made(self, output: str) -> dict[str, str]:
        """The files of an output as the model makes them today."""
        if output not in self._outputs:
            (one,) = outputs_named([output])
            self._outputs[output] = one.files(self.material)
        return self._outputs[output]

    def output(self, name: str) -> str | None:
        """What is wrong with the files of an output in the job's folder: missing, or not what the model says today."""
        for file, text in self.made(name).items():
            path = self.folder / file
            if not path.is_file():
                return f"{file} is missing; tablewright generate MODEL {name} --to {self.folder}"
            if path.read_bytes() != text.encode():
                return f"{file} is not up to date; tablewright generate MODEL {name} --to {self.folder}"
        return None

    def place(self, name: str) -> Path | None:
        """A place that the overview names, if it does and it is there."""
        said = getattr(self.overview.places, name)
        path = self.root / said if said else None
        return path if path is not None and path.exists() else None

    @cached_property
    def layer(self) -> Layer | None:
        """The data-access layer, if its folder is there."""
        place = self.place("data_access")
        return Layer(place) if place is not None and place.is_dir() else None

    @cached_property
    def infrastructure(self) -> InfrastructureCode:
        """What the infrastructure code that there is says of the table."""
        place = self.root / self.overview.places.infrastructure if self.overview.places.infrastructure else self.folder
        generated = {file: text for name in OUTPUTS_THAT_DEPLOY for file, text in self.made(name).items()}
        return InfrastructureCode(place, generated, self.plan.table)
