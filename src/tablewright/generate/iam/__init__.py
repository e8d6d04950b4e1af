"""Permissions: which actions of IAM each pattern, change and write needs, and policies of no more than that."""
