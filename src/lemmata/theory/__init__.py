"""Closed forms and right-hand sides on arrays. Imports `core` alone, never the model it predicts."""
