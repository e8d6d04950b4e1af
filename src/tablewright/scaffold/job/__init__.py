"""A design job: a folder with what is known, decided and made, and checklists that are evaluated against model and files."""
