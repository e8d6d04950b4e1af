"""What follows from a model: documents, infrastructure code, policies, types. One file per output; nothing here does I/O."""
