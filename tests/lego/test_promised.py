"""The claims that were promised for this paper are there."""

from lemmata.core.registry import experiments

PROMISED = """
one-step-learned feature-structure-transitive feature-structure-symmetric curriculum-order neurons-distinct
thm-4.1-length thm-4.1-attention thm-5.1-doubling thm-5.1-attention cor-5.1 balance distractors dilution-law
permutation-invariance separation stage-start self-labels all-slots joint-training predicate-attention section-7-map
fig-1a fig-1b fig-2 fig-5 fig-6 fig-7 beyond-tc0 regime-map self-train-cost
gradients gradients-f.1 gradients-sums initialization initialization-fibres phases-order phases-intervals
phases-competition phases-split phases-arrival lemma-b.13 thm-b.1 thm-c.1 lemma-b.9 appendix-a
"""


def test_every_promised_claim_is_there() -> None:
    present = {claim.id for experiment in experiments("lego").values() for claim in experiment.claims}
    assert {f"lego/{name}" for name in PROMISED.split()} <= present


def test_a_file_is_named_by_the_first_words_of_its_claims_ids() -> None:
    for experiment in experiments("lego").values():
        assert all(claim.id.replace(".", "-").startswith(experiment.id) for claim in experiment.claims), experiment.id
