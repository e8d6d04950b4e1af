"""What a model declares, held against what was observed: patterns, requests, entities, partitions."""

from tablewright.observe.drift.comparing import compare
from tablewright.observe.drift.found import Departure, Drift
from tablewright.observe.drift.showing import shown

__all__ = ["Departure", "Drift", "compare", "shown"]
