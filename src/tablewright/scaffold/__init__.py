"""What a person starts from: projects, data-access layers, design jobs with their checklists. Made once, then edited by hand."""
