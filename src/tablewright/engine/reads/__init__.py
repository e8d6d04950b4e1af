"""Reads of many items: which rows a request wants, and one page of them."""
