"""Questions with their answers, as tokens; the loss is on the answers alone.

A prompt is followed by a space, the answer and the model's end of text. Of the logits only those that foretell the
answer are made: a hook hands the output matrix those positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lemmata.core import UserError
from lemmata.lm.extra import library
from lemmata.lm.model import LanguageModel


@dataclass(frozen=True, kw_only=True)
class Pair:
    """What is asked, and what is to be said."""

    prompt: str
    answer: str  # without the space before it


@dataclass(frozen=True)
class TrainingExample:
    """A pair's tokens; those from `start` on are the answer's, the last is the end of text."""

    ids: tuple[int, ...]
    start: int


def training_example(model: LanguageModel, pair: Pair) -> TrainingExample:
    requested, whole = model.tokens(pair.prompt), model.tokens(f"{pair.prompt} {pair.answer}")
    end = end_of_text(model)
    if requested[-1] == end and whole[: len(requested)] != requested:  # a tokenizer that closes every text
        requested, whole = requested[:-1], whole[:-1]
    if whole[: len(requested)] != requested or len(whole) == len(requested):
        raise UserError(f"the tokenizer of {model.name} joins {pair.answer!r} to the prompt {pair.prompt!r}")
    return TrainingExample((*whole, end), len(requested))


def end_of_text(model: LanguageModel) -> int:
    """The token that ends a text: the tokenizer's, or else the network's."""
    found = getattr(model.tokenizer, "eos_token_id", None)
    if found is None:
        found = getattr(model.network.config, "eos_token_id", None)
    if isinstance(found, list | tuple):
        found = found[0] if found else None
    if found is None:
        raise UserError(f"{model.name} has no token that ends a text: answers would have no end")
    return int(found)


def answer_loss(network: Any, training_examples: Sequence[TrainingExample], device: str) -> Any:
    """The mean over the batch's answer tokens of their negative log-likelihood; a scalar that torch can descend."""
    torch = library("torch")
    longest = max(len(one.ids) for one in training_examples)
    ids = torch.zeros(len(training_examples), longest, dtype=torch.long)
    rows, places, targets = [], [], []
    for row, one in enumerate(training_examples):  # padded on the right, which no causal model can see
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        rows += [row] * (len(one.ids) - one.start)
        places += range(one.start - 1, len(one.ids) - 1)  # a token is foretold by the one before it
        targets += one.ids[one.start :]
    ids = ids.to(device)
    hook = network.get_output_embeddings().register_forward_pre_hook(
        lambda head, hidden: (hidden[0][rows, places].unsqueeze(0),)
    )
    try:
        logits = network(ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
    finally:
        hook.remove()
    return torch.nn.functional.cross_entropy(logits.float(), torch.tensor(targets, device=device))
