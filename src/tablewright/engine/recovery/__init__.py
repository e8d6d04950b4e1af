"""Point-in-time recovery as callers see it: how far back a table goes, and what a restored table looks like."""
