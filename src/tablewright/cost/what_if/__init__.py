"""What a model would cost if it were another: asked in a line, tried on a copy, and held against the model as it is."""
