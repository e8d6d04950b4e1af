"""A model for a table that has none: entities, key templates and fields, worked out from a sample of its items."""
