"""NoSQL Workbench's data models, version 3.0, both ways: a model as its JSON, and its JSON as a sketch of a model."""
