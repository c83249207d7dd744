"""The theory from end to end: gradient descent in stages stores facts, questions about some subjects bring out others'.

python examples/knowledge.py        # about 15 seconds on two cores
"""

from lemmata.core import Unattended, named_key, named_keys
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.probe import stored_facts
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pipeline import StagesConfig, answered, theory_model
from lemmata.papers.knowledge.run.staged_pretraining import Prompts
from lemmata.papers.knowledge.run.training import fine_tuned
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import fit, stack

SEED = 0
world = FactsConfig(subjects=32, templates=8, multiplicity=4)
facts = Facts.create(world, SEED)
config = theory_model(width=128, neurons=12)  # one query for all prompts, orthonormal embeddings
model = OneLayer.create(config, world, SEED)

pretrained, stored = fit(
    StagesConfig().descent(config.learning_rate_unit),  # rates eta_1, eta_2, eta_3
    Prompts.of(facts),  # every sentence, at every step
    model,
    named_key(SEED, "data"),
    steps=320,
    every=80,
    probe=lambda model, prompts, key: stored_facts(model, facts),
)
print("steps of pre-training   facts stored   loss above the optimum")
for record, step in enumerate(stored.steps):
    print(f"{step:21d} {stored['fact_accuracy'][record]:14.2f} {stored['excess'][record]:24.3f}")

# Ask about few or all of the subjects that are not held out, and once teach wrong answers: four replicas.
asked = round(world.subjects * (1 - world.held_out))
coverages = {
    "4 subjects": CoverageConfig(subjects=4),
    "8 subjects": CoverageConfig(subjects=8),
    f"all {asked} subjects": CoverageConfig(),
    "all, wrong answers": CoverageConfig(answers="shuffled"),
}
tuned = fine_tuned(
    FineTuningConfig(descent=DescentConfig(), steps=120),  # gradient descent on every question that is asked
    [Questions.choose(facts, coverage, SEED) for coverage in coverages.values()],
    stack([pretrained] * len(coverages)),
    named_keys([SEED] * len(coverages), "fine-tuning"),
    probe=answered,
    context=Unattended(),
    stage="fine-tuning",
)
print("asked about     questions a template   held-out facts extracted   answered by a relation")
print(f"{'nobody yet':18s} {0:17.1f} {tuned['extraction'][0, 0]:26.2f} {tuned['relation'][0, 0]:24.2f}")
for number, (name, coverage) in enumerate(coverages.items()):
    count = world.multiplicity * (coverage.subjects or asked) / world.templates
    extracted, relation = tuned["extraction"][number, -1], tuned["relation"][number, -1]
    print(f"{name:18s} {count:17.1f} {extracted:26.2f} {relation:24.2f}")
