"""Unigram and bigram statistics of characters (section 3): counted from a text, shipped with the package, uniform."""

import hashlib
import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from lemmata.core import UserError, require


class Statistics(NamedTuple):
    """pi_u and pi_b on an alphabet; rows of `bigram` are the current symbol, columns the next one."""

    unigram: Float[np.ndarray, " symbols"]
    bigram: Float[np.ndarray, "symbols symbols"]


class Counts(NamedTuple):
    """How often each symbol of a text follows each other one; the text itself cannot be read back."""

    symbols: tuple[str, ...]  # by code point, the paper's numbering (the space is token 1 of the 65)
    first: Int[np.ndarray, " symbols"]
    pairs: Int[np.ndarray, "symbols symbols"]

    def statistics(self, most_frequent: int) -> Statistics:
        """The distributions on the most frequent symbols (pairs with others left out)."""
        kept = np.sort(np.argsort(-self.first, kind="stable")[:most_frequent])
        unigram = self.first[kept].astype(float)
        pairs = self.pairs[np.ix_(kept, kept)].astype(float)
        # A symbol whose successors were all left out (or the text's last one) is followed by a unigram draw.
        pairs = np.where(pairs.sum(axis=1, keepdims=True) > 0, pairs, unigram)
        return Statistics(unigram / unigram.sum(), pairs / pairs.sum(axis=1, keepdims=True))


def bigram_counts(path: str | Path) -> Counts:
    """Count a UTF-8 text file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"corpus {str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"corpus {str(path)!r} is not UTF-8 text") from None
    require(len(text) >= 2, "corpus", str(path), "the file is empty; bigrams need at least two characters")
    alphabet = tuple(sorted(set(text)))
    require(len(alphabet) >= 2, "corpus", str(path), "at least two different characters are needed")
    index = {symbol: i for i, symbol in enumerate(alphabet)}
    tokens = np.array([index[character] for character in text], dtype=np.int64)
    pairs = np.bincount(tokens[:-1] * len(alphabet) + tokens[1:], minlength=len(alphabet) ** 2)
    return Counts(alphabet, np.bincount(tokens, minlength=len(alphabet)), pairs.reshape(len(alphabet), len(alphabet)))


PIN = "#sha256="


def pinned(source: str) -> str:
    """`path#sha256=...`: the name of a text file together with the hash of its content, checked if it is there."""
    path, _, expected = source.partition(PIN)
    try:
        found = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:20]
    except OSError as error:
        allowed = f"'corpus', 'uniform' or a text file ({error.strerror})"
        raise UserError(f"source = {path!r} is not possible: {allowed}") from None
    require(expected in ("", found), "source", source, f"the file has changed, its hash is now {found}")
    return f"{path}{PIN}{found}"


@cache
def counts_of(source: str) -> Counts:
    """Of a pinned text file, or of "corpus": tiny Shakespeare's 65 symbols, shipped as counts and not as text."""
    if source != "corpus":
        return bigram_counts(source.partition(PIN)[0])
    data = json.loads(resources.files("lemmata.papers.association.task").joinpath("counts_65.json").read_text())
    return Counts(tuple(data["symbols"]), np.array(data["first"]), np.array(data["pairs"]))


def uniform_statistics(symbols: int) -> Statistics:
    """Every symbol as likely as every other, the theory's choice."""
    return Statistics(np.full(symbols, 1 / symbols), np.full((symbols, symbols), 1 / symbols))
