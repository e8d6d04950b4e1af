"""Data from elsewhere and to elsewhere: entities out of files and databases, into files, and into an archive."""
