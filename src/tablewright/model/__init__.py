"""What a user writes: tables, entities, key templates, indexes, access patterns, changes and relationships. Nothing here does I/O."""
