"""A table without a model: plain dicts in, plain dicts out, by the table's own key names. Knows transports and values."""
