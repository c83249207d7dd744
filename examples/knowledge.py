"""What the paper `knowledge` shows, in a sentence; the worlds and models to play with follow as they land."""

from lemmata.core import papers

print(papers()["knowledge"].sentence)
