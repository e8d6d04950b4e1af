"""Writes: each is planned against the item as far as it is known, guarded where it had to be read, and explained when it fails."""
