"""The rules: one file each, in the folder of their family."""
