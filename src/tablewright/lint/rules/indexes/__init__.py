"""Rules about indexes: TW2xx."""
