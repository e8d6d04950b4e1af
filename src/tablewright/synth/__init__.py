"""Synthesis: from entities and access patterns alone to key templates and the fewest indexes that serve them."""
