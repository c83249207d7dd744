"""Exact shortcuts of readings: each file says in its first line what it equals, and tests compare the two."""
