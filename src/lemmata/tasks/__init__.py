"""Worlds and seeded samplers: token batches out, nothing learned."""
