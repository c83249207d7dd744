"""Whether a language model gives an answer: each of its tokens is the likeliest one after those before it.

One pass tells what greedy decoding would begin with; of several answers the likeliest counts.
"""

from collections.abc import Callable, Sequence

import numpy as np

from lemmata.core import UserError
from lemmata.lm.extra import library
from lemmata.lm.model import LanguageModel
from lemmata.lm.prompts import batches


def answers_given(
    model: LanguageModel, questions: Sequence[tuple[str, Sequence[str]]], progress: Callable[[int, int], None]
) -> tuple[np.ndarray, np.ndarray]:
    """Prompts with their right answers -> whether one is given, and its log-probability a token."""
    torch = library("torch")
    pairs = [(place, *_tokens(model, prompt, one)) for place, (prompt, some) in enumerate(questions) for one in some]
    given, best = np.zeros(len(questions), bool), np.full(len(questions), -np.inf)
    for group in (found := batches([ids for _, ids, _ in pairs], model.device)):
        progress(found.index(group), len(found))
        spans = [(i, at) for i, row in enumerate(group.rows) for at in range(pairs[row][2] - 1, len(pairs[row][1]) - 1)]
        which, places = torch.tensor(spans, device=model.device).T
        hook = model.network.get_output_embeddings().register_forward_pre_hook(
            lambda head, hidden, at=(which, places): (hidden[0][at].unsqueeze(0),)
        )
        try:
            with torch.inference_mode():
                logits = model.network(group.ids, attention_mask=torch.ones_like(group.ids), use_cache=False).logits[0]
        finally:
            hook.remove()
        wanted = group.ids[which, places + 1]
        likeliest = (logits.argmax(-1) == wanted).cpu().numpy()
        log = torch.log_softmax(logits.float(), -1).gather(1, wanted[:, None])[:, 0].cpu().numpy()
        for i, row in enumerate(group.rows):
            mine, place = which.cpu().numpy() == i, pairs[row][0]
            given[place] |= likeliest[mine].all()
            best[place] = max(best[place], log[mine].mean())
    return given, best


def _tokens(model: LanguageModel, prompt: str, answer: str) -> tuple[list[int], int]:
    """Of prompt and answer together, and where the answer begins."""
    before, whole = model.tokens(prompt.rstrip()), model.tokens(f"{prompt.rstrip()} {answer}")
    if before[-1] == getattr(model.tokenizer, "eos_token_id", None):  # a tokenizer that closes every text
        before, whole = before[:-1], whole[:-1]
    if whole[: len(before)] != before or len(whole) == len(before):
        raise UserError(f"the tokenizer of {model.name} joins the answer {answer!r} to the prompt {prompt[-40:]!r}")
    return whole, len(before)
