"""The map of a model: how far each layer, matrix and rank moves the answer against a common word such as "the"."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.core import require
from lemmata.lm.edit import Edit, edited
from lemmata.lm.keep import Largest, count_of
from lemmata.lm.model import LanguageModel
from lemmata.lm.roles import Matrix, Role, find_place, roles_of
from lemmata.lm.upper import Upper

SHARES = (0.05, 0.2, 0.5, 0.8)
REFERENCE = " the"


@dataclass(frozen=True)
class Question:
    """A prompt and the token that answers it."""

    prompt: str
    answer: int


@dataclass(frozen=True, kw_only=True)
class Map:
    """Ratios of mean probabilities, answer over reference: of the whole model, and of each edit."""

    model: str
    weights: str
    reference: str
    prompts: int
    base_answer: float
    base_reference: float
    layers: tuple[int, ...]
    roles: tuple[Role, ...]
    shares: tuple[float, ...]
    ranks: tuple[tuple[int, ...], ...]  # [role][share]
    answer: Float[np.ndarray, "layer role share"]
    reference_mean: Float[np.ndarray, "layer role share"]

    @property
    def base(self) -> float:
        return self.base_answer / self.base_reference

    @property
    def ratio(self) -> Float[np.ndarray, "layer role share"]:
        return self.answer / self.reference_mean

    def best(self) -> tuple[int, Role, float]:
        """Layer, matrix and share of the largest ratio."""
        layer, role, share = np.unravel_index(np.argmax(self.ratio), self.ratio.shape)
        return self.layers[layer], self.roles[role], self.shares[share]

    def table(self) -> dict[str, list[Any]]:
        """One row an edit, in columns."""
        ratio = self.ratio
        places = list(np.ndindex(ratio.shape))
        return {
            "layer": [self.layers[i] for i, _, _ in places],
            "matrix": [self.roles[j] for _, j, _ in places],
            "share": [self.shares[k] for _, _, k in places],
            "rank": [self.ranks[j][k] for _, j, k in places],
            "answer": [float(self.answer[place]) for place in places],
            "reference": [float(self.reference_mean[place]) for place in places],
            "ratio": [float(ratio[place]) for place in places],
            "over_base": [float(ratio[place]) / self.base for place in places],
        }


def measure_map(
    model: LanguageModel,
    questions: Sequence[Question],
    *,
    reference: str = REFERENCE,
    roles: Sequence[Role] | None = None,
    layers: Sequence[int] | None = None,
    shares: Sequence[float] = SHARES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Map:
    """Cut every matrix of every layer to every share of its rank, one at a time, and ask all questions.

    Each matrix is decomposed once, and only the layers from the edit up are run. `progress` is told (done, total).
    """
    chosen_layers = tuple(range(1, model.layers + 1) if layers is None else layers)
    chosen_roles = roles_of(model.network) if roles is None else tuple(roles)
    prompts = [question.prompt for question in questions]
    answers = np.array([question.answer for question in questions])
    word = model.first_token(reference)
    for name, chosen in (("roles", chosen_roles), ("layers", chosen_layers), ("shares", tuple(shares))):
        require(len(chosen) > 0, name, chosen, "at least one")
    for role in chosen_roles:
        find_place(model.network, role)
    full = [min(Matrix(chosen_layers[0], role).get(model.network).shape) for role in chosen_roles]
    ranks = tuple(tuple(count_of(float(share), rank) for share in shares) for rank in full)
    shape = (len(chosen_layers), len(chosen_roles), len(shares))
    answer, common = np.empty(shape), np.empty(shape)
    base = mean_probabilities(model.last_logits(prompts), answers, word)
    uppers = Upper.at_each(model, prompts, chosen_layers)
    for done, (i, j, k) in enumerate(np.ndindex(shape)):
        progress(done, answer.size)
        with edited(model, Edit(chosen_layers[i], chosen_roles[j], Largest(ranks[j][k]))):
            answer[i, j, k], common[i, j, k] = mean_probabilities(uppers[chosen_layers[i]].last_logits(), answers, word)
    progress(answer.size, answer.size)
    return Map(
        model=model.name,
        weights=model.weights,
        reference=reference,
        prompts=len(prompts),
        base_answer=base[0],
        base_reference=base[1],
        layers=chosen_layers,
        roles=chosen_roles,
        shares=tuple(float(share) for share in shares),
        ranks=ranks,
        answer=answer,
        reference_mean=common,
    )


def joined(maps: Sequence[Map]) -> Map:
    """Maps of different layers of one model as one."""
    return replace(
        maps[0],
        layers=tuple(layer for part in maps for layer in part.layers),
        answer=np.concatenate([part.answer for part in maps]),
        reference_mean=np.concatenate([part.reference_mean for part in maps]),
    )


def mean_probabilities(logits: Float[np.ndarray, "prompt vocabulary"], answers: Any, word: int) -> tuple[float, float]:
    """Mean probability of each prompt's answer, and of one word."""
    probabilities = softmax(logits)
    rows = np.arange(len(logits))
    return float(probabilities[rows, answers].mean()), float(probabilities[:, word].mean())


def softmax(logits: Float[np.ndarray, "prompt vocabulary"]) -> Float[np.ndarray, "prompt vocabulary"]:
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)
