"""How models change over time: what a change of the model means for the items that are there."""
