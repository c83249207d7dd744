"""Train a two-layer transformer on noisy recall, drop its last feed-forward layer, and see the noise go with it.

python examples/association.py        # about 10 seconds on two cores
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from lemmata.core import named_key
from lemmata.models.truncate import decompose
from lemmata.papers.association.model import Transformer, TransformerConfig, block_weights
from lemmata.papers.association.probe import clean_predictions, noisy_attention
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import QueryLoss, SGDConfig, StochasticDescent, fit_many, stack

SEED = 0
task = NoisyRecall.create(RecallConfig(symbols=16, length=32, alpha=0.5))
model = Transformer.create(TransformerConfig(vocab=16, length=32, width=64), key=named_key(SEED, "init"))
algorithm = StochasticDescent(SGDConfig(rate=0.05).optimizer(), 64, QueryLoss(task.queries), block_weights)

# `fit` trains any number of replicas; here there is one, so every array gets a leading axis of one.
state, metrics = fit_many(
    algorithm, stack([task]), stack([algorithm.init(model)]), jnp.stack([named_key(SEED, "data")]), steps=250, every=50
)
model = jax.tree.map(lambda leaf: leaf[0] if eqx.is_array(leaf) else leaf, state.model)
print("training loss:", " ".join(f"{loss:.2f}" for loss in metrics["loss"][0]))

probe = eqx.filter_jit(lambda model: clean_predictions(model, task, key=named_key(SEED, "test"), num=256))
whole = decompose(model, "blocks.1.feed.inner")  # once, for every rank
print("kept of F_2's input matrix   P(correct)   P(noise)")
for fraction in (1.0, 0.4, 0.2, 0.1, 0.0):
    edited, (change,) = whole.truncate(fraction=fraction)
    found = probe(edited)
    print(f"rank {change.rank:3d} of 64               {found['correct']:10.3f} {found['noise']:10.3f}")
attention = eqx.filter_jit(noisy_attention)(model, task, key=named_key(SEED, "attention"))
print(f"attention after a trigger: {attention['attention_correct']:.3f} on correct tokens,", end=" ")
print(f"{attention['attention_noise']:.3f} on noise")
