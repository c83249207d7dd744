"""Single-sequence forward passes, and edits that return a new model."""
