"""Prompts of several lengths run together, exactly: a causal model cannot see what stands to the right.

Only the logits of each prompt's last token are made: a hook hands the output matrix those positions alone. So whatever
a family does after it (such as capping) stays transformers' own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.lm.extra import library

AT_MOST = 32  # prompts in a batch
SPREAD = 1.25  # the longest prompt of a batch over its shortest: padding is work for nothing


@dataclass(frozen=True, eq=False)
class Batch:
    """Prompts of like length, padded on the right."""

    rows: tuple[int, ...]  # where they stood among all prompts
    ids: Any  # torch, [prompt, token]
    last: Any  # torch, [prompt]: the position of the last token


def batches(prompts: Sequence[Sequence[int]], device: str) -> tuple[Batch, ...]:
    """Group token lists by length."""
    groups: list[list[int]] = []
    for row in sorted(range(len(prompts)), key=lambda row: len(prompts[row])):
        group = groups[-1] if groups else []
        if group and len(group) < AT_MOST and len(prompts[row]) <= SPREAD * len(prompts[group[0]]) + 1:
            group.append(row)
        else:
            groups.append([row])
    return tuple(_padded(group, prompts, device) for group in groups)


def _padded(rows: Sequence[int], prompts: Sequence[Sequence[int]], device: str) -> Batch:
    torch = library("torch")
    ids = torch.zeros(len(rows), max(len(prompts[row]) for row in rows), dtype=torch.long)
    for place, row in enumerate(rows):
        ids[place, : len(prompts[row])] = torch.tensor(list(prompts[row]))
    last = torch.tensor([len(prompts[row]) - 1 for row in rows])
    return Batch(tuple(rows), ids.to(device), last.to(device))


def run_batch(network: Any, batch: Batch) -> Float[np.ndarray, "prompt vocabulary"]:
    """The logits at each prompt's last token."""
    torch = library("torch")
    places = torch.arange(len(batch.rows), device=batch.ids.device)
    hook = network.get_output_embeddings().register_forward_pre_hook(
        lambda head, hidden: (hidden[0][places, batch.last].unsqueeze(1),)
    )
    try:
        with torch.inference_mode():
            logits = network(batch.ids, attention_mask=torch.ones_like(batch.ids), use_cache=False).logits
    finally:
        hook.remove()
    return logits[:, 0].float().cpu().numpy()


def collect(
    groups: Sequence[Batch], parts: Sequence[Float[np.ndarray, "_ vocabulary"]]
) -> Float[np.ndarray, "prompt vocabulary"]:
    """Batches' results in the order of the prompts."""
    rows = np.concatenate([batch.rows for batch in groups])
    return np.concatenate(parts)[np.argsort(rows)]
