"""Stored result -> figure, table, page. Nothing here computes a result."""
