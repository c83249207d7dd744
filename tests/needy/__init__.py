"""A paper of which half needs what is not on every machine."""

from lemmata.core import Paper

PAPER = Paper(
    id="needy",
    title="On Weights",
    authors="A. Nonymous",
    year=2026,
    sentence="A model's weights have a length.",
    order=("plain", "weights"),
)
