"""Secondary indexes: what they hold of an item, and under which key. Knows nothing of storage."""

from tablewright.engine.index.schema import Entry, EntryMaker, IndexKey, IndexSchema, entry_maker, index_keys

__all__ = ["Entry", "EntryMaker", "IndexKey", "IndexSchema", "entry_maker", "index_keys"]
