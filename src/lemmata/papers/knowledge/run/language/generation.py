"""What a model goes on to say after a prompt: the likeliest token each time, until the line or the text ends."""

from collections.abc import Sequence
from typing import Any

from lemmata.core import UserError, require
from lemmata.lm.extra import library
from lemmata.lm.model import LanguageModel
from lemmata.papers.knowledge.run.language.answers import end_of_text

AT_MOST = 32  # prompts in a batch


def greedy(model: LanguageModel, prompts: Sequence[str], *, tokens: int = 12) -> list[str]:
    """The line that follows each prompt, in at most so many tokens. Prompts of like length run together."""
    require(tokens >= 1, "tokens", tokens, "at least 1")
    if not prompts:
        raise UserError("no prompts were given")
    ids = [model.tokens(prompt) for prompt in prompts]
    order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
    said = [""] * len(ids)
    for start in range(0, len(order), AT_MOST):
        rows = order[start : start + AT_MOST]
        for row, text in zip(rows, _continued(model, [ids[row] for row in rows], tokens), strict=True):
            said[row] = text.strip().split("\n")[0]
    return said


def _continued(model: LanguageModel, prompts: Sequence[Sequence[int]], tokens: int) -> list[str]:
    torch, end = library("torch"), end_of_text(model)
    longest = max(map(len, prompts))
    ids = torch.full((len(prompts), longest), end)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):  # padded on the left: all go on at the same place
        ids[row, longest - len(prompt) :] = torch.tensor(list(prompt))
        mask[row, longest - len(prompt) :] = 1

    def line_is_over(ids: Any, scores: Any, **named: Any) -> Any:
        """Row by row. Leading line breaks are no answer: what is said begins after them."""
        texts = (model.tokenizer.decode(row[longest:], skip_special_tokens=True) for row in ids)
        return torch.tensor(["\n" in text.lstrip() for text in texts], device=ids.device)

    with torch.inference_mode():
        found = model.network.generate(
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            max_new_tokens=tokens,
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            eos_token_id=end,
            pad_token_id=end,
            stopping_criteria=[line_is_over],
        )
    return [model.tokenizer.decode(row[longest:], skip_special_tokens=True) for row in found]
