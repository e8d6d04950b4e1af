"""Whether one table suits, from the answers."""

from typing import Any

import pytest

from tablewright.scaffold.job.catalogue import CATALOGUE
from tablewright.scaffold.job.overview import Needs, Overview, Scale, Situation
from tablewright.scaffold.job.suitability import ADVANTAGES, DISADVANTAGES, advise


def overview(scale: Any = None, needs: Any = None, **situation: Any) -> Overview:
    return Overview("job", scale=scale or Scale(), needs=needs or Needs(), situation=Situation(**situation))


@pytest.mark.parametrize(
    ("given", "suits"),
    [
        (overview(), None),
        (overview(scale=Scale(requests_per_second=5_000)), True),
        (overview(scale=Scale(items=1_000_000)), True),
        (overview(needs=Needs(p50_ms=4, p99_ms=9)), True),
        (overview(relationships="complex"), True),
        (overview(experience="much"), True),
        (overview(relationships="simple"), False),
        (overview(first_priority="speed of development", experience="none"), False),
        (overview(requirements="changing", experience="none", relationships="complex"), False),
        (overview(scale=Scale(requests_per_second=5_000), requirements="changing"), True),
    ],
    ids=lambda value: None if isinstance(value, Overview) else str(value),
)
def test_answers_are_weighed(given: Overview, suits: bool | None) -> None:
    advice = advise(given)
    assert advice.single_table is suits
    assert len(advice.for_one_table) + len(advice.for_several) > 0 or suits is None


def test_what_belongs_elsewhere_is_told() -> None:
    assert "reports" in advise(overview(questions_of_all_kinds=True)).notes[0]
    assert "primary key" in advise(overview(needs=Needs(consistency="strong"))).notes[0]


def test_gains_losses_and_suggestions() -> None:
    assert (len(ADVANTAGES), len(DISADVANTAGES)) == (3, 3)
    assert list(CATALOGUE) == ["Users", "Organisations", "Content", "Orders", "Events"]
    assert all(len(suggestions) >= 5 for suggestions in CATALOGUE.values())
