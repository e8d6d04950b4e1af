"""Rules about items and their attributes: TW5xx."""
