"""The data layer: operations without I/O, driven by a sync and an async session. Talks to a table through a transport only."""
