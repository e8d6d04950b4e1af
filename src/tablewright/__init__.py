"""Tablewright."""
