"""Infrastructure as code: one description of what AWS is to hold, and a writer for each tool, which adds nothing to it."""
