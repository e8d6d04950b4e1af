"""What the engine refuses before it touches storage: shapes, limits, keys and expressions of requests."""
