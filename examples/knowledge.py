"""Store facts by next-token training, then ask about half of the subjects and see the other half's facts come out.

python examples/knowledge.py        # about 15 seconds on two cores
"""

import jax
import jax.numpy as jnp

from lemmata.core import named_key
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.probe import extracted_facts, stored_facts
from lemmata.papers.knowledge.run.finetuning import FineTuning, FineTuningConfig
from lemmata.papers.knowledge.run.pretraining import PreTraining, PreTrainingConfig
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import fit_many, stack

SEED = 0
world = FactsConfig(subjects=100, templates=10, multiplicity=5)
words = world.vocabulary()
facts = Facts.create(world, SEED)
model = OneLayer.create(OneLayerConfig(), SEED, present=world.present(), read=words.read(), classes=words.classes())

# `fit` trains any number of replicas; here there is one, so every array gets a leading axis of one.
algorithm = PreTraining(PreTrainingConfig())
state, stored = fit_many(
    algorithm,
    stack([facts]),
    stack([algorithm.init(model)]),
    jnp.stack([named_key(SEED, "pre-training")]),
    steps=1500,
    every=500,
    probe=lambda model, facts, key: stored_facts(model, facts),
)
print("steps of pre-training   facts stored   loss above the optimum")
for record in range(4):
    print(f"{500 * record:21d} {stored['fact_accuracy'][0, record]:14.2f} {stored['excess'][0, record]:24.3f}")

# Ask about few or all of the subjects that are not held out, and once teach wrong answers.
lessons = {
    "2 subjects": CoverageConfig(subjects=2),
    "10 subjects": CoverageConfig(subjects=10),
    "all 50 subjects": CoverageConfig(),
    "all, wrong answers": CoverageConfig(answers="shuffled"),
}
questions = [Questions.choose(facts, lesson, SEED) for lesson in lessons.values()]
tuning = FineTuning(FineTuningConfig())
pretrained = jax.tree.map(lambda leaf: leaf[0], state.model)
_, told = fit_many(
    tuning,
    stack(questions),
    stack([tuning.init(pretrained)] * len(lessons)),
    jnp.stack([named_key(SEED, "fine-tuning")] * len(lessons)),
    steps=120,
    every=120,
    probe=lambda model, questions, key: extracted_facts(model, questions),
)
print("asked about            held-out facts extracted   answered by a relation")
print(f"{'nobody yet':22s} {told['extraction'][0, 0]:24.2f} {told['relation_fraction'][0, 0]:24.2f}")
for number, name in enumerate(lessons):
    print(f"{name:22s} {told['extraction'][number, 1]:24.2f} {told['relation_fraction'][number, 1]:24.2f}")
