"""Load made from a model: its patterns and writes at their declared rates, on keys of which some are wanted more than others."""
