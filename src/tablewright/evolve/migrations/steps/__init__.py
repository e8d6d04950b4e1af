"""The kinds of steps, one a file."""
