"""The claims that were promised for this paper are there."""

from lemmata.core.registry import experiments

PROMISED = """
pretrain-near-optimal attention-pattern extraction-unseen-facts multiplicity coverage template-universe
covering-per-relation hallucination-regime low-rank-enough uniform-attention-fails steps-to-extract split-leak
hoeffding-cover fig-2a fig-2b fig-3 fig-5 fig-6
"""


def test_every_promised_claim_is_there() -> None:
    present = {claim.id for experiment in experiments("knowledge").values() for claim in experiment.claims}
    assert {f"knowledge/{name}" for name in PROMISED.split()} <= present
