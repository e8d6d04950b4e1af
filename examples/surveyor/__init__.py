"""Building surveys of many tenants on one table: surveys with sections, elements and components, a library, a feed of changes."""
