"""Pictures of a model, drawn here as SVG: they need no other program and no network."""
