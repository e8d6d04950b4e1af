"""Summaries of long streams in little memory, which can be saved and merged: quantiles, heavy keys, distinct keys."""
