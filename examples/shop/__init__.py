"""A small online shop on one table: customers, orders, products, reviews and categories."""
