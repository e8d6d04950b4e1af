"""Users, their orders and products on one table whose attributes are written in lower case."""
