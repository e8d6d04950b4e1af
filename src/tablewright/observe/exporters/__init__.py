"""Ways out for what is observed: traces, metrics and logs of other systems."""
