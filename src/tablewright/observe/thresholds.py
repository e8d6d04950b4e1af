"""Requests beyond the thresholds that were set: when there are enough of them to be told."""

from __future__ import annotations

from tablewright.observe.judging import share_of
from tablewright.observe.snapshot import Traffic

ENOUGH = 10
"""Requests beyond a threshold, before anything is said."""
OFTEN = 0.01
"""And the share of all requests of that kind."""


def often(beyond: int, traffic: Traffic) -> bool:
    """Whether so many requests of a kind are more than an accident."""
    return beyond >= ENOUGH and share_of(beyond, traffic.requests) >= OFTEN


def writes(traffic: Traffic) -> bool:
    """Whether it is write units that these requests consume."""
    return traffic.write_units > traffic.read_units
