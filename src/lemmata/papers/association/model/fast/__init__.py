"""Exact shortcuts: each says in its first line what it equals."""
