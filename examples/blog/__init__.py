"""A blog on one table: the smallest of the example models."""
