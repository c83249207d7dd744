"""Train a two-layer transformer on noisy recall, drop its last feed-forward layer, and see the noise go with it.

python examples/association.py        # about 10 seconds on two cores
"""

import equinox as eqx
import jax

from lemmata.core import named_key
from lemmata.papers.association.model import Transformer, TransformerConfig, block_weights
from lemmata.papers.association.model.truncate import decompose
from lemmata.papers.association.probe.answers import answers
from lemmata.papers.association.probe.held_out import held_out
from lemmata.papers.association.probe.snapshot import attention_mass
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, QueryLoss, SGDConfig, fit

SEED = 0
task = NoisyRecall.create(RecallConfig(symbols=16, length=32, alpha=0.5))
noise, test = task.config.noise_token, held_out(task, 256)
config = TransformerConfig(vocab=task.config.vocab, length=task.config.length, width=64)
model = Transformer.create(config, key=named_key(SEED, "init"))
algorithm = Descent(Batches(QueryLoss(task.queries), 64), block_weights, SGDConfig(), 0.05)

model, history = fit(algorithm, task, model, named_key(SEED, "data"), steps=250, every=50)
print("training loss:", " ".join(f"{loss:.2f}" for loss in history["loss"]))

probe = eqx.filter_jit(lambda model: answers(jax.vmap(model)(test.clean.tokens), test.clean, noise))
whole = decompose(model, "blocks.1.feed.inner")  # once, for every rank
print("kept of F_2's input matrix   P(correct)   P(noise)")
for fraction in (1.0, 0.4, 0.2, 0.1, 0.0):
    edited, (change,) = whole.truncate(fraction=fraction)
    found = probe(edited)
    print(f"rank {change.rank:3d} of {config.width}               {found['correct']:10.3f} {found['noise']:10.3f}")
attention = eqx.filter_jit(attention_mass)(model, test.noisy, noise)
print(f"attention after a trigger: {attention['attention_correct']:.3f} on correct tokens,", end=" ")
print(f"{attention['attention_noise']:.3f} on noise")
