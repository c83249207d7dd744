"""Unigram and bigram statistics of characters (section 3): counted from a text, shipped with the package, uniform."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from lemmata.core import UserError, require, unknown


@dataclass(frozen=True, eq=False)
class Statistics:
    """pi_u and pi_b on an alphabet; rows of `bigram` are the current symbol, columns the next one."""

    symbols: tuple[str, ...]
    unigram: Float[np.ndarray, " symbols"]
    bigram: Float[np.ndarray, "symbols symbols"]

    def __len__(self) -> int:
        return len(self.symbols)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each symbol of a text follows each other one; the text itself cannot be read back."""

    symbols: tuple[str, ...]  # by code point, the paper's numbering (the space is token 1 of the 65)
    first: Int[np.ndarray, " symbols"]
    pairs: Int[np.ndarray, "symbols symbols"]

    def statistics(self, most_frequent: int | None = None) -> Statistics:
        """The distributions, on the whole alphabet or on its most frequent symbols (pairs with others left out)."""
        total = len(self.symbols)
        keep_count = total if most_frequent is None else most_frequent
        require(2 <= keep_count <= total, "symbols", most_frequent, f"this table has {total} symbols; at least 2")
        kept = np.sort(np.argsort(-self.first, kind="stable")[:keep_count])
        unigram = self.first[kept].astype(float)
        pairs = self.pairs[np.ix_(kept, kept)].astype(float)
        # A symbol whose successors were all left out (or the text's last one) is followed by a unigram draw.
        pairs = np.where(pairs.sum(axis=1, keepdims=True) > 0, pairs, unigram)
        return Statistics(
            tuple(self.symbols[i] for i in kept), unigram / unigram.sum(), pairs / pairs.sum(axis=1, keepdims=True)
        )

    def save(self, path: Path) -> None:
        path.write_text(
            json.dumps({"symbols": self.symbols, "first": self.first.tolist(), "pairs": self.pairs.tolist()}) + "\n"
        )


def bigram_counts(path: str | Path, symbols: str | None = None) -> Counts:
    """Count a UTF-8 text file; with `symbols` given, a character outside them is an error."""
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"corpus {str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"corpus {str(path)!r} is not UTF-8 text") from None
    require(len(text) >= 2, "corpus", str(path), "the file is empty; bigrams need at least two characters")
    alphabet = tuple(sorted(set(text if symbols is None else symbols)))
    index = {symbol: i for i, symbol in enumerate(alphabet)}
    require(len(alphabet) >= 2, "corpus", str(path), "at least two different characters are needed")
    tokens = encode_text(text, index)
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
def pinned_counts(source: str) -> Counts:
    return bigram_counts(source.partition(PIN)[0])


def encode_text(text: str, index: Mapping[str, int]) -> Int[np.ndarray, " length"]:
    """Text as tokens of a table; a symbol outside it is an error."""
    for character in sorted(set(text)):
        if character not in index:
            raise unknown("symbol", character, index)
    return np.array([index[character] for character in text], dtype=np.int64)


@cache
def shipped_counts() -> Counts:
    """The 65-symbol counts of the tiny Shakespeare corpus: counts, not the text."""
    data = json.loads(resources.files("lemmata.papers.association.task").joinpath("counts_65.json").read_text())
    return Counts(tuple(data["symbols"]), np.array(data["first"]), np.array(data["pairs"]))


def uniform_statistics(symbols: int) -> Statistics:
    """Every symbol as likely as every other, the theory's choice."""
    require(symbols >= 2, "symbols", symbols, "at least 2")
    names = tuple(str(i) for i in range(symbols))
    return Statistics(names, np.full(symbols, 1 / symbols), np.full((symbols, symbols), 1 / symbols))
