"""Rules about relationships: TW6xx."""
