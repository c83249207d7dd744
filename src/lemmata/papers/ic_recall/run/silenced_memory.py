"""What a frozen memory answers to pairs of tokens that pre-training never showed, and what is lost without."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key

from lemmata.core import to_jax
from lemmata.papers.ic_recall.model import DenseTransformer, Recalled, both_attentions
from lemmata.papers.ic_recall.model.fast.frozen_memory import evaluated, pairs_of_positions

PAIRS = 2  # in context
QUERY, EOS = 2 * PAIRS, 2 * PAIRS + 1
KINDS = "sa" * PAIRS + "s"  # of the positions before EoS
SILENCED = ("nothing", "EoS", "two of a kind", "what was never shown", "squares", "the query subject")


def silenced(which: str, length: int) -> Bool[np.ndarray, " pairs"]:
    """The pairs of positions whose answers are taken out."""
    i, j = pairs_of_positions(length)
    has_eos, ends = (i == EOS) | (j == EOS), zip(i.tolist(), j.tolist(), strict=True)
    alike = np.array([a != b and max(a, b) < EOS and KINDS[a] == KINDS[b] for a, b in ends])
    return {
        "nothing": np.zeros(len(i), bool),
        "EoS": has_eos,
        "two of a kind": alike,
        "what was never shown": has_eos | alike,
        "squares": (i == j) & ~has_eos,
        "the query subject": (i == QUERY) | (j == QUERY),
    }[which]


class EditedTask(eqx.Module):
    """Fine-tuning with the second step changed: `residual` times the relation's own embedding stands beside what
    attention brings, and attention goes to the positions in `attended` alone. Arrays, so that one program serves all.
    """

    data: Recalled
    test: Recalled
    temperature: Float[Array, "*replica"]
    residual: Float[Array, "*replica"]
    attended: Float[Array, "*replica keys"]

    @classmethod
    def of(cls, data: Recalled, test: Recalled, temperature: float, residual: float, masked: bool) -> "EditedTask":
        attended = np.ones(2 * PAIRS + 3)
        attended[EOS] = not masked
        return cls(data, test, to_jax(temperature), to_jax(residual), to_jax(attended))


class Logits(NamedTuple):
    """Of both decoding steps, and where the second looks."""

    first: Float[Array, "batch relations"]
    second: Float[Array, "batch answers"]
    looks: Float[Array, "batch keys"]


Kept = tuple[Array, Array]  # 1 for each pair of positions that the memory answers to, at both steps


def edited_logits(model: DenseTransformer, task: EditedTask, sequences: Recalled, kept: Kept | None = None) -> Logits:
    first, second = both_attentions(model, sequences.tokens)
    second = second * task.attended
    second = second / jnp.sum(second, axis=1, keepdims=True)
    relations, answers = sequences.relations, sequences.answers
    if kept is not None:
        relations, answers = relations * kept[0][:, None], answers * kept[1][:, None]
    return Logits(evaluated(relations, first), evaluated(answers, second, task.residual), second)


def edited_nlls(model: DenseTransformer, task: EditedTask, data: Recalled) -> tuple[Array, Array]:
    found = edited_logits(model, task, data)
    relation, answer = _right(model, data)
    return _nll(found.first / task.temperature, relation), _nll(found.second / task.temperature, answer)


def edited_loss(model: DenseTransformer, task: EditedTask, key: Key[Array, ""]) -> Float[Array, ""]:
    """L_1 + L_2 (eq. 1) with the MLP frozen."""
    first, second = edited_nlls(model, task, task.data)
    return first + second


@eqx.filter_jit
def read(model: DenseTransformer, task: EditedTask) -> dict[str, Array]:
    """On fresh sequences: test accuracies with each kind of answer taken out, and where the second step looks."""
    right = _right(model, task.test)

    def accuracies(kept: Kept) -> list[Array]:
        found = edited_logits(model, task, task.test, kept)
        return [jnp.mean(jnp.argmax(x, axis=1) == y) for x, y in zip(found[:2], right, strict=True)]

    lengths = task.test.tokens.shape[1] - 1, task.test.tokens.shape[1]
    kept = tuple(to_jax(np.stack([~silenced(which, n) for which in SILENCED]).astype(float)) for n in lengths)
    found = zip(("first", "second"), jax.lax.map(accuracies, kept), strict=True)
    rows = {f"{step}, without {which}": x[i] for step, x in found for i, which in enumerate(SILENCED)}
    looks = jnp.mean(edited_logits(model, task, task.test).looks, axis=0)
    _, nll = edited_nlls(model, task, task.test)
    return {**rows, "second_nll": nll, "on EoS": looks[EOS], "on answers": jnp.mean(looks[1:QUERY:2])}


def _right(model: DenseTransformer, data: Recalled) -> tuple[Array, Array]:
    vocabulary, targets = model.vocabulary, data.targets
    return targets[:, -2] - vocabulary.relations.start, targets[:, -1] - vocabulary.answers.start


def _nll(logits: Float[Array, "batch classes"], right: Array) -> Float[Array, ""]:
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - jnp.take_along_axis(logits, right[:, None], axis=1)[:, 0])
