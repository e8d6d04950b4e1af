"""Secondary indexes: what they hold of an item, and under which key. Knows nothing of storage."""

from tablewright.engine.index.schema import Entry, IndexKey, IndexSchema, index_keys

__all__ = ["Entry", "IndexKey", "IndexSchema", "index_keys"]
