"""Rules about time: TW8xx."""
