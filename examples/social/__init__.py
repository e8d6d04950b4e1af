"""A social network on one table: posts, comments, likes, followers and feeds."""
