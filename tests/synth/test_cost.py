"""What a proposal says of its cost is what `tablewright cost` says of the proposed model."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from tablewright.cli import app
from tablewright.cost.estimating import Estimate
from tablewright.synth.proposal import Proposal, propose, propose_for
from tablewright.synth.running import run

DESIGNS = Path(__file__).parent / "designs"
NAMES = sorted(path.stem for path in DESIGNS.glob("*.py"))
EXPECTED = """

for entity in list(design.entities.values()):
    design.expect(entity, writes=40, items=10**6, size=1500)
for pattern in list(design.patterns.values()):
    design.expect(pattern, rate=10, results=20)
"""


@cache
def busy(name: str) -> Proposal:
    """A design of which much is expected."""
    text = (DESIGNS / f"{name}.py").read_text(encoding="utf-8")
    variable = re.search(r"^(\w+) = Design\(", text, re.MULTILINE)
    assert variable is not None
    text += EXPECTED.replace("design.", f"{variable[1]}.")
    return propose_for(vars(run(text, Path(__file__)))[variable[1]], text, Path(__file__))


@pytest.mark.parametrize("name", NAMES)
def test_the_estimate_is_that_of_the_command(name: str, tmp_path: Path) -> None:
    found = busy(name)
    model = tmp_path / "model.py"
    model.write_text(found.code, encoding="utf-8")
    told = CliRunner().invoke(app, ["cost", str(model), "--json"])
    assert told.exit_code == 0, told.output
    command = msgspec.json.decode(told.stdout)
    assert command["writes"] == found.estimate.writes
    assert command["stored"] == found.estimate.stored
    assert found.estimate.bill().total > 0


@pytest.mark.parametrize("name", NAMES)
def test_each_copy_is_explained_with_the_units_of_the_estimate(name: str) -> None:
    found = busy(name)
    for entity in found.entities:
        cost = next(c for c in found.estimate.entities if c.name == entity.entity)
        for key in entity.keys[1:]:
            assert key.index is not None
            units = cost.create.indexes[key.index] * 40
            (line,) = [c for c in found.explained.choices if c.startswith(f"{entity.entity} on {key.index}:")]
            assert f"its copy takes {units:g} write units a second" in line


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("said", [True, False], ids=["expected", "by its fields"])
def test_what_was_weighed_is_what_the_copies_cost(name: str, said: bool) -> None:
    found = busy(name) if said else propose(DESIGNS / f"{name}.py")
    rates = _rates(busy(name).estimate)
    known = {cost.name: cost for cost in found.estimate.entities}
    for entity in found.entities:
        cost = known[entity.entity]
        for key in entity.keys[1:]:
            if key.shape.when:  # of what is sparse a share is weighed, where the estimate counts everything
                continue
            assert key.index is not None
            moved = 2 if key.shape.fields - _fixed(found, entity.entity) else 1
            writes = cost.create.indexes[key.index] * (40 if said else 1) * moved * 730 * 3600 / 1e6 * rates[0]
            stored = (cost.stored[key.index] + 100 * cost.records[key.index]) / 2**30 * rates[1]
            assert key.shape.month == pytest.approx(writes + stored)


def _rates(found: Estimate) -> tuple[float, float]:
    """Prices of a million write units and of a GB, as the estimate used them."""
    bill = found.bill()
    writes = sum(found.writes.values()) * 730 * 3600 / 1e6
    return (bill.writes / writes if writes else 0.0, bill.storage / (found.stored / 2**30) if found.stored else 0.0)


def _fixed(found: Proposal, entity: str) -> set[str]:
    fields = next(e for e in found.model.entities.values() if e.__name__ == entity).model_fields
    base = next(e for e in found.entities if e.entity == entity).keys[0].shape.fields
    return {name for name, info in fields.items() if info.frozen} | set(base)
