"""Change streams as readers see them: shards, iterators and records. The logs themselves lie in storage."""
