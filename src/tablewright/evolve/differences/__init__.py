"""What differs between two models, and what each difference means for items, indexes and readers."""
