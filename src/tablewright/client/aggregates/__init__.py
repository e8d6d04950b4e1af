"""Trees of items: loading an aggregate, finding what was changed in it, and writing that as one."""
