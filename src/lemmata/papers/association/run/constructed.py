"""Appendix B.2's constructed model on contexts with noise, for several signs of its constant c."""

from dataclasses import dataclass, field

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lemmata.core import Count, RunConfig, RunContext, RunOutput, Some, named_key, require
from lemmata.papers.association.model.constructed import constructed
from lemmata.papers.association.model.transformer import Transformer
from lemmata.papers.association.model.truncate import truncate
from lemmata.papers.association.task import NoisyRecall, RecallConfig, RecallSample

READ = ("correct", "noise", "without_F2", "attention_correct", "attention_noise")


@dataclass(frozen=True, kw_only=True)
class ConstructedRecall(RunConfig):
    """By c: mean probabilities of the answer and of the noise at the last trigger, over contexts that have shown the
    answer and do not begin with a trigger, and the answer's without F_2; where the second layer looks from there."""

    kind = "association/constructed-recall"

    task: RecallConfig = field(default_factory=lambda: RecallConfig(symbols=16, length=48))
    constants: Some[float] = (-0.5, 0.0, 0.5)  # c
    sequences: Count = 1024

    def cross_check(self) -> None:
        require(len(self.task.triggers) == 1, "task.triggers", self.task.triggers, "one trigger")
        require(self.task.alpha > 0, "task.alpha", self.task.alpha, "above 0")

    def execute(self, context: RunContext) -> RunOutput:
        task, (trigger,), noise = self.task, self.task.triggers, self.task.noise_token
        sample = NoisyRecall.create(task).draw(self.sequences, key=named_key(0, "contexts"))
        rows = []
        for done, c in enumerate(self.constants):
            model = constructed(task.vocab, task.length, trigger, noise, task.alpha, c)
            without, _ = truncate(model, "blocks.1.feed", rank=0)
            full, cut = (jax.device_get(_read(one, sample, jnp.asarray(noise))) for one in (model, without))
            found = full | {"without_F2": cut["correct"]}
            rows.append((c, *(float(found[name]) for name in READ)))
            context.progress("constants", done + 1, len(self.constants))
        names = ("c", *READ)
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})


@eqx.filter_jit
def _read(model: Transformer, sample: RecallSample, noise: Array) -> dict[str, Array]:
    tokens, correct = sample.tokens, sample.correct[:, -1]
    after = jnp.pad(tokens[:, :-1] == tokens[:, -1:], ((0, 0), (1, 0)))  # what stands here follows the trigger
    on_answer, on_noise = after & (tokens == correct[:, None]), after & (tokens == noise)
    # The trigger at T was put there, whatever stood before it; the first position sees itself as its predecessor.
    shown = jnp.any(on_answer, axis=1) & ~after[:, -1] & (tokens[:, 0] != tokens[:, -1])
    traces = jax.vmap(model.trace)(tokens)
    weights, said = traces.attention[:, -1, -1], jax.nn.softmax(traces.logits[:, -1])

    def mean(x: Array) -> Array:
        return jnp.mean(x, where=shown)

    return {
        "correct": mean(jnp.take_along_axis(said, correct[:, None], axis=1)[:, 0]),
        "noise": mean(said[:, noise]),
        "attention_correct": mean(jnp.sum(weights * on_answer, axis=1)),
        "attention_noise": mean(jnp.sum(weights * on_noise, axis=1)),
    }
