"""What a table really holds: its items by entity and by collection, and where they differ from the model."""
