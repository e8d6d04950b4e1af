"""Rules about the source of the application, asked for with --source: TW9xx."""
