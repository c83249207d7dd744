"""What the logits at a prompt's last token say of an answer, of a distractor, and of "the".

All is NumPy: logits are [prompt, vocabulary], tokens one a prompt. Which token a word is depends on the tokenizer, so
these functions take `encode`: a text's token ids, without special tokens.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import log_softmax, logsumexp

from lemmata.core import UserError, require

Encode = Callable[[str], Sequence[int]]
Decode = Callable[[int], str]
Logits = Float[np.ndarray, "prompt vocabulary"]
Tokens = Int[np.ndarray, " prompt"]
PerPrompt = Float[np.ndarray, " prompt"]
THE = "the"


def next_token(prompt: str, word: str, encode: Encode) -> int:
    """The first token of a word that follows the prompt after a space."""
    before, after = list(encode(prompt)), list(encode(f"{prompt} {word}"))
    if after[: len(before)] != before or len(after) == len(before):
        raise UserError(f"this tokenizer joins {word!r} to the prompt {prompt!r}: its token cannot be told")
    return after[len(before)]


def next_tokens(prompts: Sequence[str], words: Sequence[str], encode: Encode) -> Tokens:
    """One a prompt."""
    return np.array([next_token(prompt, word, encode) for prompt, word in zip(prompts, words, strict=True)], int)


def the_tokens(prompts: Sequence[str], encode: Encode) -> Tokens:
    """The token of " the" after each prompt."""
    return next_tokens(prompts, [THE] * len(prompts), encode)


def single_token(encode: Encode) -> Callable[[str], bool]:
    """Whether a text is one token after another word: what `task.language.ioi.sentences` asks of names."""
    alone = len(encode("and"))
    return lambda text: len(encode(f"and{text}")) == alone + 1


def probability(logits: Logits, tokens: Tokens) -> PerPrompt:
    return np.exp(_of(log_softmax(logits.astype(np.float64), axis=1), tokens))


def rank(logits: Logits, tokens: Tokens) -> Int[np.ndarray, " prompt"]:
    """1: no token is likelier."""
    return 1 + (logits > _of(logits, tokens)[:, None]).sum(axis=1)


def log_odds(logits: Logits, tokens: Tokens) -> PerPrompt:
    """log p - log(1 - p), exact also where p is close to 1."""
    others = logits.astype(np.float64)
    others[np.arange(len(others)), tokens] = -np.inf
    return _of(logits, tokens).astype(np.float64) - logsumexp(others, axis=1)


def log_ratio(logits: Logits, tokens: Tokens, others: Tokens) -> PerPrompt:
    """log p(token) / p(other)."""
    return _of(logits, tokens).astype(np.float64) - _of(logits, others)


def ratio_of_means(logits: Logits, answers: Tokens, others: Tokens) -> float:
    """The answers' mean probability over the others', as the paper's "2.3x" is made."""
    return float(probability(logits, answers).mean() / probability(logits, others).mean())


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A word's standing at the end of each prompt."""

    probability: PerPrompt
    rank: Int[np.ndarray, " prompt"]
    log_odds: PerPrompt


def read(logits: Logits, tokens: Tokens) -> Reading:
    return Reading(
        probability=probability(logits, tokens), rank=rank(logits, tokens), log_odds=log_odds(logits, tokens)
    )


def top(logits: Float[np.ndarray, " vocabulary"], count: int, decode: Decode) -> list[tuple[str, float]]:
    """The likeliest tokens of one prompt with their probabilities, as in the paper's Table 1."""
    require(1 <= count <= logits.size, "count", count, f"1 to {logits.size}")
    found = np.exp(log_softmax(logits.astype(np.float64)))
    order = np.argsort(-found, kind="stable")[:count]
    return [(decode(int(token)), float(found[token])) for token in order]


def _of(values: Float[np.ndarray, "prompt vocabulary"], tokens: Tokens) -> PerPrompt:
    return values[np.arange(len(values)), tokens]
