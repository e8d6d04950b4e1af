"""Tablewright: DynamoDB single-table design in Python. One model file; everything else follows from it.

A name is loaded when it is first asked for.
"""

import typing

from tablewright._version import __version__
from tablewright.later import names_later as _names_later

if typing.TYPE_CHECKING:
    from tablewright.client.aggregates.saving import Difference
    from tablewright.client.batches import BatchWriter
    from tablewright.client.caching import ReadCache
    from tablewright.client.ciphers import AesGcm
    from tablewright.client.collections import Deleted
    from tablewright.client.copying import Refreshed
    from tablewright.client.decoding import Decoded, StreamRecord, Tombstone, UniqueMarker
    from tablewright.client.feeds import Changed, ChangePage
    from tablewright.client.metering import Meter, Sent
    from tablewright.client.orphans import Orphan
    from tablewright.client.plain.conditions import sort_key
    from tablewright.client.plain.opening import open_table, open_table_async
    from tablewright.client.plain.table import AsyncPlainTable, PlainTable
    from tablewright.client.retry import RetryPolicy
    from tablewright.client.session import AsyncSession, Session
    from tablewright.client.settings import SessionOptions
    from tablewright.client.sweeping import Swept
    from tablewright.client.tallies import Tally, TallyPart
    from tablewright.client.targets import Key, key
    from tablewright.client.transactions import AsyncTransaction, Transaction
    from tablewright.client.unsaid import ANY_VERSION
    from tablewright.model.aggregates import Aggregate, Node, child, children
    from tablewright.model.belongings import Belongings, Owned
    from tablewright.model.change import require
    from tablewright.model.comparing import (
        all_of,
        any_of,
        between,
        contains,
        created,
        exists,
        given,
        is_in,
        missing,
        negate,
        size,
        starts_with,
        updated,
    )
    from tablewright.model.counters import Counted, ShardedCounter
    from tablewright.model.deployment import Alarms, Deployment, KmsKey, OnDemand, Provisioned, Warm
    from tablewright.model.entity import Entity, Stored, stored
    from tablewright.model.fields import Epoch, NaturalKey, expires_in
    from tablewright.model.hooks import (
        Changing,
        Deleting,
        Written,
        after_write,
        before_create,
        before_delete,
        before_put,
        before_update,
    )
    from tablewright.model.ids import ulid, uuid7
    from tablewright.model.indexes import GSI, LSI, AttributeNames, binary, number
    from tablewright.model.keys import Bucket, Keys, Shard, Unique, attr, sparse, sparse_local
    from tablewright.model.operations import Collection, Get, Mixed, Query, collect, get, many, one, query
    from tablewright.model.relationships import Relationship
    from tablewright.model.results import AsyncResults, Capacity, Page, Results
    from tablewright.model.sealing import (
        AsyncValueStore,
        Cipher,
        Compressed,
        Encrypted,
        Offloaded,
        ValueContext,
        ValueStore,
    )
    from tablewright.model.soft_delete import SoftDelete
    from tablewright.observe.collector import Collector
    from tablewright.synth.design import Design
    from tablewright.table import Table
    from tablewright.transport.valuestores import FolderStore, S3Store
    from tablewright.values.keycodec import KeyStyle

