"""The surveyor before it had one table: seven tables and a table of documents, and how they become one."""
