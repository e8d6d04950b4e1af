"""Backups of tables, recovery to a point in time, and what a restored table still lacks."""
