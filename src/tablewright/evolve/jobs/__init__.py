"""Jobs: work on every item of a table while applications go on using it."""
