"""Fine-tune attention to ask a memory of facts for the hidden relation; see the pairwise pattern appear.

A world of affine relations, a few fine-tuning sequences, Algorithm 1 run to convergence: a few seconds.
"""

import numpy as np

from lemmata.core import named_keys, precision
from lemmata.papers.ic_recall.model import PatternModel, first_accuracy, position_block, second_accuracy
from lemmata.papers.ic_recall.model.symmetric_pairs import symmetric_pairs
from lemmata.papers.ic_recall.run.algorithm_1 import ToConvergence, algorithm_1
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.task import Affine, dataset
from lemmata.train import stack, unstack

SEEDS, TEMPERATURE, K, SEQUENCES = (0, 1), 0.01, 2, 64

world = Affine(n=31).draw()  # try Affine(n=2**61 - 1), or RandomBijections(n=8, relations=64).draw(seed)
report = world.report(K)
print(f"{world.n} subjects, {world.num_relations} relations: {report.confusing:.0%} of sequences are confusing")

with precision("float64"):
    train = [FineTuning(dataset(world, SEQUENCES, K, seed, "train", rows=SEQUENCES), TEMPERATURE) for seed in SEEDS]
    trained = algorithm_1(
        chain_of_thought_loss,
        position_block,
        ToConvergence(c1=30.0, c2=30.0, steps1=3_000, steps2=10_000),
        stack(train),
        stack([PatternModel.zeros(K, world.n) for _ in SEEDS]),
        named_keys(SEEDS, "perturbation"),
        project=(symmetric_pairs, None),  # rounding alone would leave the saddle
    )
    names = "s1     a1     s2     a2     s3     EoS"
    for stage, models in (("after stage 1", trained.settled), ("after stage 2", trained.final)):
        print(f"{stage}: attention at EoS to\n          {names}")
        for seed, model in zip(SEEDS, unstack(models), strict=True):
            test = dataset(world, 1000, K, seed, "test")
            found, answered = first_accuracy(model, test, TEMPERATURE), second_accuracy(model, TEMPERATURE)
            print(f"  seed {seed}: ", *np.round(np.asarray(model.attention()), 4))
            print(
                f"           relation {float(found.probability):.3f} (argmax {float(found.argmax):.3f}, ceiling "
                f"{report.ceiling:.3f}), answer {float(answered.probability):.3f}"
            )
