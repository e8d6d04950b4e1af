"""Small examples, a file each: what one thing looks like from its model to its use."""
