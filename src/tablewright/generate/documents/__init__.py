"""Documents of a design for people to read and review: Markdown, diagrams, one page with everything."""
