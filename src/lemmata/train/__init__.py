"""How a model changes: the loop, the losses, the algorithms."""

from lemmata.train.loop import fit, stack

__all__ = ["fit", "stack"]
