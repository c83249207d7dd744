"""Numbers read from an unchanged model."""
