"""PartiQL, DynamoDB's SQL: text → tokens → statement (frozen nodes) → the engine's own reads and writes."""
