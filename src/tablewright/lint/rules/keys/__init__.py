"""Rules about keys: TW1xx."""
