"""Rules about access patterns: TW4xx."""
