"""Shards: one hot key spread over several, by a hash or at random, and all of them listed for reading."""

from __future__ import annotations

import hashlib
import random as chance
import re
from collections.abc import Callable
from typing import NamedTuple

from tablewright.errors import ArgumentError, KeyValueError
from tablewright.values.keybuilding.texts import limited, written_key

_MARK = "SHARD"
_sharded = re.compile(rf"(.+)#{_MARK}#(0|[1-9][0-9]{{0,3}})", re.DOTALL).fullmatch
MAX_SHARDS = 1000


class ShardedKey(NamedTuple):
    """A partition key with the number of its shard."""

    pk: str
    shard: int


def shard_of(text: str, count: int) -> int:
    """The shard of a text, from 0 to count - 1: by a hash that is the same in every process and version."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % count


def distributed_key(
    base: str, shard_count: int, *, item_id: str | None = None, random: Callable[[], float] = chance.random
) -> str:
    """One of the shards of a hot key: `distributed_key("VIEWS#home", 8, item_id="e1")` is `VIEWS#home#SHARD#5`, say.

    With `item_id` the same item always gets the same shard, so that it can be found again; without, the shard is random,
    as it should be for counters and logs, which are read as a whole. `all_shard_keys` lists what to read.
    """
    count = _count("distributed_key", shard_count)
    if item_id is None:
        shard = min(int(random() * count), count - 1)
    elif isinstance(item_id, str) and item_id:
        shard = shard_of(item_id, count)
    else:
        raise ArgumentError("distributed_key() takes a text that is not empty as item_id.", constraint="text")
    return _sharded_key(written_key("distributed_key", base), shard)


def get_shard_number(key: str) -> int:
    """The shard in a key that distributed_key made; any other key is refused."""
    found = _sharded(written_key("get_shard_number", key))
    if found is None or int(found[2]) >= MAX_SHARDS:
        raise KeyValueError("The key names no shard.", constraint=f"...#{_MARK}#n")
    return int(found[2])


def all_shard_keys(base: str, shard_count: int) -> list[str]:
    """Every shard of a key, for reads that must ask them all."""
    written_key("all_shard_keys", base)
    return [_sharded_key(base, n) for n in range(_count("all_shard_keys", shard_count))]


def sharded_write(item_id: str, shard_count: int, *, random: Callable[[], float] = chance.random) -> ShardedKey:
    """Where to put one of many writes to a single hot item, such as a counter: a random shard of its key, and its number."""
    pk = distributed_key(item_id, shard_count, random=random)
    return ShardedKey(pk, get_shard_number(pk))


def _sharded_key(base: str, shard: int) -> str:
    return limited(f"{base}#{_MARK}#{shard}")


def _count(function: str, count: int) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MAX_SHARDS:
        raise ArgumentError(
            f"{function}() takes a number of shards from 1 to {MAX_SHARDS}.", constraint=f"1 to {MAX_SHARDS}"
        )
    return count
