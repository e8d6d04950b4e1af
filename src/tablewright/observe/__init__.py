"""What a table tells of its use: requests are counted in bounded memory, and advice follows from the figures."""
