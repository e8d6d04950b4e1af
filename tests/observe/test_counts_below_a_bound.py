"""How many numbers lie below a bound: never too many, and too few by no more than what is close to it."""

from hypothesis import given
from hypothesis import strategies as st

from tablewright.observe.sketches.quantiles import Quantiles

numbers = st.floats(min_value=1e-6, max_value=1e4)


@given(st.lists(numbers, min_size=1, max_size=60), numbers)
def test_those_at_most_a_bound(values: list[float], bound: float) -> None:
    sketch = Quantiles()
    sketch.add(values)
    certain = sum(value <= bound * 0.979 for value in values)
    assert certain <= sketch.at_most(bound) <= sum(value <= bound * 1.000001 for value in values)
    assert sketch.at_most(max(values)) == len(values)


def test_nothing_has_nothing_below() -> None:
    assert Quantiles().at_most(1.0) == 0
