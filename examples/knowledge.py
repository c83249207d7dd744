"""Store facts by next-token training, then ask about half of the subjects and see the other half's facts come out.

python examples/knowledge.py        # about 15 seconds on two cores
"""

from lemmata.core import named_key, named_keys
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.probe import extracted_facts, stored_facts
from lemmata.papers.knowledge.run.finetuning import FineTuningConfig, fine_tuning
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig, pre_training
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import fit, fit_many, stack

SEED = 0
world = FactsConfig(subjects=100, templates=10, multiplicity=5)
facts = Facts.create(world, SEED)
model = OneLayer.create(OneLayerConfig(), world, SEED)

pretrained, stored = fit(
    pre_training(PreTrainingConfig()),
    facts,
    model,
    named_key(SEED, "pre-training"),
    steps=1500,
    every=500,
    probe=lambda model, facts, key: stored_facts(model, facts),
)
print("steps of pre-training   facts stored   loss above the optimum")
for record, step in enumerate(stored.steps):
    print(f"{step:21d} {stored['fact_accuracy'][record]:14.2f} {stored['excess'][record]:24.3f}")

# Ask about few or all of the subjects that are not held out, and once train on wrong answers: four replicas.
asked = round(world.subjects * (1 - world.held_out))
coverages = {
    "2 subjects": CoverageConfig(subjects=2),
    "10 subjects": CoverageConfig(subjects=10),
    f"all {asked} subjects": CoverageConfig(),
    "all, wrong answers": CoverageConfig(answers="shuffled"),
}
questions = [Questions.choose(facts, coverage, SEED) for coverage in coverages.values()]
tuning = fine_tuning(FineTuningConfig(), questions)
_, tuned = fit_many(
    tuning,
    stack(questions),
    stack([tuning.init(pretrained)] * len(coverages)),
    named_keys([SEED] * len(coverages), "fine-tuning"),
    steps=120,
    every=120,
    probe=lambda model, questions, key: extracted_facts(model, questions),
)
print("asked about            held-out facts extracted   answered by a relation")
print(f"{'nobody yet':22s} {tuned['extraction'][0, 0]:24.2f} {tuned['relation_fraction'][0, 0]:24.2f}")
for number, name in enumerate(coverages):
    print(f"{name:22s} {tuned['extraction'][number, 1]:24.2f} {tuned['relation_fraction'][number, 1]:24.2f}")
