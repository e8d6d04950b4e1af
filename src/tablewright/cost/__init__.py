"""What a model costs in use: capacity units of reads and writes, storage, and money by a table of prices."""
