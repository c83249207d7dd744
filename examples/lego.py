"""What the paper `lego` shows, in a sentence; the worlds and models to play with follow as they land."""

from lemmata.core import papers

print(papers()["lego"].sentence)
