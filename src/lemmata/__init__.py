"""lemmata: theory papers about transformers, made executable."""

__version__ = "0.1.0"
