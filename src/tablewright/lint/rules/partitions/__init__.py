"""Rules about partitions and heat: TW3xx."""
