"""Teach a one-layer transformer one step of state tracking, then where to look; let it reason far past its training.

python examples/lego.py        # about 15 seconds on two cores
"""

import equinox as eqx
import numpy as np

from lemmata.core import named_key, named_keys
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer, rollout
from lemmata.papers.lego.probe import accuracy_of_prefixes, attention_at_lengths
from lemmata.papers.lego.run.attention_descent import AttentionDescent
from lemmata.papers.lego.run.one_step_descent import OneStep
from lemmata.papers.lego.task import Lego, LegoConfig, action, to_text
from lemmata.papers.lego.theory.dilution import diluted
from lemmata.train import fit, stack

SEED, VARIABLES, LENGTHS, SHOWN = 0, 21, (2, 5, 10, 20), 6
world = action("C6")
task = Lego.create(LegoConfig(action=world.name, variables=VARIABLES, length=min(LENGTHS)))
sizes = task.vocabulary
config = TheoryConfig(variables=VARIABLES, actions=sizes.actions, values=sizes.values, scale=0.02)
model = TheoryTransformer.create(config, key=named_key(SEED, "init"))
print(f"{world.name}: simply transitive {world.simply_transitive}, solvable {world.solvable}")
print("a sentence:", to_text(np.asarray(task.draw(1, key=named_key(SEED, "show"))[0]), world, VARIABLES))

# Stage 1 teaches the neurons one step, stage 2 teaches attention on sentences of two.
stages = (
    ("neurons, value", OneStep(token="value", learning_rate=10.0), 6000),
    ("neurons, variable", OneStep(token="variable", learning_rate=10.0), 2000),
    ("attention", AttentionDescent(length=min(LENGTHS), answers=(1, 2), batch=64), 400),
)
for name, algorithm, steps in stages:
    model, history = fit(algorithm, task, model, named_key(SEED, "data", name), steps=steps, every=steps)
    print(f"{name}: loss {history['loss'][0]:.3f} -> {history['loss'][-1]:.4f}")

models = stack([model])
found = accuracy_of_prefixes(models, task, LENGTHS, key=named_keys([SEED], "test"), num=64)
looks = attention_at_lengths(models, task, LENGTHS, key=named_keys([SEED], "look"), num=64)
known = float(looks[min(LENGTHS)]["epsilon"][0, -1])
print("length   all values right   attention elsewhere at the last step   predicted from the shortest")
for i, length in enumerate(LENGTHS):
    last = float(looks[length]["epsilon"][0, -1])
    print(f"{length:6d} {found['values'][0, i]:18.2f} {last:37.3f} {float(diluted(known, length, length)):25.3f}")

sentence = task.draw(1, key=named_key(SEED, "show"), length=SHOWN)[0]
given = SHOWN + 1  # its predicates, and the first value
written = eqx.filter_jit(rollout)(model, sentence[:given], SHOWN)
print("it writes:", to_text(np.asarray(written[given:]), world, VARIABLES))
print("the truth:", to_text(np.asarray(sentence[given:]), world, VARIABLES))