__all__ = [
    "ANY_VERSION",
    "GSI",
    "LSI",
    "AesGcm",
    "Aggregate",
    "Alarms",
    "AsyncPlainTable",
    "AsyncResults",
    "AsyncSession",
    "AsyncTransaction",
    "AsyncValueStore",
    "AttributeNames",
    "BatchWriter",
    "Belongings",
    "Bucket",
    "Capacity",
    "ChangePage",
    "Changed",
    "Changing",
    "Cipher",
    "Collection",
    "Collector",
    "Compressed",
    "Counted",
    "Decoded",
    "Deleted",
    "Deleting",
    "Deployment",
    "Design",
    "Difference",
    "Encrypted",
    "Entity",
    "Epoch",
    "FolderStore",
    "Get",
    "Key",
    "KeyStyle",
    "Keys",
    "KmsKey",
    "Meter",
    "Mixed",
    "NaturalKey",
    "Node",
    "Offloaded",
    "OnDemand",
    "Orphan",
    "Owned",
    "Page",
    "PlainTable",
    "Provisioned",
    "Query",
    "ReadCache",
    "Refreshed",
    "Relationship",
    "Results",
    "RetryPolicy",
    "S3Store",
    "Sent",
    "Session",
    "SessionOptions",
    "Shard",
    "ShardedCounter",
    "SoftDelete",
    "Stored",
    "StreamRecord",
    "Swept",
    "Table",
    "Tally",
    "TallyPart",
    "Tombstone",
    "Transaction",
    "Unique",
    "UniqueMarker",
    "ValueContext",
    "ValueStore",
    "Warm",
    "Written",
    "__version__",
    "after_write",
    "all_of",
    "any_of",
    "attr",
    "before_create",
    "before_delete",
    "before_put",
    "before_update",
    "between",
    "binary",
    "child",
    "children",
    "collect",
    "contains",
    "created",
    "exists",
    "expires_in",
    "get",
    "given",
    "is_in",
    "key",
    "many",
    "missing",
    "negate",
    "number",
    "one",
    "open_table",
    "open_table_async",
    "query",
    "require",
    "size",
    "sort_key",
    "sparse",
    "sparse_local",
    "starts_with",
    "stored",
    "ulid",
    "updated",
    "uuid7",
]

_HOMES = {
    "client.aggregates.saving": "Difference",
    "client.batches": "BatchWriter",
    "client.caching": "ReadCache",
    "client.ciphers": "AesGcm",
    "client.collections": "Deleted",
    "client.copying": "Refreshed",
    "client.decoding": "Decoded StreamRecord Tombstone UniqueMarker",
    "client.feeds": "Changed ChangePage",
    "client.metering": "Meter Sent",
    "client.orphans": "Orphan",
    "client.plain.conditions": "sort_key",
    "client.plain.opening": "open_table open_table_async",
    "client.plain.table": "AsyncPlainTable PlainTable",
    "client.retry": "RetryPolicy",
    "client.session": "AsyncSession Session",
    "client.settings": "SessionOptions",
    "client.sweeping": "Swept",
    "client.tallies": "Tally TallyPart",
    "client.targets": "Key key",
    "client.transactions": "AsyncTransaction Transaction",
    "client.unsaid": "ANY_VERSION",
    "model.aggregates": "Aggregate Node child children",
    "model.belongings": "Belongings Owned",
    "model.change": "require",
    "model.comparing": (
        "all_of any_of between contains created exists given is_in missing negate size starts_with updated"
    ),
    "model.counters": "Counted ShardedCounter",
    "model.deployment": "Alarms Deployment KmsKey OnDemand Provisioned Warm",
    "model.entity": "Entity Stored stored",
    "model.fields": "Epoch NaturalKey expires_in",
    "model.hooks": "Changing Deleting Written after_write before_create before_delete before_put before_update",
    "model.ids": "ulid uuid7",
    "model.indexes": "GSI LSI AttributeNames binary number",
    "model.keys": "Bucket Keys Shard Unique attr sparse sparse_local",
    "model.operations": "Collection Get Mixed Query collect get many one query",
    "model.relationships": "Relationship",
    "model.results": "AsyncResults Capacity Page Results",
    "model.sealing": "AsyncValueStore Cipher Compressed Encrypted Offloaded ValueContext ValueStore",
    "model.soft_delete": "SoftDelete",
    "observe.collector": "Collector",
    "synth.design": "Design",
    "table": "Table",
    "transport.valuestores": "FolderStore S3Store",
    "values.keycodec": "KeyStyle",
}
"""The names by the module, below this package, that each is loaded from."""

if not typing.TYPE_CHECKING:  # checkers would take any name for one of ours
    __getattr__ = _names_later(globals(), _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
