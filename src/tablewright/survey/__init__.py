"""What a table really holds: its items by entity and by collection, and where they differ from the model."""

from tablewright.survey.items import entity_of, item_of

__all__ = ["entity_of", "item_of"]
