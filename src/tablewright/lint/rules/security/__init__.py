"""Rules about tenants and security: TW7xx."""
