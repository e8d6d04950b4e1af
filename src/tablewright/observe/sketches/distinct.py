"""How many different keys there were: a HyperLogLog."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from math import inf, log

from msgspec import Struct, field

_BITS = 13
_REGISTERS = 1 << _BITS
_MASK = _REGISTERS - 1
_MOST = 64 - _BITS + 1
"""The highest rank: all bits beyond those that choose the register are zero."""


def _registers() -> bytearray:
    return bytearray(_REGISTERS)


class Distinct(Struct):
    """Counts different keys in 8 KB. The error is 1.2 percent in the mean square, and beyond 3.5 percent only once in some
    four hundred counts; up to some hundreds of keys it is smaller still.

    A key leaves the same mark in every process and however often it comes, so merging is as if all had been counted at once.
    """

    registers: bytearray = field(default_factory=_registers)

    def __post_init__(self) -> None:
        """Files may hold anything, and registers of another number could be neither read nor merged."""
        if len(self.registers) != _REGISTERS or max(self.registers) > _MOST:
            raise ValueError("these are not the registers of a count of different keys")

    def add(self, keys: Iterable[str]) -> None:
        """Notes keys, new ones or not."""
        registers, number = self.registers, int.from_bytes
        for key in set(keys):
            # A hash for security, since those that are made for speed know sequences of keys; it takes half a microsecond.
            mixed = number(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
            rank = _MOST - (mixed >> _BITS).bit_length()
            if rank > registers[mixed & _MASK]:  # noqa: PLR1730 - max() would take longer than all else but the hash
                registers[mixed & _MASK] = rank

    def merge(self, other: Distinct) -> None:
        """Takes over what another has noted."""
        self.registers = bytearray(map(max, self.registers, other.registers))

    @property
    def estimate(self) -> int:
        """How many there were.

        By Ertl's estimator ("New cardinality estimation algorithms for HyperLogLog sketches", 2017), which is unbiased
        without tables and without a number of keys from which on another formula takes over. What it adds for registers of
        the highest rank is left out: it would matter from some 2**60 keys on.
        """
        numbers = [self.registers.count(rank) for rank in range(_MOST + 1)]
        harmonic = 0.0
        for rank in range(_MOST, 0, -1):
            harmonic = (harmonic + numbers[rank]) / 2
        harmonic += _REGISTERS * _empty(numbers[0] / _REGISTERS)
        return round(_REGISTERS * _REGISTERS / (2 * log(2)) / harmonic)


def _empty(share: float) -> float:
    """What registers without a mark add, by their share: it, and the sum of share ** (2**k) * 2 ** (k - 1) over all k from 1."""
    if share == 1:
        return inf
    found, factor, before = share, 1.0, -1.0
    while found != before:
        share *= share
        before, found = found, found + share * factor
        factor *= 2
    return found
