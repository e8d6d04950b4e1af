"""What steps do to items: one kind of work a file, each looking at one item and saying what has to be written for it."""
